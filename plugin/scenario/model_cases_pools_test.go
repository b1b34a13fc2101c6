package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// poolCase is a numbered case of spec 4.10: how the tree is made whose first group is asked, and the answer. Where several questions
// are asked of one case it is there several times.
type poolCase struct {
	id   string
	tree *tree
	want string
}

// The sites' addresses.
const frontA, frontB = "203.0.113.1", "203.0.113.2"

// addressAt is the n-th address of a site's targets.
func addressAt(site string, n int) string {
	return fmt.Sprintf(map[string]string{"a": "192.0.2.%d", "b": "198.51.100.%d", "c": "203.0.113.1%02d"}[site], n)
}

// some joins the first n addresses of a site.
func some(site string, n int) string {
	var out []string
	for i := range n {
		out = append(out, addressAt(site, i+1))
	}
	return join(out)
}

// fill gives the pool n targets in a site, of which the first ones are healthy.
func (t *tree) fill(p *config.Pool, site string, n, healthy int) {
	for i := range n {
		a := netip.MustParseAddr(addressAt(site, i+1))
		target := &config.Target{ID: a.String(), Addresses: []netip.Addr{a}, Site: site, Weight: 1, Probe: poolProbe(p.Name)}
		p.Targets = append(p.Targets, target)
		t.health[seatKey(seat{p, target}, a)] = map[bool]string{true: "healthy", false: "unhealthy"}[i < healthy]
	}
}

// poolTree is a tree of pools that have nothing yet, of a balancer flat of all of them, and of front, whose sites have addresses.
func poolTree(pools ...string) *tree {
	t := &tree{health: map[string]string{}, admin: map[string]string{}}
	for _, name := range pools {
		t.pools = append(t.pools, config.DefaultPool(name))
	}
	sites := func(addresses ...string) (out []*config.Site) {
		for i, name := range []string{"a", "b"} {
			s := &config.Site{Name: name}
			if addresses != nil {
				s.Addresses = []netip.Addr{netip.MustParseAddr(addresses[i])}
			}
			out = append(out, s)
		}
		return out
	}
	t.balancers = []*config.Balancer{{Name: "flat", Pools: pools, Sites: sites()}, {Name: "front", Pools: pools, Sites: sites(frontA, frontB)}}
	return t
}

// asked makes the first group one with these aliases alone.
func (t *tree) asked(policy config.Policy, aliases ...*config.Alias) *tree {
	g := &config.Group{Names: []string{"www" + zone}, Policy: policy, LastResort: config.LastResortAll}
	var shifts []string
	for i, a := range aliases {
		g.Records = append(g.Records, &config.Record{ID: fmt.Sprintf("r%d", i), Alias: a, Site: a.Site})
		for _, shift := range t.shifts {
			if strings.HasPrefix(shift, a.Balancer+"/") {
				shifts = append(shifts, shift)
			}
		}
	}
	return &tree{groups: []*config.Group{g}, health: t.health, admin: t.admin, client: t.client, pools: t.pools, balancers: t.balancers, shifts: shifts}
}

