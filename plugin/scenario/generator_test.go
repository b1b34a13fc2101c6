package scenario

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// drawer draws a tree.
type drawer struct {
	*rapid.T
	tree      *tree
	addresses int
}

// drawTree draws a tree whose first group is of the outer policy and leads to one of the inner policy: through an alias, or, where there are
// none, through its last resort.
func drawTree(t *rapid.T, preset config.Preset, outer, inner config.Policy) *tree {
	d := &drawer{t, &tree{preset: preset, health: map[string]string{}, admin: map[string]string{}}, 0}
	d.drawClient(slices.Contains([]config.Policy{outer, inner}, config.PolicySubnet) && preset == tm)
	d.group("www", outer, "inner", true)
	deeper := ""
	if inner != config.PolicyMultivalue && d.once(2) {
		deeper = "third"
	}
	d.group("inner", inner, deeper, deeper != "")
	if deeper != "" {
		d.group(deeper, rapid.SampledFrom(config.Policies()).Draw(t, "third policy"), "", false)
	}
	d.tree.otherTypes = d.once(8)
	return d.tree
}

// once is true once in so many draws.
func (d *drawer) once(in int) bool { return rapid.IntRange(1, in).Draw(d.T, "once") == in }

// group draws a group that may have aliases of the target, or leads to it otherwise; must says that it has to lead there.
func (d *drawer) group(name string, policy config.Policy, target string, must bool) {
	g := &config.Group{Names: []string{name + zone}, Policy: policy, Preset: d.tree.preset}
	g.LastResort = config.LastResort(rapid.SampledFrom([]string{"all", "all", "all", "all", "all", "all", "all", "none", "servfail", "refused", "nxdomain"}).Draw(d.T, "last resort"))
	if target != "" && (policy == config.PolicyMultivalue || d.once(8)) {
		g.LastResort, g.Sorry = config.LastResortAlias, []string{target + zone}
	}
	most := 4
	switch policy {
	case config.PolicySimple:
		most = 1
	case config.PolicyFailover:
		most = 2
	}
	n := min(most, rapid.SampledFrom([]int{3, 1, 2, 3, 4, 4}).Draw(d.T, "records"))
	for i := range n {
		r := &config.Record{ID: fmt.Sprintf("r%d", i)}
		if target != "" && policy != config.PolicyMultivalue && (must && i == 0 || d.once(4)) {
			d.alias(g, r, target)
		} else {
			d.leaf(g, r)
		}
		r.Admin = config.AdminState(rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "", "", "", "", "disabled", "draining"}).Draw(d.T, "corefile admin"))
		word := ""
		if d.once(6) {
			word = rapid.SampledFrom([]string{"disabled", "draining", "always", "enabled"}).Draw(d.T, "admin")
		}
		if r.Alias == nil && r.Admin == "" && r.Probe != "" && d.once(12) {
			word = "stopped"
		}
		if word != "" && (word != "always" || r.Alias == nil) {
			d.tree.admin[objectOf(g, r)] = word
		}
		g.Records = append(g.Records, r)
	}
	d.attributes(g)
	d.options(g)
	d.tree.groups = append(d.tree.groups, g)
}

// alias draws an alias of the target.
func (d *drawer) alias(g *config.Group, r *config.Record, target string) {
	r.Alias = &config.Alias{Group: []string{target + zone}, Evaluate: !d.once(3)}
	if d.once(4) {
		r.Alias.MinHealthy = d.minHealthy(true)
	}
	if d.once(5) {
		d.tree.health[objectOf(g, r)] = d.state()
	}
}

func (d *drawer) state() string {
	states := []string{"healthy", "healthy", "unhealthy", "unhealthy", "checking"}
	return rapid.SampledFrom(states).Draw(d.T, "health")
}

// leaf draws addresses: under traffic_manager of one family.
func (d *drawer) leaf(g *config.Group, r *config.Record) {
	families := rapid.SampledFrom([]int{1, 3, 3, 3, 2}).Draw(d.T, "families")
	if d.tree.preset == tm {
		families = rapid.SampledFrom([]int{1, 1, 2}).Draw(d.T, "family")
	}
	checked := !d.once(6)
	for bit, format := range []string{"192.0.2.%d", "2001:db8::%d"} {
		if families>>bit&1 == 0 {
			continue
		}
		count := 1
		if d.once(4) {
			count = 2
		}
		for range count {
			d.addresses++
			v := config.Value{Type: []uint16{dns.TypeA, dns.TypeAAAA}[bit], Data: fmt.Sprintf(format, d.addresses)}
			r.Values = append(r.Values, v)
			if checked {
				d.tree.health[v.Data] = d.state()
			}
		}
	}
}

