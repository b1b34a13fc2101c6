package config

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"
)

// owned are the types of a group. One of A, AAAA and CNAME owns all three (design, How a query is answered, 5).
func (g *Group) owned() []uint16 {
	var types []uint16
	for _, r := range g.Records {
		types = append(types, r.types()...)
	}
	if slices.ContainsFunc(types, isAddressKind) {
		types = append(types, dns.TypeA, dns.TypeAAAA, dns.TypeCNAME)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

func isAddressKind(t uint16) bool {
	return t == dns.TypeA || t == dns.TypeAAAA || t == dns.TypeCNAME
}

// owners checks that every name and type has one group, and that a CNAME is alone at its name.
func (v *validator) owners() {
	byName := map[string][]*Group{}
	for _, g := range v.stanza.Groups {
		for _, name := range g.Names {
			for _, other := range byName[name] {
				if other != g {
					v.together(name, other, g)
				}
			}
			byName[name] = append(byName[name], g)
		}
	}
}

// together checks two groups of one name; the second is the later one.
func (v *validator) together(name string, first, second *Group) {
	types := second.owned()
	for _, t := range first.owned() {
		if !slices.Contains(types, t) {
			continue
		}
		word := TypeWord(t)
		if isAddressKind(t) {
			word = "A, AAAA or CNAME"
		}
		v.fault(second.Places.Own, fmt.Sprintf("name %q has a group of type %s on line %d already", name, word, first.Places.Own.Line),
			"one group for each name and type")
		return
	}
	if first.hasCNAME() || second.hasCNAME() {
		v.fault(second.Places.Own, fmt.Sprintf("name %q has another group on line %d, and one of the two has a CNAME", name, first.Places.Own.Line),
			"no other type beside a CNAME (RFC 1034, 3.6.2)")
	}
}

func (g *Group) hasCNAME() bool {
	return slices.ContainsFunc(g.Records, func(r *Record) bool { return r.has(dns.TypeCNAME) })
}
