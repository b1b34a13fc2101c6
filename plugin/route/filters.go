package route

import (
	"net/netip"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// filteredName is where a filter of a stanza stands: at a name, or below one. The zero name is everywhere.
type filteredName struct {
	stanza *config.Stanza
	name   string
	below  bool
}

// compileFilters makes the filters of a stanza.
func (t *Table) compileFilters(s *config.Stanza, probers map[*config.Probe]*probe.Prober) {
	for _, declared := range s.Filters {
		f := &Filter{Name: s.Zones[0], Config: declared, TTL: uint32(declared.TTL.Seconds()), table: t}
		if len(declared.Names) > 0 {
			f.Name = declared.Names[0]
		} else {
			t.filtered[filteredName{stanza: s}] = f
		}
		if p := s.Probe(declared.Probe); p != nil {
			f.spec = func(a netip.Addr) health.Spec { return specOf(f.Name, p, probers[p], a) }
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

// specOf says what a probe tests for an address that has no name (design, Probes).
func specOf(filter string, p *config.Probe, prober *probe.Prober, a netip.Addr) health.Spec {
	nameless := &config.Group{Names: []string{"*."}}
	s := specFor(nameless, &config.Record{}, p, prober, "", recordOf(a))
	s.User = "filter " + filter
	return s
}

// FilterOf returns the filter for what later plugins answer for a name, absolute and lower case: that of the very name, else of the nearest wildcard
// above it, else of all names, within the stanza whose zone the name lies in; nil without one.
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
	return t.filtered[filteredName{stanza: zone.Stanza}]
}

// Filters returns the filters of the table in the order of declaration.
func (t *Table) Filters() []*Filter { return t.filters }

// Inherit takes over the addresses that an earlier table's filters of the same names know, so that a reload forgets none. It may be called before
// the lease starts and, for what the earlier table has met since, again after that; then the lease is to be started again.
func (t *Table) Inherit(old *Table) {
	for _, f := range t.filters {
		for _, o := range old.filters {
			if f.Name == o.Name || slices.ContainsFunc(f.Config.Names, func(name string) bool { return slices.Contains(o.Config.Names, name) }) {
				f.inherit(o)
			}
		}
	}
}
