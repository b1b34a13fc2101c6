package scenario

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// aliasKinds are what an alias of pools may be of.
func aliasKinds() []string { return []string{"pool", "balancer", "fronts", "site"} }

// drawPoolTree draws a tree whose first group is of the outer policy and has an alias of the kind, beside aliases of other kinds and records
// with values, and an alias of a group that leads to pools too.
func drawPoolTree(t *rapid.T, preset config.Preset, outer config.Policy, kind string) *tree {
	d := &drawer{t, &tree{preset: preset, health: map[string]string{}, admin: map[string]string{}, ownTargets: map[string]netip.Addr{}}, 0}
	d.drawClient(preset == tm && outer == config.PolicySubnet)
	for range 3 {
		d.pool()
	}
	d.balancer("flat", false)
	d.balancer("front", true)
	if d.tree.preset != "" || d.once(2) {
		d.tree.client.own = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "own site")
	}
	d.groupOfPools("www", outer, kind, outer != config.PolicyMultivalue && d.once(2))
	if len(d.tree.groups) == 1 && d.leads("inner") {
		inner := rapid.SampledFrom(config.Policies()).Draw(t, "inner policy")
		d.groupOfPools("inner", inner, rapid.SampledFrom(aliasKinds()).Draw(t, "inner kind"), false)
	}
	d.prune()
	d.sitesOff()
	return d.tree
}

// prune leaves out what no alias leads to, with its state: the product knows nothing of it.
func (d *drawer) prune() {
	t := d.tree
	balancers, pools := map[string]bool{}, map[string]bool{}
	for _, g := range t.groups {
		for _, r := range g.Records {
			if r.Alias != nil {
				balancers[r.Alias.Balancer], pools[r.Alias.Pool] = true, true
			}
		}
	}
	t.balancers = slices.DeleteFunc(t.balancers, func(b *config.Balancer) bool { return !balancers[b.Name] })
	for _, b := range t.balancers {
		for _, name := range b.Pools {
			pools[name] = true
		}
	}
	t.pools = slices.DeleteFunc(t.pools, func(p *config.Pool) bool { return !pools[p.Name] })
	known := func(probe string) bool {
		return slices.ContainsFunc(t.pools, func(p *config.Pool) bool { return poolProbe(p.Name) == probe }) ||
			slices.ContainsFunc(t.balancers, func(b *config.Balancer) bool {
				return slices.ContainsFunc(b.Sites, func(s *config.Site) bool { return s.Probe == probe })
			})
	}
	maps.DeleteFunc(t.health, func(key, _ string) bool {
		probe, _, ofProbe := strings.Cut(key, "@")
		return ofProbe && !known(probe)
	})
	for _, name := range []string{"app", "api", "six"} {
		maps.DeleteFunc(t.admin, func(object, _ string) bool {
			pool, _, _ := strings.Cut(object, "/")
			return pool == name && !pools[name]
		})
	}
}

// leads reports whether an alias of the first group leads to the other one.
func (d *drawer) leads(name string) bool {
	return slices.ContainsFunc(d.tree.groups[0].Records, func(r *config.Record) bool { return r.Alias != nil && slices.Contains(r.Alias.Group, name+zone) })
}

// pool draws a pool: one or two families, sites, ports, weights, thresholds and what operators said.
func (d *drawer) pool() {
	p := config.DefaultPool([]string{"app", "api", "six"}[len(d.tree.pools)])
	p.DNSFailover.Count = rapid.SampledFrom([]int{1, 1, 0, 2, 3}).Draw(d.T, "dns count")
	p.DNSFailover.Percent = rapid.SampledFrom([]int{0, 0, 30, 50, 60, 100}).Draw(d.T, "dns percent")
	p.FailOpen.Count = rapid.IntRange(1, max(1, p.DNSFailover.Count)).Draw(d.T, "open count")
	p.FailOpen.Percent = rapid.SampledFrom([]int{0, 0, 20, 50, 90}).Draw(d.T, "open percent")
	if p.DNSFailover.Percent != 0 {
		p.FailOpen.Percent = min(p.FailOpen.Percent, p.DNSFailover.Percent)
	}
	p.CrossSite = rapid.SampledFrom([]config.CrossSite{"", "", config.CrossSiteOff, config.CrossSiteOn}).Draw(d.T, "cross site")
	families := rapid.SampledFrom([]int{1, 3, 3, 3, 2}).Draw(d.T, "pool's families")
	for range rapid.SampledFrom([]int{3, 0, 1, 2, 3, 4, 5, 6}).Draw(d.T, "targets") {
		d.target(p, families)
	}
	if d.once(2) {
		p.Drain = 0 // what is deregistered is unused at once
	}
	p.Disabled = d.once(30)
	if word := d.operator(20); word != "" {
		d.tree.admin[p.Name] = word
	}
	d.tree.pools = append(d.tree.pools, p)
}

