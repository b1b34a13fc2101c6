package route

import (
	"slices"

	"github.com/miekg/dns"
)

// A cut is a name at which another authority begins (RFC 1034 section 4.2): a group of type NS below an apex delegates it, or another server block
// answers for it. What our table has at and below a cut is nothing but addresses of name servers.

// Beside tells, before Compile, which zones other server blocks answer for, so that queries that CoreDNS brings here all the same (of type DS), and
// chains of CNAMEs, are not told that their names do not exist. Zones at or below which groups of ours stand are ours.
func (t *Table) Beside(zones []string) { t.beside = append(t.beside, zones...) }

// enterBeside makes the apexes of other blocks' zones exist, as cuts.
func (t *Table) enterBeside() {
	for _, name := range t.beside {
		zone := t.zoneOf(name)
		if zone == nil || zone.Name == name || t.entries[name] != nil {
			continue
		}
		t.enter(zone, name).cut = true
	}
}

// markCuts tells every name what cuts it off: the highest cut above it, or itself.
func (t *Table) markCuts() {
	var cuts bool
	for _, e := range t.entries {
		if e.Name != e.Zone.Name && e.Delegation() != nil {
			e.cut = true
		}
		cuts = cuts || e.cut
	}
	if !cuts {
		return
	}
	for _, e := range t.entries {
		for name := e.Name; name != e.Zone.Name; name = parentOf(name) {
			if above := t.entries[name]; above.cut {
				e.Cut = above
			}
		}
	}
}

// Delegation returns the group of type NS at the name, or nil.
func (e *Entry) Delegation() *Group {
	for _, g := range e.Members {
		if slices.Contains(g.types, dns.TypeNS) {
			return g
		}
	}
	return nil
}

// Above returns what the zone above knows of the apex of a zone, which is where its DS belongs (RFC 4035 section 3.1.4.1): that it exists. Other names
// keep their match, and so does an apex whose zone above is not ours.
func (t *Table) Above(name string, m Match) Match {
	if m.Zone == nil || name != m.Zone.Name || name == "." {
		return m
	}
	outer := t.zoneOf(parentOf(name))
	if outer == nil || t.encloser(outer, name).Cut != nil {
		return m
	}
	return Match{Zone: outer, Entry: &Entry{Name: name, Zone: outer, Below: true}}
}
