package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// group checks one group and its records.
func (v *validator) group(g *Group) {
	v.groupNames(g)
	if g.TTL != v.stanza.TTL {
		v.ttl(g.Places, g.TTL)
	}
	v.oneOf(g.Places.Of("last_resort"), "last_resort", string(g.LastResort), string(LastResortAll), string(LastResortNone),
		string(LastResortServfail), string(LastResortRefused), string(LastResortNXDomain))
	ids := map[string]*Record{}
	for _, r := range g.Records {
		v.record(g, r)
		v.uniqueID(ids, r)
	}
	if g.Places.Faulty {
		return // what is missing or too much may be what could not be read
	}
	if len(g.Records) == 0 {
		v.fault(g.Places.Own, fmt.Sprintf("group %q has no record", g.first()), "`record ADDRESS,...` or `record TYPE DATA`")
		return
	}
	if g.FamiliesTogether && !slices.ContainsFunc(g.Records, (*Record).hasAddress) {
		v.fault(g.Places.Of("families"), `"families together" in a group without addresses`, "a group with A or AAAA records")
	}
	v.policy(g)
	v.cname(g)
}

func (g *Group) first() string {
	if len(g.Names) == 0 {
		return ""
	}
	return g.Names[0]
}

// groupNames checks that the group has names, each once, and all in the stanza's zones.
func (v *validator) groupNames(g *Group) {
	if len(v.stanza.Zones) == 0 {
		return // reported with the stanza
	}
	if len(g.Names) == 0 && !g.Places.Faulty {
		v.fault(g.Places.Own, "group without a name", "`group NAME... POLICY`")
	}
	seen := map[string]bool{}
	for _, name := range g.Names {
		if canonical, err := CanonicalName(name); err != nil || canonical != name {
			v.fault(g.Places.Own, fmt.Sprintf("name %q is not a normalized domain name", name), "")
			continue
		}
		if v.stanza.ZoneOf(name) == "" {
			v.fault(g.Places.Own, fmt.Sprintf("name %q lies outside of the stanza's zones", name), "a name in "+OneOf(v.stanza.Zones))
		}
		if seen[name] {
			v.fault(g.Places.Own, fmt.Sprintf("name %q is there twice", name), "each name once")
		}
		seen[name] = true
	}
}

// uniqueID checks that no record before has the id; letter case does not count, as people type ids.
func (v *validator) uniqueID(ids map[string]*Record, r *Record) {
	if r.ID == "" || r.Places.Faulty {
		return
	}
	id := strings.ToLower(r.ID)
	if other := ids[id]; other != nil {
		v.fault(r.Places.Of("id"), fmt.Sprintf("id %q is there twice in the group", r.ID),
			fmt.Sprintf("another `id` than that of the record on line %d", other.Places.Own.Line))
		return
	}
	ids[id] = r
}

// policy checks what the group's policy asks of its records.
func (v *validator) policy(g *Group) {
	switch g.Policy {
	case PolicySimple:
		v.simple(g)
	case PolicyWeighted:
		for _, r := range g.Records {
			within(v, r.Places.Of("weight"), "weight", r.Weight, 0, 65535)
		}
	case PolicyFailover:
		v.failover(g)
	case PolicyMultivalue:
		within(v, g.Places.Of("max"), "max", g.Max, 1, 100)
	default:
		v.oneOf(g.Places.Own, "group", string(g.Policy), string(PolicySimple), string(PolicyWeighted), string(PolicyFailover), string(PolicyMultivalue))
	}
}

// simple checks that there is nothing to choose among: at most one record answers a type.
func (v *validator) simple(g *Group) {
	first := map[uint16]*Record{}
	for _, r := range g.Records {
		for _, t := range r.types() {
			if other := first[t]; other != nil {
				v.fault(r.Places.Own, fmt.Sprintf("a second record of type %s in a simple group, after that on line %d", TypeWord(t), other.Places.Own.Line),
					"all values in one record, or policy multivalue or weighted")
				break
			}
		}
		for _, t := range r.types() {
			first[t] = r
		}
	}
}

// failover checks that the roles are given out (T-057).
func (v *validator) failover(g *Group) {
	holders := map[Role]*Record{}
	for _, r := range g.Records {
		switch {
		case r.Role == "":
			v.fault(r.Places.Own, fmt.Sprintf("record %q of a failover group is neither primary nor secondary", r.ID), "`primary` or `secondary`")
		case r.Role != RolePrimary && r.Role != RoleSecondary:
			v.oneOf(r.Places.Own, "role", string(r.Role), string(RolePrimary), string(RoleSecondary))
		case holders[r.Role] != nil:
			v.fault(r.Places.Of(string(r.Role)), fmt.Sprintf("a second %s in the group, after that on line %d", r.Role, holders[r.Role].Places.Own.Line),
				fmt.Sprintf("one %s", r.Role))
		default:
			holders[r.Role] = r
		}
	}
	if holders[RolePrimary] == nil {
		v.fault(g.Places.Own, fmt.Sprintf("failover group %q has no primary", g.first()), "one record with `primary`")
	}
}

// cname checks the places where a CNAME cannot be (RFC 1034, 3.6.2).
func (v *validator) cname(g *Group) {
	i := slices.IndexFunc(g.Records, func(r *Record) bool { return r.has(dns.TypeCNAME) })
	if i < 0 {
		return
	}
	r := g.Records[i]
	if g.Policy == PolicyMultivalue {
		v.fault(r.Places.Own, "a CNAME in a multivalue group: a name has one CNAME at most", "policy weighted or failover")
	}
	for _, name := range g.Names {
		if slices.Contains(v.stanza.Zones, name) {
			v.fault(r.Places.Own, fmt.Sprintf("a CNAME at the zone apex %q, where SOA and NS stand", name), "addresses")
		}
	}
	for _, other := range g.Records {
		for _, value := range other.Values {
			if value.Type != dns.TypeCNAME && !value.IsAddress() {
				v.fault(other.Places.Own, fmt.Sprintf("type %s beside a CNAME in one group", TypeWord(value.Type)), "addresses and CNAMEs only")
				break
			}
		}
		if g.Policy == PolicySimple && other != r && other.hasAddress() {
			v.fault(other.Places.Own, "addresses beside a CNAME in a simple group, which chooses nothing", "policy weighted or failover")
		}
	}
}