// operator draws what an operator says once in so many cases.
func (d *drawer) operator(in int) string {
	if !d.once(in) {
		return ""
	}
	return rapid.SampledFrom([]string{"disabled", "draining", "always", "enabled"}).Draw(d.T, "admin")
}

// target draws a target. Its address may be that of a target of another pool, or of this one at another port.
func (d *drawer) target(p *config.Pool, families int) {
	t := &config.Target{ID: fmt.Sprintf("t%d", len(p.Targets)), Weight: rapid.IntRange(0, 3).Draw(d.T, "weight")}
	of := families
	if families == 3 {
		of = rapid.SampledFrom([]int{3, 1, 2}).Draw(d.T, "families")
	}
	number := rapid.IntRange(1, 200).Draw(d.T, "address")
	if d.once(4) {
		number = 1
	}
	for bit, format := range []string{"192.0.2.%d", "2001:db8::%d"} {
		if of>>bit&1 == 1 {
			t.Addresses = append(t.Addresses, netip.MustParseAddr(fmt.Sprintf(format, number)))
		}
	}
	t.Port = uint16(8000 + len(p.Targets)) // so that no address and port stands in the pool twice
	t.Site = rapid.SampledFrom([]string{"a", "b", "b", "a", "c", ""}).Draw(d.T, "site")
	t.Admin = config.AdminState(rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "disabled", "draining", "always"}).Draw(d.T, "corefile admin"))
	p.Targets = append(p.Targets, t)
	if !d.once(6) {
		t.Probe = poolProbe(p.Name)
		for _, a := range t.Addresses {
			d.tree.health[seatKey(seat{p, t}, a)] = d.state()
			if d.once(15) {
				d.tree.health[seatKey(seat{p, t}, a)] = "stopped"
			}
		}
	}
	word := d.operator(8)
	if d.once(8) {
		word = "deregistered"
	}
	if word != "" {
		d.tree.admin[p.Name+"/"+t.ID] = word
	}
}

// balancer draws a balancer of one to three pools. Fronts says that its sites have addresses.
func (d *drawer) balancer(name string, fronts bool) {
	b := &config.Balancer{Name: name}
	for _, p := range d.tree.pools {
		b.Pools = append(b.Pools, p.Name)
	}
	b.Pools = rapid.Permutation(b.Pools).Draw(d.T, "pools")[:rapid.IntRange(1, 3).Draw(d.T, "number of pools")]
	b.CrossSite = rapid.SampledFrom([]config.CrossSite{"", config.CrossSiteOn}).Draw(d.T, "cross site")
	b.Affinity = rapid.SampledFrom([]config.Affinity{config.AffinityAny, config.AffinityFull, config.AffinityPartial}).Draw(d.T, "affinity")
	if fronts || d.once(2) {
		for i, site := range rapid.Permutation([]string{"a", "b", "c"}).Draw(d.T, "sites")[:rapid.IntRange(1, 3).Draw(d.T, "number of sites")] {
			b.Sites = append(b.Sites, d.site(name, site, i, fronts))
		}
	}
	d.tree.balancers = append(d.tree.balancers, b)
}

// site draws a site of a balancer, with a probe of its own now and then.
func (d *drawer) site(balancer, name string, i int, front bool) *config.Site {
	s := &config.Site{Name: name}
	if front {
		families := rapid.SampledFrom([]int{3, 1, 2}).Draw(d.T, "front's families")
		for bit, format := range []string{"203.0.113.%d", "2001:db8:f::%d"} {
			if families>>bit&1 == 1 {
				s.Addresses = append(s.Addresses, netip.MustParseAddr(fmt.Sprintf(format, i+1)))
			}
		}
	}
	if !d.once(3) {
		return s
	}
	s.Probe = "site-" + balancer + "-" + name
	if !front || d.once(2) {
		target := netip.MustParseAddr(fmt.Sprintf("203.0.113.%d", 100+10*len(d.tree.balancers)+i))
		d.tree.ownTargets[s.Probe] = target
		d.tree.health[s.Probe+"@"+target.String()] = d.state()
		return s
	}
	for _, a := range s.Addresses {
		d.tree.health[s.Probe+"@"+a.String()] = d.state()
	}
	return s
}

