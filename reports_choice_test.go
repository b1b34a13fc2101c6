package healthroute

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coredns/caddy"
	"github.com/miekg/dns"
)

// The tests of this file are the user reports 12 to 17: what is chosen, and for whom.

// TestReport12 is tiers: only the active one answers, to whatever type is asked, also where the zone behind us has all addresses of the name.
func TestReport12(t *testing.T) {
	const all = "\n%s IN A 192.0.2.1\n%[1]s IN A 192.0.2.2\n%[1]s IN A 192.0.2.3\n"
	for name, c := range map[string]struct {
		group string
		want  []string
	}{
		"primary":          {"failover {\nrecord 192.0.2.1 primary\nrecord 192.0.2.2 secondary", []string{"192.0.2.1"}},
		"secondary":        {"failover {\nrecord 192.0.2.1 primary probe dead\nrecord 192.0.2.2 secondary", []string{"192.0.2.2"}},
		"neither":          {"failover {\nrecord 192.0.2.1 primary probe dead\nrecord 192.0.2.2 secondary probe dead", []string{"192.0.2.1"}},
		"first tier":       {"priority {\nrecord 192.0.2.1 priority 1\nrecord 192.0.2.2 priority 2\nrecord 192.0.2.3 priority 1", []string{"192.0.2.1", "192.0.2.3"}},
		"half first tier":  {"priority {\nrecord 192.0.2.1 priority 1 probe dead\nrecord 192.0.2.2 priority 2\nrecord 192.0.2.3 priority 1", []string{"192.0.2.3"}},
		"second tier":      {"priority {\nrecord 192.0.2.1 priority 1 probe dead\nrecord 192.0.2.2 priority 2\nrecord 192.0.2.3 priority 3", []string{"192.0.2.2"}},
		"an alias's group": {"failover {\nalias gone primary\nrecord 192.0.2.2 secondary", []string{"192.0.2.2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, listening("example.org", zoneFile(t, "example.org", zoneText+fmt.Sprintf(all, "tier")),
				stanza(dead, "group tier "+c.group+"\n}", "group gone simple {\nprobe dead\nrecord 192.0.2.3\n}", "group points simple {\nrecord CNAME tier\n}")))
			for range 20 {
				for _, qtype := range []uint16{dns.TypeA, dns.TypeANY} {
					expectData(t, s.ask("tier.example.org.", qtype), slices.Clone(c.want)...)
				}
				expectData(t, s.ask("points.example.org.", dns.TypeA), append([]string{"tier.example.org."}, c.want...)...)
				expectNegative(t, s.ask("tier.example.org.", dns.TypeAAAA), dns.RcodeSuccess, "example.org.", 30)
			}
		})
	}
}

// TestReport13: an answer follows the same state that the checks show, and what a policy lacks (places, a match) is no failure of the server.
func TestReport13(t *testing.T) {
	eachPolicy(t, func(t *testing.T, policy string) {
		up := newBackend(t, "127.0.0.1", "0")
		s := start(t, listening("example.org", stanza("probe web http {\nport "+up.Port+"\ninterval 1h\n}", dead,
			groupOf(policy, "www", "probe web", "127.0.0.1"),
			groupOf(policy, "down", "probe dead", "127.0.0.1"),
			groupOf("simple", "nested", "probe none\nlast_resort alias down", "192.0.2.9 disabled"))))
		if check := "check_healthy{host=www.example.org,probe=web,target=127.0.0.1:" + up.Port + "}"; scrape(t)[check] != 1 {
			t.Fatalf("Expected a healthy check, got: %v", scrape(t)[check])
		}
		for _, from := range []string{"192.0.2.0/24", "2001:db8::/56", "0.0.0.0/0", "255.255.255.255/32"} { // nobody knows where they are
			p := netip.MustParsePrefix(from)
			for _, name := range []string{"www", "down", "nested"} {
				expectData(t, s.ask(name+".example.org.", dns.TypeA, func(m *dns.Msg) {
					withSubnet(m, map[bool]uint16{true: 1, false: 2}[p.Addr().Is4()], uint8(p.Bits()), 0, p.Addr().String())
				}), "127.0.0.1")
			}
		}
	})
	for policy, place := range map[string]string{"geo": "country JP", "subnet": "from 203.0.113.0/24"} { // nothing is for this client
		s := start(t, listening("example.org", stanza("group www "+policy+" {\nrecord 192.0.2.1 "+place+"\n}")))
		expectNegative(t, s.ask("www.example.org.", dns.TypeA), dns.RcodeSuccess, "example.org.", 30)
	}
	for _, faulty := range []string{"group www simple {\n}", "group www simple {\nalias gone\n}", "group www simple {\nlast_resort alias gone\nrecord 192.0.2.1\n}"} {
		expectNothingLeft(t)
		if _, err := caddy.Start(input(listening("example.org", stanza(faulty)))); err == nil {
			t.Errorf("Expected the Corefile to be refused, not its answers, for:\n%s", faulty)
		}
	}
}

