package scenario

import (
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// zone is the zone of all groups that the model knows.
const zone = ".example.org."

// short is a group's name as an operator writes it.
func short(name string) string { return strings.TrimSuffix(name, zone) }

func (m *model) group(name string) *config.Group { return m.groups[short(name)] }

func objectOf(g *config.Group, r *config.Record) string { return short(g.Names[0]) + "/" + r.ID }

// adminOf is the admin state of a record: what the operator says, else what the configuration does.
func (m *model) adminOf(g *config.Group, r *config.Record) string {
	site := m.admin["site "+r.Site]
	if takesOut(site) {
		return site
	}
	if word := m.admin[objectOf(g, r)]; word != "" && word != "enabled" {
		return word
	}
	if r.Admin == "" && r.Alias == nil {
		return site
	}
	return string(r.Admin)
}

// healthKey is where the health of a value stands.
func (m *model) healthKey(g *config.Group, r *config.Record, v config.Value) string {
	if v.IsAddress() {
		return v.Data
	}
	return objectOf(g, r)
}

// passes is status(check) == healthy of spec 4.1.
func (m *model) passes(key string) bool {
	switch m.health[key] {
	case "unhealthy", "stopped":
		return false
	case "checking":
		return !m.excluded
	}
	return true
}

// has reports whether the record could ever answer the type (spec 4.12, rule 1); a CNAME answers all.
func (m *model) has(r *config.Record, qtype uint16) bool {
	if x, ok := m.balancing(r, qtype); ok {
		return x.couldAnswer()
	}
	if r.Alias != nil {
		for _, inner := range m.group(r.Alias.Group[0]).Records {
			if m.has(inner, qtype) {
				return true
			}
		}
		return false
	}
	for _, v := range r.Values {
		if qtype == anyType || v.Type == qtype || v.Type == dns.TypeCNAME {
			return true
		}
	}
	return false
}

// groupOff reports whether nothing of the group is eligible because an operator or the configuration says so.
func (m *model) groupOff(g *config.Group) bool {
	return g.Disabled || m.admin[short(g.Names[0])] == "disabled"
}

// eligible is spec 3.1's word, for the type. An alias is not if nothing behind it is (spec 4.15).
func (m *model) eligible(g *config.Group, r *config.Record, qtype uint16) bool {
	switch m.adminOf(g, r) {
	case "disabled", "draining", "stopped":
		return false
	}
	if m.groupOff(g) || !m.has(r, qtype) {
		return false
	}
	if x, ok := m.balancing(r, qtype); ok {
		return x.eligible()
	}
	return r.Alias == nil || len(m.candidates(m.group(r.Alias.Group[0]), qtype)) > 0
}

// usable is recordHealthy of spec 4.1, for the type; `families together` asks for each family that the record
// could answer now.
func (m *model) usable(g *config.Group, r *config.Record, qtype uint16) bool {
	if g.FamiliesTogether {
		for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
			if m.eligible(g, r, family) && !m.usableFor(g, r, family) {
				return false
			}
		}
	}
	return m.usableFor(g, r, qtype)
}

func (m *model) usableFor(g *config.Group, r *config.Record, qtype uint16) bool {
	if x, ok := m.balancing(r, qtype); ok {
		return m.passes(objectOf(g, r)) && (!r.Alias.Evaluate || x.enough(r.Alias.MinHealthy))
	}
	if r.Alias != nil {
		target := m.group(r.Alias.Group[0])
		return m.passes(objectOf(g, r)) && (!r.Alias.Evaluate ||
			m.enough(target, r.Alias.MinHealthy, typeFor(target, qtype)) && m.enough(target, target.MinHealthy, typeFor(target, qtype)))
	}
	if m.adminOf(g, r) == "always" {
		return true
	}
	for _, v := range r.Values {
		if (qtype == anyType || v.Type == qtype || v.Type == dns.TypeCNAME) && m.passes(m.healthKey(g, r, v)) {
			return true
		}
	}
	return false
}

// enough is targetHealthy of spec 4.1: whether so many members of the group are usable.
func (m *model) enough(g *config.Group, want config.MinHealthy, qtype uint16) bool {
	number := max(want.Count, 1)
	if want.Percent {
		number = (want.Count*len(m.candidates(g, qtype)) + 99) / 100
	}
	return m.count(g, qtype) >= max(number, 1) && (want.IPv4 == 0 || m.count(g, dns.TypeA) >= want.IPv4) &&
		(want.IPv6 == 0 || m.count(g, dns.TypeAAAA) >= want.IPv6)
}

// count is how many members of the group are usable for the type.
func (m *model) count(g *config.Group, qtype uint16) int {
	n := 0
	for _, r := range m.candidates(g, qtype) {
		if m.usable(g, r, qtype) {
			n++
		}
	}
	return n
}
