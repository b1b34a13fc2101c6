package scenario

import (
	"fmt"
	"math"
	"net/netip"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// stickyTree is a group of records by weight, with the clients of one network together.
func stickyTree(policy config.Policy, weights ...int) *tree {
	t := &tree{health: map[string]string{}, admin: map[string]string{}}
	g := &config.Group{Names: []string{"www" + zone}, Policy: policy, LastResort: config.LastResortAll, Max: 1, Sticky: &config.Sticky{IPv4: 24, IPv6: 56}}
	for i, w := range weights {
		address := fmt.Sprintf("192.0.2.%d", i+1)
		r := &config.Record{ID: fmt.Sprintf("r%d", i+1), Weight: w, Site: "a", Values: []config.Value{{Type: dns.TypeA, Data: address}}}
		r.Coordinates = &config.Coordinates{Lat: 1, Lon: 1}
		t.health[address] = "healthy"
		g.Records = append(g.Records, r)
	}
	t.groups = []*config.Group{g}
	return t
}

// network is the n-th network of 24 bits, and host an address in it.
func network(n, host int) netip.Addr {
	return netip.AddrFrom4([4]byte{10 + byte(n>>16), byte(n >> 8), byte(n), byte(host)})
}

// only returns the one answer that the client can get.
func (t *tree) only(w *World, from netip.Addr) (string, error) {
	t.client.network = netip.PrefixFrom(from, from.BitLen())
	d, err := t.ask(w, dns.TypeA)
	if err == nil && len(d) != 1 {
		err = fmt.Errorf("Expected one answer for %s, got %s", from, d)
	}
	if err != nil {
		return "", err
	}
	return d.support()[0], nil
}

// TestStickyMovesOnlyTheClientsOfWhatFails is T-290 for every policy that can be sticky, and T-289: one network, one answer.
func TestStickyMovesOnlyTheClientsOfWhatFails(t *testing.T) {
	for _, policy := range []config.Policy{config.PolicyWeighted, config.PolicyMultivalue, config.PolicyRoundRobin, config.PolicyLatency, config.PolicyProximity} {
		t.Run(string(policy), func(t *testing.T) {
			tree := stickyTree(policy, 1, 1, 1, 1)
			if policy == config.PolicyProximity { // without a place the order of declaration decides
				tree.client = modelClient{network: netip.MustParsePrefix("10.0.0.0/8"), coordinates: &config.Coordinates{Lat: 2, Lon: 2}}
			}
			w, err := tree.world()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			const networks = 300
			var before [networks]string
			for n := range networks {
				for _, host := range []int{7, 9} {
					got, err := tree.only(w, network(n, host))
					if err != nil {
						t.Fatal(err)
					}
					if host == 9 && got != before[n] {
						t.Fatalf("Expected %s for the whole network, got %s", before[n], got)
					}
					before[n] = got
				}
			}
			if err := w.SetHealth("www/r2", "unhealthy"); err != nil {
				t.Fatal(err)
			}
			moved := 0
			for n := range networks {
				after, err := tree.only(w, network(n, 7))
				if err != nil {
					t.Fatal(err)
				}
				if before[n] == "192.0.2.2" {
					moved++
				}
				if after == "192.0.2.2" || before[n] != "192.0.2.2" && after != before[n] {
					t.Fatalf("Expected only the clients of what failed to move, got %s after %s", after, before[n])
				}
			}
			if moved == 0 {
				t.Error("Expected clients of the record that failed, got none")
			}
		})
	}
}

// TestStickySharesFollowWeights is T-291. The networks are always the same, so that the shares are.
func TestStickySharesFollowWeights(t *testing.T) {
	tree := stickyTree(config.PolicyWeighted, 1, 3)
	w, err := tree.world()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const networks = 20_000
	counts := map[string]int{}
	for n := range networks {
		answer, err := tree.only(w, network(n, 7))
		if err != nil {
			t.Fatal(err)
		}
		counts[answer]++
	}
	for answer, want := range map[string]float64{"192.0.2.1": 0.25, "192.0.2.2": 0.75} {
		if got := float64(counts[answer]) / networks; math.Abs(got-want) > 0.02 {
			t.Errorf("Expected a share of %.2f for %s, got %.4f", want, answer, got)
		}
	}
}
