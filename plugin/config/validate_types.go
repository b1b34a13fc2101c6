package config

import (
	"slices"

	"github.com/miekg/dns"
)

// typesOf lists the types that a record can answer: those of its values, and for an alias those of the groups, pool or balancer that it
// leads to. A name that is resolved has addresses.
func (v *validator) typesOf(r *Record) []uint16 {
	switch {
	case r.Alias == nil:
		return r.types()
	case r.Alias.Name != "":
		return []uint16{dns.TypeA, dns.TypeAAAA}
	case r.Alias.isPool():
		types, known := v.typesByAlias[r.Alias]
		if !known {
			types = v.stanza.TypesOf(r.Alias)
			v.typesByAlias[r.Alias] = types
		}
		return types
	}
	var types []uint16
	for _, target := range v.resolve(r.Alias.Group) {
		types = append(types, v.types(target)...)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// types lists the types that the group answers, in order. Where it has records with values they alone say of which kinds
// it is: an alias beside them lends what its target has of these kinds, and not what else stands at the target's name.
func (v *validator) types(g *Group) []uint16 {
	if types, known := v.typesByGroup[g]; known {
		return types
	}
	v.typesByGroup[g] = nil // until it is known, for aliases in a loop
	var types, lent []uint16
	if len(g.Records) == 0 {
		types = []uint16{dns.TypeA, dns.TypeAAAA} // as the table has it
	}
	for _, r := range g.Records {
		if r.Alias == nil {
			types = append(types, r.types()...)
		} else {
			lent = append(lent, v.typesOf(r)...)
		}
	}
	if len(types) > 0 {
		kinds := kindsOf(types)
		lent = slices.DeleteFunc(lent, func(t uint16) bool { return !slices.Contains(kinds, KindOf(t)) })
	}
	types = append(types, lent...)
	slices.Sort(types)
	types = slices.Compact(types)
	v.typesByGroup[g] = types
	return types
}

// answers lists the types that the record adds to its group.
func (v *validator) answers(g *Group, r *Record) []uint16 {
	types := v.types(g)
	return slices.DeleteFunc(slices.Clone(v.typesOf(r)), func(t uint16) bool { return !slices.Contains(types, t) })
}

// owned are the types that the group answers for at its names. One of A, AAAA and CNAME owns all three (design, How a
// query is answered, 5).
func (v *validator) owned(g *Group) []uint16 {
	types := v.types(g)
	if slices.ContainsFunc(types, isAddressKind) {
		types = append(slices.Clone(types), dns.TypeA, dns.TypeAAAA, dns.TypeCNAME)
		slices.Sort(types)
	}
	return slices.Compact(types)
}

func (v *validator) hasCNAME(g *Group) bool { return slices.Contains(v.types(g), dns.TypeCNAME) }

func isAddressKind(t uint16) bool { return KindOf(t) == dns.TypeA }

// KindOf puts together the types that stand for one another: a name with addresses or a CNAME is one kind.
func KindOf(t uint16) uint16 {
	if t == dns.TypeAAAA || t == dns.TypeCNAME {
		return dns.TypeA
	}
	return t
}

// kindsOf lists the kinds of the types, each once.
func kindsOf(types []uint16) []uint16 {
	var kinds []uint16
	for _, t := range types {
		if kind := KindOf(t); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
