package config

import (
	"fmt"
	"net/netip"
	"slices"
)

// sites checks the sites of a balancer.
func (v *validator) sites(b *Balancer) {
	names, addresses := map[string]*Site{}, map[netip.Addr]*Site{}
	var with, without *Site
	for _, s := range b.Sites {
		if s.Name == "" {
			v.fault(s.Places.Own, "site without a name", "`site NAME`")
		}
		v.siteName(s.Places.Own, s.Name)
		if other := names[s.Name]; other != nil {
			v.fault(s.Places.Own, fmt.Sprintf("site %q is there twice, first on line %d", s.Name, other.Places.Own.Line), "each site once")
		}
		names[s.Name] = s
		v.addresses(s.Places.Of("address"), s.Addresses, "a site", "one address of each family at most")
		for _, a := range s.Addresses {
			if other := addresses[a]; other != nil && other != s {
				v.fault(s.Places.Of("address"), fmt.Sprintf("address %s is that of the site %q on line %d already", a, other.Name, other.Places.Own.Line),
					"another address for each site")
			}
			addresses[a] = s
		}
		switch {
		case s.Places.Faulty:
		case len(s.Addresses) > 0:
			with = s
		default:
			without = s
		}
		v.siteProbe(s)
	}
	if with != nil && without != nil {
		v.fault(without.Places.Own, fmt.Sprintf("site %q has no address, while that on line %d has", without.Name, with.Places.Own.Line),
			"`address ADDRESS` in all sites of the balancer, or in none")
	}
}

// siteProbe checks that a site's probe has something to test: the site's addresses, or a target of its own.
func (v *validator) siteProbe(s *Site) {
	if s.Probe == "" {
		return
	}
	v.used[s.Probe] = true
	at := s.Places.Of("probe")
	p := v.probeNamed(at, s.Probe, true)
	if p == nil || p.IsOne() {
		return
	}
	if len(s.Addresses) == 0 && !s.Places.Faulty {
		v.fault(at, fmt.Sprintf("probe %q has no target, and the site has no address to test", p.Name), "`target HOST` in the probe, or `address ADDRESS` in the site")
		return
	}
	v.nameless(at, p, "a site")
	for _, a := range s.Addresses {
		v.reachable(p, at, "the site's address", a)
	}
}

// enabledSites warns of sites without targets, and of targets in sites that the balancer does not enable (T-194).
func (v *validator) enabledSites(b *Balancer, pools []*Pool) {
	if len(b.Sites) == 0 || slices.ContainsFunc(b.Sites, func(s *Site) bool { return s.Places.Faulty || !isWord(s.Name) }) {
		return
	}
	enabled := func(site string) bool {
		return slices.ContainsFunc(b.Sites, func(s *Site) bool { return s.Name == site })
	}
	filled, told := map[string]bool{}, false
	for _, p := range pools {
		reported := map[string]bool{}
		for _, t := range p.Targets {
			filled[t.Site] = true
			if !enabled(t.Site) && !reported[t.Site] && !t.Places.Faulty {
				reported[t.Site] = true
				v.unusedIn(b, t.Places.Own, fmt.Sprintf("target %q", t.ID), t.Site)
			}
		}
		for _, d := range p.Sources {
			filled[d.Site] = true
			told = told || d.Kind == DiscoverFile // which may tell the sites
			if !enabled(d.Site) && (d.Kind == DiscoverDNS || d.Site != "") {
				v.unusedIn(b, d.Position, "what this source finds", d.Site)
			}
		}
	}
	if told || len(pools) == 0 {
		return
	}
	for _, s := range b.Sites {
		if !filled[s.Name] {
			v.warn(s.Places.Own, fmt.Sprintf("site %q has no target: none of the pools of the balancer %q has one there", s.Name, b.Name))
		}
	}
}

// unusedIn warns of targets that a balancer leaves out.
func (v *validator) unusedIn(b *Balancer, at Position, what, site string) {
	if site == "" {
		v.warn(at, fmt.Sprintf("%s is in no site, and so it is unused in the balancer %q, which has sites", what, b.Name))
		return
	}
	v.warn(at, fmt.Sprintf("%s is unused in the balancer %q, which does not have the site %q", what, b.Name, site))
}

// sitesOf lists the sites that an alias of the balancer may name, and whether that is all of them: files may tell others.
func (s *Stanza) sitesOf(b *Balancer) (names []string, all bool) {
	for _, site := range b.Sites {
		names = append(names, site.Name)
	}
	if len(names) > 0 {
		return names, true
	}
	all = true
	for _, name := range b.Pools {
		p := s.Pool(name)
		if p == nil {
			return nil, false
		}
		for _, t := range p.Targets {
			names = append(names, t.Site)
		}
		for _, d := range p.Sources {
			names = append(names, d.Site)
			all = all && d.Kind != DiscoverFile
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "" }), all
}
