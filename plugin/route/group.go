package route

import (
	"slices"
	"sync/atomic"

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

	max      int
	together bool     // families together
	origins  []string // zones of the names, each once; relative data is read for each
	types    []uint16 // types of the records' values, ascending
	view     atomic.Pointer[View]

	dirty bool // guarded by Table.mu: waits for a rebuild
}

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

// Types returns the types of the group's values, ascending.
func (g *Group) Types() []uint16 { return g.types }

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

// settle fills in what follows from the records.
func (g *Group) settle() {
	for _, r := range g.Records {
		for _, v := range r.values {
			if !slices.Contains(g.types, v.rrType) {
				g.types = append(g.types, v.rrType)
			}
		}
	}
	slices.Sort(g.types)
}