// groupOfPools draws a group with an alias of the kind, and others beside it where the policy has several records.
func (d *drawer) groupOfPools(name string, policy config.Policy, kind string, deeper bool) {
	g := &config.Group{Names: []string{name + zone}, Policy: policy, Preset: d.tree.preset}
	if policy == config.PolicyMultivalue && g.Preset == route53 {
		g.Preset = "" // which takes no alias there
	}
	g.LastResort = config.LastResort(rapid.SampledFrom([]string{"all", "all", "all", "all", "all", "none", "servfail", "nxdomain"}).Draw(d.T, "last resort"))
	most := 4
	switch policy {
	case config.PolicySimple, config.PolicyMultivalue:
		most = 1
	case config.PolicyFailover:
		most = 2
	}
	for i := range min(most, rapid.SampledFrom([]int{2, 1, 2, 3, 4}).Draw(d.T, "records")) {
		r := &config.Record{ID: fmt.Sprintf("r%d", i)}
		switch {
		case i == 0:
			d.poolAlias(g, r, kind)
		case deeper && i == 1:
			d.alias(g, r, "inner")
		case d.once(2):
			d.poolAlias(g, r, rapid.SampledFrom(aliasKinds()).Draw(d.T, "kind"))
		default:
			d.leaf(g, r)
		}
		r.Admin = config.AdminState(rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "", "", "disabled"}).Draw(d.T, "corefile admin"))
		if word := d.operator(10); word != "" && (word != "always" || r.Alias == nil) {
			d.tree.admin[objectOf(g, r)] = word
		}
		g.Records = append(g.Records, r)
	}
	d.attributes(g)
	for _, r := range g.Records {
		d.reach(g, r)
	}
	d.options(g)
	if policy != config.PolicyMultivalue {
		g.Max = rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(d.T, "max")
	}
	d.tree.groups = append(d.tree.groups, g)
}

// poolAlias draws an alias of a pool or a balancer.
func (d *drawer) poolAlias(g *config.Group, r *config.Record, kind string) {
	r.Alias = &config.Alias{Evaluate: !d.once(4)}
	switch kind {
	case "pool":
		r.Alias.Pool = d.tree.pools[rapid.IntRange(0, 2).Draw(d.T, "pool")].Name
	case "balancer":
		r.Alias.Balancer = "flat"
	case "fronts":
		r.Alias.Balancer = "front"
	case "site":
		b := rapid.SampledFrom(d.tree.balancers).Draw(d.T, "balancer")
		r.Alias.Balancer = b.Name
		r.Site = d.siteOf(b)
	}
	if d.once(4) {
		r.Alias.MinHealthy = d.minHealthy(true)
	}
	if d.once(6) {
		d.tree.health[objectOf(g, r)] = d.state()
	}
}

// siteOf draws one of the balancer's sites; "" if it has none.
func (d *drawer) siteOf(b *config.Balancer) string {
	var names []string
	for _, s := range b.Sites {
		names = append(names, s.Name)
	}
	for _, p := range d.tree.pools {
		for _, t := range p.Targets {
			if len(b.Sites) == 0 && slices.Contains(b.Pools, p.Name) && t.Site != "" {
				names = append(names, t.Site)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return rapid.SampledFrom(names).Draw(d.T, "site of the balancer")
}

// reach makes the site of a balancer's alias the one that it reaches. A latency group wants one.
func (d *drawer) reach(g *config.Group, r *config.Record) {
	if r.Alias == nil || r.Alias.Balancer == "" {
		return
	}
	i := slices.IndexFunc(d.tree.balancers, func(b *config.Balancer) bool { return b.Name == r.Alias.Balancer })
	if g.Policy == config.PolicyLatency {
		if r.Site = d.siteOf(d.tree.balancers[i]); r.Site == "" { // a balancer without a site can be none of its records
			r.Alias.Balancer, r.Site = "", "a"
			r.Alias.Pool = d.tree.pools[0].Name
		}
	}
	if r.Alias.Balancer != "" {
		r.Alias.Site = r.Site
	}
}

// sitesOff draws what operators say of sites: that clients are shifted away, or that all in one is taken out.
func (d *drawer) sitesOff() {
	m := d.tree.model()
	for _, g := range d.tree.groups {
		for _, r := range g.Records {
			x, ok := m.balancing(r, dns.TypeA)
			if !ok || !d.once(4) {
				continue
			}
			if sites := x.enabled(); len(sites) > 0 {
				shift := x.balancer.Name + "/" + rapid.SampledFrom(sites).Draw(d.T, "shifted")
				if !slices.ContainsFunc(d.tree.shifts, func(s string) bool { return strings.HasPrefix(s, x.balancer.Name+"/") }) { // one at a time
					d.tree.shifts = append(d.tree.shifts, shift)
				}
			}
		}
	}
	for _, site := range []string{"a", "b"} {
		if word := d.operator(20); word != "" && slices.ContainsFunc(d.tree.pools, func(p *config.Pool) bool {
			return slices.ContainsFunc(p.Targets, func(t *config.Target) bool { return t.Site == site })
		}) {
			d.tree.admin["site "+site] = word
		}
	}
}
