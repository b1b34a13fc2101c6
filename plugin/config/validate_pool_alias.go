package config

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"
)

// kind names what an alias leads to.
func (a *Alias) kind() string {
	switch {
	case a.Name != "":
		return "name"
	case a.Pool != "":
		return "pool"
	case a.Balancer != "":
		return "balancer"
	}
	return "group"
}

// isPool reports whether the alias is one of a pool or a balancer.
func (a *Alias) isPool() bool { return a.Pool != "" || a.Balancer != "" }

// target is what the alias leads to, in words.
func (a *Alias) target() string {
	switch {
	case a.Name != "":
		return fmt.Sprintf("name %q", a.Name)
	case a.isPool():
		return fmt.Sprintf("%s %q", a.kind(), a.Pool+a.Balancer)
	case len(a.Group) > 0:
		return fmt.Sprintf("%q", a.Group[0])
	}
	return a.kind()
}

// inMultivalue checks an alias in a multivalue group (spec 4.6, T-091). Only a pool or a balancer may be there, and alone, because
// its targets are what the group chooses among.
func (v *validator) inMultivalue(g *Group, r *Record) {
	switch {
	case !r.Alias.isPool():
		v.fault(r.Places.Own, "an alias in a multivalue group", "records with values, or another policy (spec 4.6, T-091)")
	case g.Preset == PresetRoute53:
		v.asked(r.Places.Own, g.Preset, "an alias in a multivalue group", "records with values, or another policy (spec 4.6, T-091)")
	case len(g.Records) > 1 && !g.Places.Faulty:
		v.fault(r.Places.Own, fmt.Sprintf("alias %s beside other records in a multivalue group", r.Alias.target()),
			"it alone, for its targets are what the group chooses among; or another policy")
	}
}

// poolAlias checks where an alias of a pool or a balancer leads to. It reports whether there is such a thing.
func (v *validator) poolAlias(r *Record) bool {
	a, at := r.Alias, r.Places.Own
	if a.Pool != "" {
		if v.stanza.Pool(a.Pool) != nil {
			return true
		}
		if v.stanza.Balancer(a.Pool) != nil {
			v.fault(at, fmt.Sprintf("alias pool %q: that is a balancer", a.Pool), fmt.Sprintf("`alias balancer %s`", a.Pool))
			return false
		}
		v.noPool(at, fmt.Sprintf("alias pool %q", a.Pool), a.Pool)
		return false
	}
	b := v.stanza.Balancer(a.Balancer)
	switch {
	case b != nil:
		v.siteOfAlias(r, b)
		return true
	case v.stanza.Pool(a.Balancer) != nil:
		v.fault(at, fmt.Sprintf("alias balancer %q: that is a pool", a.Balancer), fmt.Sprintf("`alias pool %s`", a.Balancer))
	default:
		var names []string
		for _, b := range v.stanza.Balancers {
			names = append(names, b.Name)
		}
		v.report(Problem{Position: at, Message: fmt.Sprintf("alias balancer %q: there is no such balancer", a.Balancer),
			Expected: "a balancer of the stanza", Nearest: Nearest(a.Balancer, names)})
	}
	return false
}

// siteOfAlias checks the one site of a balancer that an alias stands for.
func (v *validator) siteOfAlias(r *Record, b *Balancer) {
	site := r.Alias.Site
	names, all := v.stanza.sitesOf(b)
	if site == "" || !isWord(site) || b.Places.Faulty || !all || slices.Contains(names, site) {
		return
	}
	expected := OneOf(names)
	if len(names) == 0 {
		expected = "no `site`: its targets are in none"
	}
	v.report(Problem{Position: r.Places.Of("site"), Message: fmt.Sprintf("balancer %q has no site %q", b.Name, site), Expected: expected, Nearest: Nearest(site, names)})
}

// TypesOf lists the types that an alias of a pool or a balancer can answer: A, AAAA or both, in this order; none if there is no such.
// Where there is no target yet it is both, so that the names are owned all the same.
func (s *Stanza) TypesOf(a *Alias) []uint16 {
	b := s.BalancerOf(a)
	if b == nil {
		return nil
	}
	counts := func(site string) bool {
		if a.Site != "" {
			return site == a.Site
		}
		return len(b.Sites) == 0 || slices.ContainsFunc(b.Sites, func(enabled *Site) bool { return enabled.Name == site })
	}
	var types []uint16
	switch {
	case b.HasAddresses():
		for _, site := range b.Sites {
			if counts(site.Name) {
				types = append(types, familiesOf(site.Addresses)...)
			}
		}
	default:
		for _, name := range b.Pools {
			if p := s.Pool(name); p != nil {
				types = append(types, p.families(counts)...)
			}
		}
		if len(types) == 0 {
			types = []uint16{dns.TypeA, dns.TypeAAAA}
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// maxOfPool checks `max` in a group whose policy has no number of its own: it limits what an alias of a pool or a balancer answers.
func (v *validator) maxOfPool(g *Group) {
	at := g.Places.Of("max")
	switch {
	case g.Max == 0 && !g.Places.Has("max"):
	case g.Policy == PolicyWeighted:
		v.fault(at, `"max" in a weighted group, which answers with one`, "none, or another policy")
	case !slices.ContainsFunc(g.Records, func(r *Record) bool { return r.Alias != nil && r.Alias.isPool() }):
		v.fault(at, fmt.Sprintf("\"max\" in a %s group without an alias of a pool or a balancer", g.Policy), "policy multivalue, or `alias pool NAME`")
	default:
		low, high := PresetNone.maxRange()
		within(v, at, "max", g.Max, low, high)
	}
}
