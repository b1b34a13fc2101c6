package route

import (
	"net/netip"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// filteredName is where a filter of a stanza stands: at a name, or below one.
type filteredName struct {
	stanza *config.Stanza
	name   string
	below  bool
}

// compileFilters makes the filters of a stanza.
func (t *Table) compileFilters(s *config.Stanza, probers map[*config.Probe]*probe.Prober) {
	for _, declared := range s.Filters {
		p := s.Probe(declared.Probe)
		f := &Filter{Name: declared.Names[0], Config: declared, TTL: uint32(declared.TTL.Seconds()), table: t}
		f.spec = func(a netip.Addr) health.Spec {
			return specFor(user{name: "filter " + f.Name}, &config.Record{}, p, probers[p], "", addressRR(a))
		}
		for _, name := range declared.Names {
			at := filteredName{stanza: s, name: name}
			if parent, wild := config.WildcardParent(name); wild {
				at.name, at.below = dns.Fqdn(parent), true
			}
			t.filtered[at] = f
		}
		t.filters = append(t.filters, f)
	}
}

// FilterOf returns the filter for what later plugins answer for a name, absolute and lower case: that of the very name, else that of the nearest
// name above it below which all are filtered, within the stanza whose zone the name lies in; nil without one.
func (t *Table) FilterOf(name string) *Filter {
	if len(t.filters) == 0 {
		return nil
	}
	zone := t.zoneOf(name)
	if zone == nil || len(zone.Stanza.Filters) == 0 {
		return nil
	}
	at := filteredName{stanza: zone.Stanza, name: name}
	if f, ok := t.filtered[at]; ok {
		return f
	}
	at.below = true
	for at.name != "." {
		at.name = parentOf(at.name)
		if f, ok := t.filtered[at]; ok {
			return f
		}
	}
	return nil
}

// Filters returns the filters of the table in the order of declaration.
func (t *Table) Filters() []*Filter { return t.filters }

// Inherit takes over the addresses that an earlier table's filters of the same names know, so that a reload forgets none. It may be called before
// Begin and, for what the earlier table has met since, again after that.
func (t *Table) Inherit(old *Table) {
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
		if t.refs[c]--; t.refs[c] > 0 {
			shared = append(shared, c)
			continue
		}
		delete(t.refs, c)
		dropped = append(dropped, c)
	}
	wanted := map[*health.Check]bool{}
	if len(shared) > 0 {
		wanted = t.wanted()
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