// attributes draws what the policy wants of the records.
func (d *drawer) attributes(g *config.Group) {
	places := rapid.Permutation([]string{"AS64500", "US-CA", "US", "DE", "NA", "EU", "*"}).Draw(d.T, "places")
	blocks := rapid.Permutation(d.blocks()).Draw(d.T, "blocks")
	ranks := rapid.Permutation([]int{1, 2, 3, 4}).Draw(d.T, "ranks")
	points := []config.Coordinates{{Lat: 50, Lon: 8}, {Lat: 40, Lon: -74}, {Lat: 1, Lon: 104}}
	if last := len(g.Records) - 1; d.once(2) { // a record for everybody
		places[slices.Index(places, "*")], places[last] = places[last], "*"
		blocks[slices.Index(blocks, "*")], blocks[last] = blocks[last], "*"
	}
	for i, r := range g.Records {
		r.Weight = config.DefaultWeight
		switch g.Policy {
		case config.PolicyWeighted:
			r.Weight = rapid.IntRange(0, 3).Draw(d.T, "weight")
			if d.tree.preset == tm {
				r.Weight = max(r.Weight, 1)
			}
		case config.PolicyFailover:
			r.Role = []config.Role{config.RolePrimary, config.RoleSecondary}[i]
		case config.PolicyPriority:
			r.Priority = ranks[i]
			if d.tree.preset == "" {
				r.Priority = rapid.IntRange(1, 3).Draw(d.T, "priority")
			}
		case config.PolicyGeo:
			readPlaces(r, places[i])
			if i+4 < len(places) && d.once(3) {
				readPlaces(r, places[i+4])
			}
		case config.PolicySubnet:
			if blocks[i] == "*" {
				r.Default = true
			} else {
				r.From = readSources(blocks[i])
			}
		case config.PolicyLatency:
			r.Site = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(d.T, "site")
		case config.PolicyProximity:
			p := rapid.SampledFrom(points).Draw(d.T, "point")
			r.Coordinates, r.Bias = &p, rapid.SampledFrom([]int{0, 0, 50, -50}).Draw(d.T, "bias")
		}
	}
}

// blocks are the ranges of a subnet group; those of traffic_manager must not overlap.
func (d *drawer) blocks() []string {
	if d.tree.preset == tm {
		return []string{"198.51.100.0/26", "198.51.100.64-198.51.100.200", "203.0.113.0/24", "2001:db8:5::/48,198.51.101.0/24", "*"}
	}
	return []string{"198.51.100.0/24", "198.51.100.0/25", "198.51.100.3-198.51.100.90", "198.51.0.0/16", "0.0.0.0/0,2001:db8::/32", "2001:db8:5::/48", "*"}
}

// options draws what stands around the records.
func (d *drawer) options(g *config.Group) {
	aliases := slices.ContainsFunc(g.Records, func(r *config.Record) bool { return r.Alias != nil })
	g.Max = config.DefaultMax
	if d.tree.preset != route53 {
		g.Max = rapid.IntRange(1, 4).Draw(d.T, "max")
	}
	if d.once(4) {
		g.MinHealthy = d.minHealthy(aliases)
		g.MinHealthy.ShowAll = g.MinHealthy.Count > 0 && g.LastResort == config.LastResortAll && d.once(2)
	}
	g.FamiliesTogether = d.tree.preset != tm && d.once(5)
	g.Strict = g.Policy == config.PolicyGeo && d.once(3)
	g.Disabled = d.once(30)
	if d.once(30) {
		d.tree.admin[short(g.Names[0])] = "disabled"
	}
	if d.once(6) {
		use := rapid.SampledFrom(g.Records).Draw(d.T, "use").ID
		g.Overrides = []config.Override{{From: readSources("198.51.100.0/25,2001:db8:5::/48"), Use: use}}
	}
}

// minHealthy draws numbers for a group, or for what an alias leads to; nested says that there may be aliases in it.
func (d *drawer) minHealthy(nested bool) config.MinHealthy {
	switch rapid.IntRange(1, 3).Draw(d.T, "kind of min_healthy") {
	case 1:
		return config.MinHealthy{Count: rapid.IntRange(1, 3).Draw(d.T, "count")}
	case 2:
		return config.MinHealthy{Count: rapid.SampledFrom([]int{30, 50, 100}).Draw(d.T, "percent"), Percent: true}
	}
	return config.MinHealthy{IPv4: rapid.IntRange(0, 2).Draw(d.T, "ipv4"), IPv6: rapid.IntRange(1, 2).Draw(d.T, "ipv6")}
}