// TestReport14 is weights: they hold in the share of answers, so that neither loadbalance nor a resolver between us and the clients undoes them.
func TestReport14(t *testing.T) {
	const weights = "group www *.each weighted {\nttl 300s\nrecord 192.0.2.1 weight 1\nrecord 192.0.2.2 weight 2\nrecord 192.0.2.3 weight 7\n}"
	ours := start(t, listening("example.org", "loadbalance", stanza(weights)))
	resolver := start(t, listening(".", "cache 300", "loadbalance", "forward . "+ours.address("udp")+" {\nprefer_udp\n}"))
	const asked = 4000
	var own, each []*dns.Msg
	for i := range asked {
		own = append(own, question("www.example.org.", dns.TypeA))
		each = append(each, question(fmt.Sprintf("client%d.each.example.org.", i), dns.TypeA))
	}
	expectShares(t, ours.wires(own))
	first := resolver.wires(each) // a name for each, so that the resolver asks us for each
	expectShares(t, first)
	for i, raw := range resolver.wires(each) {
		if want, got := parsed(first[i]).Answer, parsed(raw).Answer; len(got) != 1 || data(got)[0] != data(want)[0] {
			t.Fatalf("Expected the resolver to keep an answer, got %v and %v", want, got)
		}
	}
}

// expectShares is a chi-square test of the weights 1, 2 and 7; it fails by chance once in ten million.
func expectShares(t *testing.T, replies [][]byte) {
	t.Helper()
	counts := map[string]float64{}
	for _, raw := range replies {
		r := parsed(raw)
		if r == nil || len(r.Answer) != 1 {
			t.Fatalf("Expected one record, got:\n%v", r)
		}
		counts[data(r.Answer)[0]]++
	}
	var chi float64
	for address, weight := range map[string]float64{"192.0.2.1": 1, "192.0.2.2": 2, "192.0.2.3": 7} {
		expected := float64(len(replies)) * weight / 10
		chi += (counts[address] - expected) * (counts[address] - expected) / expected
	}
	if chi > 32.2 {
		t.Errorf("Expected shares of 1, 2 and 7, got %v, chi-square %.1f", counts, chi)
	}
}

// TestReport15: no answer for one client is given to another, with cache below us and, in a process of its own, above.
func TestReport15(t *testing.T) {
	u := newUpstream(t)
	s := start(t, listening(".", stanzaOf("example.org", wireStanza), behind(t, u)))
	var clients sync.WaitGroup
	for n := range 8 {
		clients.Go(func() {
			for i := range 50 {
				subnet, want := fmt.Sprintf("198.51.100.%d", n*16+i%16), "192.0.2.3"
				if (n+i)%2 == 0 {
					subnet, want = fmt.Sprintf("203.0.113.%d", n*16+i%16), "192.0.2.4"
				}
				m := question(mixedCase("near.example.org."), dns.TypeA)
				withSubnet(m, 1, 32, 0, subnet)
				r, err := exchange([]string{"udp", "tcp"}[i%2], s.address([]string{"udp", "tcp"}[i%2]), m)
				switch {
				case err != nil:
					t.Errorf("Expected an answer, got: %v", err)
				case len(r.Answer) != 1 || data(r.Answer)[0] != want || r.Answer[0].Header().Name != m.Question[0].Name:
					t.Errorf("Expected %s for %s under the name %s, got:\n%v", want, subnet, m.Question[0].Name, r)
				default:
					if ecs := options[*dns.EDNS0_SUBNET](t, r); len(ecs) != 1 || !ecs[0].Address.Equal(net.ParseIP(subnet)) {
						t.Errorf("Expected the client's own subnet %s, got %v", subnet, ecs)
					}
				}
				if i%10 == 0 {
					if r, err := exchange("udp", s.address("udp"), question("plain.example.org.", dns.TypeA)); err != nil || r.IsEdns0() != nil || len(r.Answer) != 1 {
						t.Errorf("Expected the neighbour's record alone, got: %v\n%v", err, r)
					}
				}
			}
		})
	}
	clients.Wait()
}

// TestReport15CacheAbove runs TestReport15 with cache above us.
func TestReport15CacheAbove(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^TestReport15$", "-test.v")
	child.Env = append(os.Environ(), belowCacheVariable+"=1")
	if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestReport15 ") {
		t.Errorf("Expected the test to pass below cache, got: %v\n%s", err, out)
	}
}

