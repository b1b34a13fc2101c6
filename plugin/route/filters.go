package route

import (
	"math"
	"net/netip"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// filterNames is where the filters of a stanza stand: at names, and below names.
type filterNames struct {
	at, below map[string]*Filter
	shortest  int // the length of the shortest name in below
}

// compileFilters makes the filters of a stanza.
func (t *Table) compileFilters(s *config.Stanza, probers map[*config.Probe]*probe.Prober) {
	if len(s.Filters) == 0 {
		return
	}
	names := &filterNames{at: map[string]*Filter{}, below: map[string]*Filter{}, shortest: math.MaxInt}
	for _, declared := range s.Filters {
		p := s.Probe(declared.Probe)
		f := &Filter{Name: declared.Names[0], Config: declared, TTL: uint32(declared.TTL.Seconds()), table: t}
		f.spec = func(a netip.Addr) health.Spec {
			return specFor(user{name: "filter " + f.Name}, &config.Record{}, p, probers[p], "", addressRR(a))
		}
		for _, name := range declared.Names {
			if parent, wild := config.WildcardParent(name); wild {
				parent = dns.Fqdn(parent)
				names.below[parent] = f
				names.shortest = min(names.shortest, len(parent))
				continue
			}
			names.at[name] = f
		}
		t.filters = append(t.filters, f)
	}
	for _, z := range t.zones {
		if z.Stanza == s {
			z.filters = names
		}
	}
}

// FilterOf returns the filter for what later plugins answer for a name, absolute and lower case; nil without one.
func (t *Table) FilterOf(name string) *Filter {
	if len(t.filters) == 0 {
		return nil
	}
	if zone := t.zoneOf(name); zone != nil {
		return zone.FilterOf(name)
	}
	return nil
}

// FilterOf is Table.FilterOf for a name in the zone: the filter of the very name, else that of the nearest name above it below which all are filtered,
// both within the zone's stanza.
func (z *Zone) FilterOf(name string) *Filter {
	names := z.filters
	if names == nil {
		return nil
	}
	if f, ok := names.at[name]; ok {
		return f
	}
	for name != "." && len(name) > names.shortest {
		name = parentOf(name)
		if f, ok := names.below[name]; ok {
			return f
		}
	}
	return nil
}

// Filters returns the filters of the table in the order of declaration.
func (t *Table) Filters() []*Filter { return t.filters }

// Inherit takes over the addresses that an earlier table's filters of the same names know, and whose turn it is under roundrobin, so that a reload
// forgets neither. It may be called before Begin and, for what the earlier table has met since, again after that.
func (t *Table) Inherit(old *Table) {
	t.inheritTurns(old)
	for _, f := range t.filters {
		for _, o := range old.filters {
			if slices.ContainsFunc(f.Config.Names, func(name string) bool { return slices.Contains(o.Config.Names, name) }) {
				t.takeUp(f, f.inherit(o))
			}
		}
	}
}

// takeUp gives addresses that a filter has met their checks.
func (t *Table) takeUp(f *Filter, fresh []*met) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	checks := make([]*health.Check, len(fresh))
	for i, m := range fresh {
		checks[i] = t.checks.Check(f.spec(m.address))
		t.mu.Lock()
		t.refs[checks[i]]++
		t.met[checks[i]]++
		shared := t.refs[checks[i]] > 1
		t.mu.Unlock()
		if shared {
			t.checks.Want(checks[i], true) // nobody else may have wanted it
		}
		m.check.Store(checks[i])
	}
	t.begin(checks)
}

// giveBack gives back the checks of addresses that a filter has forgotten, and returns those that nobody here needs any more.
func (t *Table) giveBack(idle []*met) []*health.Check {
	if len(idle) == 0 {
		return nil
	}
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	var dropped, shared []*health.Check
	for _, m := range idle {
		c := m.check.Load()
		if t.met[c]--; t.met[c] == 0 {
			delete(t.met, c)
		}
		if t.refs[c]--; t.refs[c] > 0 {
			shared = append(shared, c)
			continue
		}
		delete(t.refs, c)
		dropped = append(dropped, c)
	}
	wanted := map[*health.Check]bool{}
	if len(shared) > 0 {
		wanted = t.wanted(shared)
	}
	t.mu.Unlock()
	for _, c := range shared {
		t.checks.Want(c, wanted[c])
	}
	for _, c := range dropped {
		t.checks.Drop(c)
	}
	return dropped
}

// OnlyMet reports whether a check is there for nothing but addresses that filters have met.
func (t *Table) OnlyMet(c *health.Check) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.met[c] > 0 && t.met[c] == t.refs[c]
}
