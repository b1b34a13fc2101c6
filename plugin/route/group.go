package route

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// Group is the records of one name, or of several that answer alike, under one policy. It is immutable but for
// its view.
type Group struct {
	Name       string // the first name that was declared
	Names      []string
	Policy     config.Policy
	TTL        uint32 // seconds; negative answers of the group live at most as long
	Records    []*Record
	LastResort config.LastResort
	Hidden     bool          // answers no query of its own
	Config     *config.Group // as it was declared

	preset         config.Preset
	max            int
	together       bool // families together
	strict         bool
	disabled       bool          // by the Corefile
	minTTL         time.Duration // of `ttl A-B` the lower end; 0 for a fixed TTL
	hold           time.Duration
	ramp           time.Duration
	failbackManual bool
	tracksRecovery bool // the group, or one with an alias of it, has a ramp
	sticky         *config.Sticky
	minHealthy     config.MinHealthy
	overrides      *overrideTable            // nil: none
	blocks         *blockTable               // of policy subnet; nil for others
	turns          map[uint16]*atomic.Uint64 // of policy roundrobin, by type
	sorry          *Record                   // what last_resort alias stands for; nil for other words
	balancer       *balancer                 // of a group that stands for a pool or a balancer; nil for others

	origins []string // zones of the names, each once; relative data is read for each
	types   []uint16 // types of the records' values, ascending; an alias has those of its target
	wholes  bool     // the group, or one with an alias of it, chooses before it looks at the type
	level   int      // 0: no alias of a group in it; else one more than the highest of its targets
	parents []*Group // those with an alias of it
	view    atomic.Pointer[View]

	now    func() time.Time // of the engine's clock
	dirty  bool             // guarded by Table.mu: waits for a rebuild
	unplan func()           // of the one rebuild at a time: calls the next judgement off that time alone asks for; nil if none is planned
}

// choosesFirst reports whether the group picks a record and compares the type afterwards (spec 4.11). Under multivalue the type comes first, as
// the cap is one of answers (P-7).
func (g *Group) choosesFirst() bool {
	return g.preset == config.PresetTrafficManager && g.Policy != config.PolicyMultivalue
}

// Preset is the system whose switches the group follows.
func (g *Group) Preset() config.Preset { return g.preset }

// Types returns the types of what the group can answer, ascending. The slice must not be changed.
func (g *Group) Types() []uint16 { return g.types }

// View returns the group's current view. A query loads it once and then sees one consistent state.
func (g *Group) View() *View { return g.view.Load() }

// Owns reports whether queries of the type are answered from the group alone, be it with NODATA. A group with
// addresses owns both families and CNAME; a CNAME answers for every type (design, How a query is answered).
func (g *Group) Owns(qtype uint16) bool {
	switch {
	case slices.Contains(g.types, qtype) || slices.Contains(g.types, dns.TypeCNAME):
		return true
	case qtype == dns.TypeA || qtype == dns.TypeAAAA || qtype == dns.TypeCNAME:
		return slices.Contains(g.types, dns.TypeA) || slices.Contains(g.types, dns.TypeAAAA)
	}
	return false
}

// checks returns the checks of all records, each once.
func (g *Group) checks() []*health.Check {
	var out []*health.Check
	seen := map[*health.Check]bool{}
	for _, r := range g.Records {
		for _, c := range r.Checks() {
			if !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// targets returns the groups behind the group's aliases and its last resort.
func (g *Group) targets() []*Group {
	var out []*Group
	for _, r := range append(g.Records[:len(g.Records):len(g.Records)], g.sorry) {
		if r != nil && r.alias != nil {
			out = append(out, r.alias.groups...)
		}
	}
	return out
}

func (g *Group) addType(t uint16) {
	if !slices.Contains(g.types, t) {
		g.types = append(g.types, t)
	}
}

// settle fills in what follows from the records. The groups behind its aliases must be settled.
func (g *Group) settle() {
	var own, lent []uint16
	for _, r := range g.Records {
		for _, v := range r.values {
			own = append(own, v.rrType)
		}
		switch {
		case r.alias != nil:
			for _, target := range r.alias.groups {
				lent = append(lent, target.types...)
			}
		case r.named != nil:
			lent = append(lent, dns.TypeA, dns.TypeAAAA)
		}
	}
	for _, t := range own {
		g.addType(t)
	}
	kinds := slices.Clone(g.types)
	for _, t := range lent { // beside records with values an alias lends what is of their kinds
		if len(kinds) == 0 || slices.ContainsFunc(kinds, func(k uint16) bool { return config.KindOf(k) == config.KindOf(t) }) {
			g.addType(t)
		}
	}
	if len(g.types) == 0 { // without a record: Traffic Manager's empty profile, which still has its name (T-220)
		g.types = []uint16{dns.TypeA, dns.TypeAAAA}
	}
	slices.Sort(g.types)
	for _, target := range g.targets() {
		g.level = max(g.level, target.level+1)
	}
	if g.Policy == config.PolicySubnet {
		g.blocks = newBlockTable(g.Records)
	}
	if g.Policy == config.PolicyRoundRobin {
		g.turns = map[uint16]*atomic.Uint64{}
		for _, t := range append(g.types[:len(g.types):len(g.types)], dns.TypeANY) {
			g.turns[t] = new(atomic.Uint64)
		}
	}
}
