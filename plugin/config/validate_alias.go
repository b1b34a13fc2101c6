package config

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"
)

// resolve returns the groups that an alias of these names leads to: those of the first name. alias and sorry report when
// the other names lead elsewhere.
func (v *validator) resolve(names []string) []*Group {
	if len(names) == 0 {
		return nil
	}
	return v.groupsByName[names[0]]
}

// alias checks where an alias leads to, and what stands on it.
func (v *validator) alias(g *Group, r *Record) {
	if len(r.Values) > 0 {
		v.fault(r.Places.Own, "an alias with values", "one of them")
	}
	if r.Admin == Always {
		v.fault(r.Places.Of("always"), `"always" in an alias: its health comes from its target (spec 4.11, T-231)`, "`evaluate off`")
	}
	v.minHealthy(r.Places, r.Alias.MinHealthy)
	if g.Policy == PolicyMultivalue {
		v.inMultivalue(g, r)
	}
	if r.Alias.Name != "" {
		if canonical, err := CanonicalName(r.Alias.Name); err != nil || canonical != r.Alias.Name || !isHostName(r.Alias.Name) {
			v.fault(r.Places.Own, fmt.Sprintf("%q of \"alias name\" is not a host name", r.Alias.Name), "`alias name HOST`")
		}
		return
	}
	switch {
	case r.Alias.isPool():
		if !v.poolAlias(r) {
			return
		}
	case !v.leads(r.Places.Own, "alias", g, r.Alias.Group):
		return
	default:
		v.attainable(r.Places, r.Alias.MinHealthy, v.resolve(r.Alias.Group))
	}
	if types, others := v.typesOf(r), v.typesBeside(g); len(types) > 0 && len(others) > 0 && !share(types, others) {
		expected := "a group of " + OneOf(typeWords(others))
		if r.Alias.isPool() {
			expected = "addresses beside it, as it has no others than " + OneOf(typeWords(types))
		}
		v.fault(r.Places.Own, fmt.Sprintf("alias %s has no type in common with the other records of the group", r.Alias.target()), expected)
	}
}

// leads checks that names of an alias or of a last resort in the group g lead to other groups, in each zone to the same.
func (v *validator) leads(at Position, what string, g *Group, names []string) bool {
	if len(names) == 0 {
		return false // reported with the zones or with the name
	}
	first := v.groupsByName[names[0]]
	for _, name := range names {
		groups := v.groupsByName[name]
		switch {
		case len(groups) == 0 && v.unreadable():
			return false
		case len(groups) == 0:
			v.dangling(at, what, name)
			return false
		case slices.Contains(groups, g):
			v.fault(at, fmt.Sprintf("%s %q leads to its own group", what, name), "another group")
			return false
		case !slices.Equal(groups, first):
			v.fault(at, fmt.Sprintf("%s leads to different groups: %q is not a name of the group %q", what, names[0], name),
				"a whole name with its dot, or groups that have the name in each zone")
			return false
		}
	}
	return true
}

// unreadable reports whether there is a group whose name could not be read, so that nobody knows what is missing.
func (v *validator) unreadable() bool {
	return slices.ContainsFunc(v.stanza.Groups, func(g *Group) bool { return g.Places.Faulty && len(g.Names) == 0 })
}

func (v *validator) dangling(at Position, what, name string) {
	zone := v.stanza.ZoneOf(name)
	seen := map[string]bool{}
	var words []string
	for _, g := range v.stanza.Groups {
		for _, n := range g.Names {
			word := n
			if zone != "" && IsBelow(n, zone) {
				word = RelativeName(n, zone)
			}
			if !seen[word] {
				seen[word] = true
				words = append(words, word)
			}
		}
	}
	token := name
	if zone != "" {
		token = RelativeName(name, zone)
	}
	v.report(Problem{Position: at, Message: fmt.Sprintf("%s %q names no group", what, name), Expected: "a group of the stanza",
		Nearest: Nearest(token, words)})
}

// typesBeside lists the types of which an alias of the group must have a kind (T-089): those of the records with values;
// where there are only aliases, those of the first one that has any.
func (v *validator) typesBeside(g *Group) []uint16 {
	if g.Places.Faulty {
		return nil
	}
	if slices.ContainsFunc(g.Records, func(r *Record) bool { return r.Alias == nil }) {
		return v.types(g)
	}
	for _, r := range g.Records {
		if types := v.typesOf(r); len(types) > 0 {
			return types
		}
	}
	return nil
}

// share reports whether two lists of types have a kind in common.
func share(a, b []uint16) bool {
	kinds := kindsOf(b)
	return slices.ContainsFunc(a, func(t uint16) bool { return slices.Contains(kinds, KindOf(t)) })
}

func typeWords(types []uint16) []string {
	var words []string
	for _, t := range types {
		words = append(words, TypeWord(t))
	}
	return words
}

// sorry checks the group that answers as a last resort.
func (v *validator) sorry(g *Group) {
	at := g.Places.Of("last_resort")
	if (g.LastResort == LastResortAlias) != (len(g.Sorry) > 0) {
		if !g.Places.Faulty && len(v.stanza.Zones) > 0 {
			v.fault(at, "last_resort alias and the name of a group go together", "`last_resort alias NAME`")
		}
		return
	}
	if len(g.Sorry) == 0 || !v.leads(at, "last_resort alias", g, g.Sorry) {
		return
	}
	var types []uint16
	for _, target := range v.resolve(g.Sorry) {
		types = append(types, v.types(target)...)
	}
	if ours := v.types(g); len(types) > 0 && len(ours) > 0 && !share(types, ours) {
		v.fault(at, fmt.Sprintf("last_resort alias %q has no type in common with the group", g.Sorry[0]), "a group of "+OneOf(typeWords(ours)))
	}
}

// hasAddress reports whether the group can answer with an address.
func (v *validator) hasAddress(g *Group) bool {
	return slices.ContainsFunc(v.types(g), func(t uint16) bool { return t == dns.TypeA || t == dns.TypeAAAA })
}
