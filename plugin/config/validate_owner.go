package config

import (
	"fmt"
	"slices"
)

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
	types := v.owned(second)
	for _, t := range v.owned(first) {
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
	if v.hasCNAME(first) || v.hasCNAME(second) {
		v.fault(second.Places.Own, fmt.Sprintf("name %q has another group on line %d, and one of the two has a CNAME", name, first.Places.Own.Line),
			"no other type beside a CNAME (RFC 1034, 3.6.2)")
	}
}
