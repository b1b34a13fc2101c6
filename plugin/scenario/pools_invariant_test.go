package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// checkPools checks a property of random trees of pools under every preset.
func checkPools(t *testing.T, property func(*rapid.T, *tree) error) {
	for _, preset := range presets() {
		t.Run(string(preset), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				outer := rapid.SampledFrom(config.Policies()).Draw(t, "outer")
				kind := rapid.SampledFrom(aliasKinds()).Draw(t, "kind")
				if err := property(t, drawPoolTree(t, preset, outer, kind)); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// eachSeat goes through the targets of all pools.
func (t *tree) eachSeat(do func(seat)) {
	for _, p := range t.pools {
		for _, target := range p.Targets {
			do(seat{p, target})
		}
	}
}

// TestTargetsThatAreOutAreNeverAnswered looks for addresses of targets that are draining, disabled, deregistered, or in sites that no
// balancer has enabled, through all aliases, fail-open sites and last resorts.
func TestTargetsThatAreOutAreNeverAnswered(t *testing.T) {
	checkPools(t, func(_ *rapid.T, tree *tree) error {
		a, aaaa, err := tree.askBoth()
		if err != nil {
			return err
		}
		in := map[string]bool{} // addresses that anything may answer
		for _, g := range tree.groups {
			for _, r := range g.Records {
				for _, v := range r.Values {
					in[v.Data] = true
				}
			}
		}
		for _, b := range tree.balancers {
			for _, s := range b.Sites {
				for _, address := range s.Addresses {
					in[address.String()] = true
				}
			}
		}
		all := balancing{model: tree.model(), balancer: &config.Balancer{}}
		tree.eachSeat(func(s seat) {
			for _, address := range s.target.Addresses {
				in[address.String()] = in[address.String()] || tree.enables(s) && !takesOut(all.seatAdmin(s))
			}
		})
		for _, answer := range append(a.support(), aaaa.support()...) {
			for value := range strings.SplitSeq(answer, "+") {
				if may, address := in[value]; address && !may {
					return fmt.Errorf("Expected %s never to be answered, got %s\n%s", value, answer, tree.describe())
				}
			}
		}
		return nil
	})
}

// enables reports whether anything that leads to the pool has the target's site enabled.
func (t *tree) enables(s seat) bool {
	for _, g := range t.groups {
		for _, r := range g.Records {
			if r.Alias != nil && r.Alias.Pool == s.pool.Name {
				return true
			}
		}
	}
	return slices.ContainsFunc(t.balancers, func(b *config.Balancer) bool {
		here := func(site *config.Site) bool { return site.Name == s.target.Site }
		return slices.Contains(b.Pools, s.pool.Name) && (len(b.Sites) == 0 || slices.ContainsFunc(b.Sites, here))
	})
}

// standing is what is good of a balancer: it, and its sites.
func (t *tree) standing() (map[string]bool, error) {
	w, err := t.world()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, t.describe())
	}
	defer w.Close()
	out := map[string]bool{}
	for _, g := range w.servers[0].table.Balancers() {
		for _, s := range g.View().Sets() {
			note := func(what string, good bool) {
				key := fmt.Sprintf("%s %s %s", g.Name, dns.Type(s.Type), what)
				before, seen := out[key]
				out[key] = good && (before || !seen)
			}
			note("healthy", s.Balance.Healthy)
			for _, site := range s.Balance.Sites {
				note("site "+site.Site, !site.Bad)
			}
		}
	}
	return out, nil
}

// TestHealthyTargetsDoNoHarm adds a target that works to a pool, in a site and of a family that the pool has there already. No site becomes bad
// through that, which would leave the answer, and no balancer unhealthy to its aliases, whatever the thresholds.
func TestHealthyTargetsDoNoHarm(t *testing.T) {
	checkPools(t, func(t *rapid.T, tree *tree) error {
		var seats []seat
		tree.eachSeat(func(s seat) { seats = append(seats, s) })
		if len(seats) == 0 {
			return nil
		}
		before, err := tree.standing()
		if err != nil {
			return err
		}
		beside := rapid.SampledFrom(seats).Draw(t, "beside")
		added := *beside.target
		added.ID, added.Port, added.Admin, added.Probe = "added", 9999, "", rapid.SampledFrom([]string{"", poolProbe(beside.pool.Name)}).Draw(t, "probe")
		added.Addresses = slices.Clone(added.Addresses)
		for i, a := range added.Addresses {
			added.Addresses[i] = a.Next()
		}
		if added.Probe != "" {
			for _, a := range added.Addresses {
				tree.health[seatKey(seat{beside.pool, &added}, a)] = "healthy"
			}
		}
		beside.pool.Targets = append(slices.Clone(beside.pool.Targets), &added)
		after, err := tree.standing()
		if err != nil {
			return err
		}
		for what, good := range before {
			if good && !after[what] {
				return fmt.Errorf("Expected %s with one more target that works, as without, got it no more\n%s", what, tree.describe())
			}
		}
		return nil
	})
}

// TestOrderOfTargetsIsNothing permutes the targets of pools, the pools and the sites of balancers.
func TestOrderOfTargetsIsNothing(t *testing.T) {
	checkPools(t, func(t *rapid.T, tree *tree) error {
		a, aaaa, err := tree.askBoth()
		if err != nil {
			return err
		}
		before := tree.describe()
		for _, p := range tree.pools {
			if len(p.Targets) > 0 {
				p.Targets = rapid.Permutation(p.Targets).Draw(t, "targets")
			}
		}
		for _, b := range tree.balancers {
			b.Pools = rapid.Permutation(b.Pools).Draw(t, "pools")
			if len(b.Sites) > 0 {
				b.Sites = rapid.Permutation(b.Sites).Draw(t, "sites")
			}
		}
		slices.Reverse(tree.pools)
		slices.Reverse(tree.balancers)
		b, baaa, err := tree.askBoth()
		if err != nil {
			return err
		}
		if a.String() != b.String() || aaaa.String() != baaa.String() {
			return fmt.Errorf("Expected %s and %s in every order, got %s and %s\n%s%s", a, aaaa, b, baaa, before, tree.describe())
		}
		return nil
	})
}

// TestFamiliesOfPoolsAreIndependent changes the health of all IPv6 addresses of targets: A stays, but where something is said that ties the
// families, or targets of the other family alone stand behind a site's address.
func TestFamiliesOfPoolsAreIndependent(t *testing.T) {
	checkPools(t, func(t *rapid.T, tree *tree) error {
		if tree.tied() {
			return nil
		}
		a, _, err := tree.askBoth()
		if err != nil {
			return err
		}
		before := tree.describe()
		tree.eachSeat(func(s seat) {
			for _, address := range s.target.Addresses {
				if key := seatKey(s, address); address.Is6() && tree.health[key] != "" {
					tree.health[key] = rapid.SampledFrom([]string{"healthy", "unhealthy", "checking"}).Draw(t, "health")
				}
			}
		})
		b, _, err := tree.askBoth()
		if err != nil {
			return err
		}
		if a.String() != b.String() {
			return fmt.Errorf("Expected %s whatever IPv6 does, got %s\n%s%s", a, b, before, tree.describe())
		}
		return nil
	})
}

// tied reports whether IPv6 may decide about an answer of A.
func (t *tree) tied() bool {
	if t.preset == tm {
		return true
	}
	for _, g := range t.groups {
		if g.FamiliesTogether || g.MinHealthy.IPv6 > 0 {
			return true
		}
		for _, r := range g.Records {
			if r.Alias != nil && r.Alias.MinHealthy.IPv6 > 0 {
				return true
			}
		}
	}
	for _, b := range t.balancers {
		known := slices.ContainsFunc(t.pools, func(p *config.Pool) bool { return slices.Contains(b.Pools, p.Name) && knows(p, dns.TypeA) })
		if b.HasAddresses() && !known {
			return true
		}
	}
	return false
}

// TestDrawsOfPoolsFollowTheShares holds what clients draw, as the server answers them, against the exact shares.
func TestDrawsOfPoolsFollowTheShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]config.Policy{config.PolicyWeighted, config.PolicyMultivalue, config.PolicyFailover}).Draw(t, "policy")
		tree := drawPoolTree(t, "", policy, rapid.SampledFrom(aliasKinds()).Draw(t, "kind"))
		w, err := tree.world()
		if err != nil {
			t.Fatalf("%v\n%s", err, tree.describe())
		}
		defer w.Close()
		want, err := tree.ask(w, dns.TypeA)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) > 1 {
			tree.expectDraws(t, w, want)
		}
	})
}

// expectDraws asks often for A.
func (t *tree) expectDraws(r *rapid.T, w *World, want dist) {
	const draws = 4000
	n := w.servers[0]
	exact := n.answerer
	defer func() { n.answerer = exact }()
	n.answerer = answer.New(n.table, answer.Options{
		Rand: rand.New(rand.NewPCG(7, 7)), Now: w.clock.Now, Places: func(s *config.Stanza) *locate.Locator { return n.Places[s] },
	})
	counts := map[string]int{}
	for range draws {
		query, _, err := w.query(t.question(dns.TypeA))
		if err != nil {
			r.Fatal(err)
		}
		counts[answered(n.answer(query).Msg, dns.TypeA)]++
	}
	for got, n := range counts {
		if want[got] == nil {
			r.Fatalf("Expected one of %s, got %s\n%s", want, got, t.describe())
		}
		if share, _ := want[got].Float64(); math.Abs(float64(n)/draws-share) > 0.04 {
			r.Fatalf("Expected %s of %s in %d draws, got %d\n%s", want[got].RatString(), got, draws, n, t.describe())
		}
	}
}