// countedCases are T-172 to T-197 but the configuration errors: each is asked by the sites' addresses, by the targets, and at each site by
// itself.
func countedCases() (all []poolCase) {
	add := func(id string, t *tree, sites, www, a, b string) {
		for name, q := range map[string]struct {
			alias config.Alias
			want  string
		}{
			"sites": {config.Alias{Balancer: "front"}, sites}, "targets": {config.Alias{Balancer: "flat"}, www},
			"a": {config.Alias{Balancer: "flat", Site: "a"}, a}, "b": {config.Alias{Balancer: "flat", Site: "b"}, b},
		} {
			q.alias.Evaluate = true
			if q.want != "" {
				all = append(all, poolCase{id + " " + name, t.asked(config.PolicySimple, &q.alias), q.want})
			}
		}
	}
	two := func(id string, cross config.CrossSite, failover, open config.Threshold, na, a, b int, sites, usedA, usedB string) {
		t := poolTree("app")
		t.pools[0].DNSFailover, t.pools[0].FailOpen = failover, open
		t.fill(t.pools[0], "a", na, a)
		t.fill(t.pools[0], "b", 10, b)
		for _, x := range t.balancers {
			x.CrossSite = cross
		}
		www := map[string]string{frontA: usedA, frontB: usedB, frontA + "+" + frontB: bothOf(usedA, usedB)}[sites]
		add(id, t, sites, www, usedA, usedB)
	}
	const A, B, AB, on, off = frontA, frontB, frontA + "+" + frontB, config.CrossSiteOn, config.CrossSite("")
	a, b := func(n int) string { return some("a", n) }, func(n int) string { return some("b", n) }
	one, none := config.Threshold{Count: 1}, config.Threshold{}
	share := func(n int) config.Threshold { return config.Threshold{Percent: n} }
	withOne := func(n int) config.Threshold { return config.Threshold{Count: 1, Percent: n} }
	two("T-172", off, one, one, 10, 1, 10, AB, a(1), b(10))
	two("T-173", off, one, one, 10, 0, 5, B, a(10), b(5))
	two("T-174", off, one, one, 10, 0, 0, AB, a(10), b(10))
	two("T-175", off, share(50), withOne(50), 10, 10, 4, A, a(10), b(10))
	both := bothOf(a(10), b(4))
	two("T-176", on, share(50), withOne(50), 10, 10, 4, AB, both, both)
	both = bothOf(a(10), b(10))
	two("T-177", on, share(50), withOne(50), 10, 9, 0, AB, both, both)
	two("T-178", on, share(50), withOne(50), 10, 10, 0, AB, a(10), a(10))
	two("T-179", off, share(50), withOne(50), 10, 5, 10, AB, a(5), b(10))
	two("T-180", off, share(50), withOne(50), 10, 4, 4, AB, a(10), b(10))
	two("T-181", off, config.Threshold{Count: 3, Percent: 10}, one, 10, 2, 10, B, a(2), b(10))
	two("T-182", off, withOne(60), one, 10, 5, 10, B, a(5), b(10))
	two("T-183", off, withOne(60), one, 10, 6, 10, AB, a(6), b(10))
	two("T-184", off, none, one, 10, 0, 10, AB, a(10), b(10))
	two("T-185", off, share(80), withOne(20), 10, 10, 4, A, a(10), b(4))
	two("T-186", off, share(80), withOne(20), 10, 4, 4, AB, a(4), b(4))
	two("T-188", off, share(50), one, 3, 1, 10, B, a(1), b(10))
	two("T-189", off, share(50), one, 3, 2, 10, AB, a(2), b(10))
	two("T-192", off, one, one, 0, 0, 10, B, nodata, b(10))
	two("T-192 off", off, none, one, 0, 0, 10, AB, nodata, b(10))

	for cross, sites := range map[config.CrossSite]string{off: B, on: AB} {
		t := poolTree("app", "api")
		t.fill(t.pools[0], "a", 2, 2)
		t.fill(t.pools[0], "b", 2, 2)
		t.fill(t.pools[1], "a", 3, 0)
		t.fill(t.pools[1], "b", 3, 3)
		for _, x := range t.balancers {
			x.CrossSite = cross
		}
		www := map[string]string{B: b(3), AB: bothOf(a(2), b(3))}[sites]
		add(map[string]string{B: "T-190", AB: "T-191"}[sites], t, sites, www, "", "")
	}
	add("T-193", poolTree("app"), AB, nodata, nodata, nodata)

	t := poolTree("app")
	t.fill(t.pools[0], "a", 10, 10)
	t.fill(t.pools[0], "b", 10, 10)
	t.fill(t.pools[0], "c", 5, 5)
	add("T-194", t, AB, both, a(10), b(10))

	t = poolTree("app")
	t.pools[0].DNSFailover = share(50)
	t.fill(t.pools[0], "a", 10, 4)
	t.fill(t.pools[0], "b", 10, 10)
	for i := range 6 {
		t.admin["app/"+addressAt("a", i+5)] = "deregistered"
	}
	add("T-195", t, AB, bothOf(a(4), b(10)), a(4), b(10))

	for id, healthy := range map[string]int{"T-196": 10, "T-197": 0} {
		t := poolTree("app")
		t.fill(t.pools[0], "a", 10, 10)
		t.fill(t.pools[0], "b", 10, healthy)
		t.shifts = []string{"flat/a", "front/a"}
		add(id, t, B, b(10), nodata, b(10))
	}
	return all
}

