// Package route chooses: it compiles groups into views and picks the records that answer a query.
//
// A Table is built once for a configuration and never changes but for the views of its groups, which are
// replaced when the health of a check changes. Queries read it without a lock.
package route

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// Table is everything that one server block owns, by name.
type Table struct {
	zones   []*Zone
	byName  map[string]*Zone
	entries map[string]*Entry // by absolute, lower-case name
	groups  []*Group
	beside  []string // zones of other server blocks
	filters []*Filter

	pools     []*Pool
	balancers []*Group              // what stands behind aliases of pools and balancers
	refs      map[*health.Check]int // guarded by mu: how many targets of pools, and others, need a check
	met       map[*health.Check]int // guarded by mu: how many of those are addresses that filters have met

	groupsOf map[string][]*Group // by first name
	inSite   map[string][]*Group // by the sites of their records

	canaries []*health.Check
	observer Observer
	admin    *health.Admin
	checks   Checker
	adminMu  sync.Mutex // held while admin states or targets are taken over, one change after the other
	begun    bool       // guarded by adminMu: the checks have been started

	mu         sync.Mutex
	byCheck    map[*health.Check][]*Group // guarded by mu
	dirty      [maxLevels][]*Group        // guarded by mu: groups whose views wait for a rebuild, by level
	rebuilding bool                       // guarded by mu
	settled    chan struct{}              // guarded by mu: closed when nothing is left to rebuild; nil if nobody waits for that
}

// Zone is one zone of a stanza.
type Zone struct {
	Name   string         // absolute, lower case
	Stanza *config.Stanza // what was declared for it

	filters *filterNames // of the stanza; nil without any
}

// Entry is a name that exists because a group has it, or because a name below it does (an empty non-terminal).
type Entry struct {
	Name    string
	Zone    *Zone
	Members []*Group // none for an empty non-terminal
	Below   bool     // names of ours exist below it
	Cut     *Entry   // where the name is cut off from its zone, which may be the very name; nil if it is not

	cut bool // it is a cut
}

// Member returns the group that answers the type at this name, or nil.
func (e *Entry) Member(qtype uint16) *Group {
	for _, g := range e.Members {
		if g.Owns(qtype) {
			return g
		}
	}
	return nil
}

// Observer is told what a table's groups and filters do, from any goroutine.
type Observer interface {
	// LastResort tells that a group began or ceased to answer the type from its last resort.
	LastResort(g *Group, qtype uint16, on bool)
	// ShowsAll tells that a group with `show_all` began or ceased to have fewer usable records than its `min_healthy` asks for, so that all answer.
	ShowsAll(g *Group, qtype uint16, on bool)
	// FilterFull tells that a filter knows as many addresses as it may, the first time.
	FilterFull(f *Filter)
	// FilterForgot tells that a filter has given checks of idle addresses back.
	FilterForgot(f *Filter, checks []*health.Check)
}

// Match is what a table knows of a name.
type Match struct {
	Zone     *Zone  // the zone that the name lies in; nil if it is not ours at all
	Entry    *Entry // the very name; nil if we do not have it
	Wildcard *Entry // if Entry is nil: the wildcard that covers it by our names alone, or nil
	// Ancestor is, with Wildcard, the name directly below the wildcard's parent on the way to the name: if
	// somebody else has it the wildcard does not apply (RFC 4592 section 3.3.1). "" when that is the name itself.
	Ancestor string
	// Cut is the name at or above this one where another authority begins, or nil; there is no wildcard then. Without a group of type NS
	// there another server block answers for it.
	Cut *Entry
}

// NewTable returns a table that owns nothing yet. Compile fills it. Admin is the admin layer over its records; nil if there is none.
func NewTable(o Observer, admin *health.Admin) *Table {
	return &Table{
		byName: map[string]*Zone{}, entries: map[string]*Entry{}, byCheck: map[*health.Check][]*Group{},
		refs: map[*health.Check]int{}, met: map[*health.Check]int{}, groupsOf: map[string][]*Group{}, inSite: map[string][]*Group{}, observer: o, admin: admin,
	}
}

// Find looks a name up; it is absolute and lower case.
func (t *Table) Find(name string) Match {
	if e, ok := t.entries[name]; ok {
		return Match{Zone: e.Zone, Entry: e, Cut: e.Cut}
	}
	zone := t.zoneOf(name)
	if zone == nil {
		return Match{}
	}
	return t.encloser(zone, name)
}

// encloser looks for `*.<closest encloser>`: the encloser is the nearest ancestor that exists, at the latest the
// apex, so that existing names and empty non-terminals stop a wildcard above them (RFC 4592 section 3.3.1).
func (t *Table) encloser(zone *Zone, name string) Match {
	m := Match{Zone: zone}
	child := name
	for child != zone.Name {
		parent := parentOf(child)
		above, exists := t.entries[parent]
		if exists && above.Cut != nil {
			m.Cut = above.Cut
			return m
		}
		if exists || parent == zone.Name {
			m.Wildcard = t.entries["*."+strings.TrimPrefix(parent, ".")]
			if m.Wildcard != nil && child != name {
				m.Ancestor = child
			}
			return m
		}
		child = parent
	}
	return m
}

// parentOf cuts the first label off; the parent of a top-level name is the root.
func parentOf(name string) string {
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '\\':
			i++
		case '.':
			if i == len(name)-1 {
				return "."
			}
			return name[i+1:]
		}
	}
	return "."
}

// fewZones are compared one by one, which is faster than a look-up for each label of a name.
const fewZones = 4

// zoneOf returns the longest zone that holds the name, or nil.
func (t *Table) zoneOf(name string) *Zone {
	if len(t.zones) <= fewZones {
		var best *Zone
		for _, z := range t.zones {
			if (best == nil || len(z.Name) > len(best.Name)) && config.IsBelow(name, z.Name) {
				best = z
			}
		}
		return best
	}
	for {
		if z, ok := t.byName[name]; ok {
			return z
		}
		if name == "." {
			return nil
		}
		name = parentOf(name)
	}
}

// Zones returns the zones of the table.
func (t *Table) Zones() []*Zone { return t.zones }

// Canaries returns the checks of the stanzas' `canary` options, in their order.
func (t *Table) Canaries() []*health.Check { return t.canaries }

// Groups returns the groups of the table in the order of declaration.
func (t *Table) Groups() []*Group { return t.groups }

// Entries returns the names that exist because of the table, in no order.
func (t *Table) Entries() iter.Seq[*Entry] { return maps.Values(t.entries) }

// Choosers returns all that choose: the groups, and behind their aliases the balancers.
func (t *Table) Choosers() []*Group { return slices.Concat(t.groups, t.balancers) }
