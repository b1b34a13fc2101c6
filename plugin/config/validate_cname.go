package config

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"
)

// cname checks the places where a CNAME cannot be (RFC 1034, 3.6.2): one of the group's own, or one that an alias leads to.
func (v *validator) cname(g *Group) {
	if !v.hasCNAME(g) {
		return
	}
	i := slices.IndexFunc(g.Records, func(r *Record) bool { return slices.Contains(v.answers(g, r), dns.TypeCNAME) })
	r, what := g.Records[i], "a CNAME"
	if r.Alias != nil {
		what = "an alias of a group with a CNAME"
	}
	if g.Policy == PolicyMultivalue && r.Alias == nil {
		v.fault(r.Places.Own, "a CNAME in a multivalue group: a name has one CNAME at most", "policy weighted or failover")
	}
	if g.Policy == PolicyPriority {
		v.tiers(g)
	}
	for _, name := range g.Names {
		if slices.Contains(v.stanza.Zones, name) {
			v.fault(r.Places.Own, fmt.Sprintf("%s at the zone apex %q, where SOA and NS stand", what, name), "addresses")
		}
	}
	for _, other := range g.Records {
		types := v.answers(g, other)
		if i := slices.IndexFunc(types, func(t uint16) bool { return !isAddressKind(t) }); i >= 0 {
			v.fault(other.Places.Own, fmt.Sprintf("type %s beside a CNAME in one group", TypeWord(types[i])), "addresses and CNAMEs only")
		}
		if g.Policy == PolicySimple && other != r && slices.ContainsFunc(types, func(t uint16) bool { return t == dns.TypeA || t == dns.TypeAAAA }) {
			v.fault(other.Places.Own, "addresses beside a CNAME in a simple group, which chooses nothing", "policy weighted or failover")
		}
	}
}

// tiers checks that each CNAME has its priority for itself: records of one priority answer together.
func (v *validator) tiers(g *Group) {
	for i, r := range g.Records {
		for j, other := range g.Records {
			types, cname := v.answers(g, other), slices.Contains(v.answers(g, r), dns.TypeCNAME)
			if !cname || i == j || r.Priority != other.Priority || j > i && slices.Contains(types, dns.TypeCNAME) || !slices.ContainsFunc(types, isAddressKind) {
				continue
			}
			v.fault(r.Places.Own, fmt.Sprintf("a CNAME has the same priority, %d, as the record on line %d: they would answer together", r.Priority, other.Places.Own.Line),
				"a priority of its own (RFC 1034, 3.6.2)")
			break
		}
	}
}

// aliasedHosts warns of hosts in the data of MX, NS and SRV records whose names are aliases here: such records must lead to addresses (RFC 2181, 10.3;
// RFC 2782).
func (v *validator) aliasedHosts() {
	for _, g := range v.stanza.Groups {
		for _, r := range g.Records {
			for _, value := range r.Values {
				if value.Type == dns.TypeMX || value.Type == dns.TypeNS || value.Type == dns.TypeSRV {
					v.aliasedHost(g, r, value)
				}
			}
		}
	}
}

func (v *validator) aliasedHost(g *Group, r *Record, value Value) {
	for _, name := range g.Names {
		rr, err := value.RR(name, v.stanza.ZoneOf(name), 0)
		if err != nil {
			return // reported with the record
		}
		host, _ := HostOf(rr, name)
		host, err = CanonicalName(host)
		if err != nil {
			continue
		}
		if target := v.addressGroup(host); target != nil && v.hasCNAME(target) {
			v.report(Problem{Position: r.Places.Of("value " + value.Data), Warning: true, Message: fmt.Sprintf(
				"%s leads to %q, which has a CNAME on line %d: mail servers and resolvers may not follow it", TypeWord(value.Type), host, target.Places.Own.Line)})
		}
	}
}