// affinityCases are T-198 to T-201.
func affinityCases() (all []poolCase) {
	for _, c := range []struct {
		id, client   string
		affinity     config.Affinity
		a            int // healthy in a
		sites, where string
	}{
		{"T-198", "a", config.AffinityFull, 2, frontA, some("a", 2)},
		{"T-199", "a", config.AffinityFull, 0, frontB, some("b", 2)},
		{"T-200", "a", config.AffinityPartial, 2, "17/20 " + frontA + ", 3/20 " + frontA + "+" + frontB,
			"17/20 " + some("a", 2) + ", 3/20 " + bothOf(some("a", 2), some("b", 2))},
		{"T-201", "", config.AffinityFull, 2, frontA + "+" + frontB, bothOf(some("a", 2), some("b", 2))},
	} {
		t := poolTree("app")
		t.client.own = c.client
		t.fill(t.pools[0], "a", 2, c.a)
		t.fill(t.pools[0], "b", 2, 2)
		for _, x := range t.balancers {
			x.Affinity = c.affinity
		}
		all = append(all, poolCase{c.id + " sites", t.asked(config.PolicySimple, &config.Alias{Balancer: "front", Evaluate: true}), c.sites},
			poolCase{c.id + " targets", t.asked(config.PolicySimple, &config.Alias{Balancer: "flat", Evaluate: true}), c.where})
	}
	return all
}

// aliasCases are T-202 to T-208: a failover whose primary is a balancer of two pools.
func aliasCases() (all []poolCase) {
	const secondary = "203.0.113.99"
	add := func(id string, n1, h1, n2, h2, count int, evaluate bool, state, want string) {
		t := poolTree("p1", "p2")
		t.fill(t.pools[0], "a", n1, h1)
		t.fill(t.pools[1], "b", n2, h2)
		t.pools[0].DNSFailover.Count = count
		t.balancers[1].Sites = t.balancers[1].Sites[:1] // so that a pool stands for itself
		t.balancers[1].Sites[0].Addresses = []netip.Addr{netip.MustParseAddr(frontA)}
		for _, target := range t.pools[1].Targets {
			target.Site = "a"
		}
		t = t.asked(config.PolicyFailover, &config.Alias{Balancer: "front", Evaluate: evaluate})
		t.health[secondary] = state
		g := t.groups[0]
		g.Records[0].Role = config.RolePrimary
		g.Records = append(g.Records, &config.Record{ID: "s", Role: config.RoleSecondary, Probe: "web", Values: []config.Value{{Type: dns.TypeA, Data: secondary}}})
		all = append(all, poolCase{id, t, want})
	}
	add("T-202", 5, 1, 3, 3, 1, true, "healthy", frontA)
	add("T-203", 5, 5, 3, 0, 1, true, "healthy", secondary)
	add("T-204", 0, 0, 0, 0, 1, true, "healthy", secondary)
	add("T-205", 0, 0, 0, 0, 1, true, "unhealthy", frontA)
	add("T-206", 5, 5, 0, 0, 1, true, "healthy", secondary)
	add("T-207", 5, 5, 3, 0, 1, false, "healthy", frontA)
	add("T-208", 5, 2, 3, 3, 3, true, "healthy", secondary)
	return all
}

func poolCases() []poolCase { return slices.Concat(countedCases(), affinityCases(), aliasCases()) }

// TestPoolsModelFollowsTheSpecification holds the model against the numbered cases of pools, and the product against both.
func TestPoolsModelFollowsTheSpecification(t *testing.T) {
	for _, c := range poolCases() {
		t.Run(c.id, func(t *testing.T) {
			want := specCase{want: c.want}.expected().String()
			if got := c.tree.answer(dns.TypeA).String(); got != want {
				t.Fatalf("Expected %s, got %s\n%s", want, got, c.tree.describe())
			}
			if err := c.tree.agrees(); err != nil {
				t.Error(err)
			}
		})
	}
}