// TestReport16 is the scope of a client subnet: 0 where the client did not matter, else the bits that did, whatever was sent.
func TestReport16(t *testing.T) {
	places := write(t, "places", []byte("198.48.0.0/12 country=JP coordinates=0,90 ms:b=1 ms:a=9 site=b\n198.51.100.0/22 country=CN\n"))
	client := map[string]int{"geo": 12, "subnet": 24, "proximity": 12, "latency": 12} // the others do not look at the client
	eachPolicy(t, func(t *testing.T, policy string) {
		own := []string{"locations " + places, dead, "nameserver ns1", "group ns1 simple {\nrecord 192.0.2.53\n}",
			groupOf(policy, "www", "", "192.0.2.1"), groupOf(policy, "down", "probe dead\nlast_resort none", "192.0.2.1")}
		if policy != "simple" {
			own = append(own, groupOf(policy, "two", "", "192.0.2.1", "192.0.2.2"))
		}
		s := start(t, listening("example.org", stanza(own...)))
		ask := func(name string, qtype uint16, prefix string) *dns.Msg {
			p := netip.MustParsePrefix(prefix)
			return s.ask(name, qtype, func(m *dns.Msg) { withSubnet(m, 1, uint8(p.Bits()), 0, p.Addr().String()) })
		}
		for _, prefix := range []string{"0.0.0.0/0", "198.51.0.0/16", "198.51.100.0/24", "198.51.100.7/32"} {
			for _, name := range []string{"gone", "ns1", ""} { // nobody there, and what is not chosen
				expectScope(t, ask(strings.TrimPrefix(name+".example.org.", "."), dns.TypeA, prefix), 0)
			}
			expectScope(t, ask("www.example.org.", dns.TypeMX, prefix), 0)
			expectScope(t, ask("www.example.org.", dns.TypeAAAA, prefix), 0)
			if client[policy] == 0 {
				expectScope(t, ask("www.example.org.", dns.TypeA, prefix), 0)
				expectScope(t, ask("down.example.org.", dns.TypeA, prefix), 0)
			}
			if policy != "simple" {
				want := client[policy]
				if prefix == "0.0.0.0/0" { // the asker decides, not the option
					want = 0
				}
				if got := options[*dns.EDNS0_SUBNET](t, ask("two.example.org.", dns.TypeA, prefix)); len(got) != 1 || want == 0 && got[0].SourceScope != 0 ||
					want > 0 && (got[0].SourceScope == 0 || int(got[0].SourceScope) > 24) {
					t.Errorf("Expected a scope that is 0 or of a rule's prefix, got %v for %s", got, prefix)
				}
			}
		}
	})
	// A rule of 12 bits, asked with more and with fewer.
	s := start(t, listening("example.org", stanza("group www subnet {\nrecord 192.0.2.1 from 198.48.0.0/12\nrecord 192.0.2.2 default\n}")))
	for prefix, want := range map[string]string{"198.51.100.0/24": "192.0.2.1", "198.48.0.0/12": "192.0.2.1"} {
		r := s.askFrom(prefix)
		expectData(t, r, want)
		expectScope(t, r, 12)
	}
}

// TestReport17: servers of the same configuration and state choose the same for a client, whichever of them is asked, and whatever site is lost.
func TestReport17(t *testing.T) {
	for _, policy := range slices.Sorted(maps.Keys(policies)) {
		sticky := ""
		switch policy {
		case "weighted", "multivalue", "roundrobin":
			sticky = "sticky" // without it each answer is a draw
			if policy == "multivalue" {
				sticky += "\nmax 1"
			}
		case "simple":
			continue // TestReport7
		}
		t.Run(policy, func(t *testing.T) {
			addresses := []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"}[:len(policies[policy])]
			for lost := range len(addresses) + 1 {
				sites := slices.Clone(addresses)
				if lost < len(sites) {
					sites[lost] += " probe dead"
				}
				corefile := listening("example.org", stanza(dead, groupOf(policy, "www", sticky, sites...)))
				servers := []*server{start(t, corefile), start(t, corefile), start(t, corefile)}
				for client := range 40 {
					prefix := fmt.Sprintf("198.51.%d.0/24", client)
					var answers []string
					for _, s := range servers {
						answers = append(answers, strings.Join(data(s.askFrom(prefix).Answer), " "))
					}
					if answers[0] == "" || answers[1] != answers[0] || answers[2] != answers[0] {
						t.Fatalf("Expected one answer of three servers for %s with %d lost, got %q", prefix, lost, answers)
					}
					if lost == 0 && (policy == "geo" || policy == "subnet") {
						continue // no other record is for this client: its last resort
					}
					if lost < len(sites) && strings.Contains(answers[0], strings.Fields(sites[lost])[0]) {
						t.Fatalf("Expected no answer with what is lost, got %q", answers)
					}
				}
			}
		})
	}
}
