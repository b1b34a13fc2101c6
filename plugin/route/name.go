package route

import (
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// namedValue makes the values of an alias of a name from what that resolves to.
type namedValue struct {
	name  string
	check *health.Check // watches them all; nil if unmonitored
	ttl   uint32        // most seconds that they may live
}

// resolution is what a name resolves to.
type resolution struct {
	values   []value  // ordered by type
	families []uint16 // A, AAAA: those that have been answered
}

func (n *namedValue) checks() []*health.Check {
	if n.check == nil {
		return nil
	}
	return []*health.Check{n.check}
}

// value makes a value of an address record; nil for other types.
func (n *namedValue) value(rr dns.RR) *value {
	switch rr.(type) {
	case *dns.A, *dns.AAAA:
	default:
		return nil
	}
	own := dns.Copy(rr)
	own.Header().Name = ""
	own.Header().Ttl = min(own.Header().Ttl, n.ttl)
	return &value{rrType: own.Header().Rrtype, rrs: []dns.RR{own}, check: n.check}
}

// Names returns the names that aliases stand for, each once: whoever runs the table resolves them and calls Resolved.
func (t *Table) Names() []string {
	var names []string
	t.eachNamed(func(_ *Group, r *Record) {
		if !slices.Contains(names, r.named.name) {
			names = append(names, r.named.name)
		}
	})
	return names
}

// Resolved tells what a name of Names resolves to now. The addresses of the answer replace those that were known of the family; the other
// family stays. It may be called from any goroutine.
func (t *Table) Resolved(name string, family uint16, answer []dns.RR) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.eachNamed(func(g *Group, r *Record) {
		if !strings.EqualFold(r.named.name, name) {
			return
		}
		now := resolution{families: []uint16{family}}
		if before := r.resolved.Load(); before != nil {
			for _, v := range before.values {
				if v.rrType != family {
					now.values = append(now.values, v)
				}
			}
			for _, f := range before.families {
				if f != family {
					now.families = append(now.families, f)
				}
			}
		}
		for _, rr := range answer {
			if v := r.named.value(rr); v != nil && v.rrType == family {
				now.values = append(now.values, *v)
			}
		}
		slices.SortStableFunc(now.values, func(a, b value) int { return int(a.rrType) - int(b.rrType) })
		r.resolved.Store(&now)
		t.mark(g)
	})
	t.work()
}

// Unresolved reports whether an alias of a name in the group has not been resolved for the type yet, so that nobody knows whether the group has
// something to answer it with.
func (g *Group) Unresolved(qtype uint16) bool {
	for _, r := range g.Records {
		if r.named != nil && (qtype == dns.TypeA || qtype == dns.TypeAAAA) {
			if known := r.resolved.Load(); known == nil || !slices.Contains(known.families, qtype) {
				return true
			}
		}
		if r.alias != nil {
			if target := r.alias.target(qtype); target != nil && target.Unresolved(qtype) {
				return true
			}
		}
	}
	return false
}

// eachNamed visits the aliases of names.
func (t *Table) eachNamed(visit func(*Group, *Record)) {
	for _, g := range t.groups {
		for _, r := range g.Records {
			if r.named != nil {
				visit(g, r)
			}
		}
	}
}
