package healthroute

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// The tests of this file and of cname_test.go and wildcard_test.go are the user reports 1 to 11, each as its whole kind.

// TestReport1 is types that a name lacks: NODATA with the zone's one SOA, whoever stands behind us; NXDOMAIN only where
// nobody has the name or a name below it.
func TestReport1(t *testing.T) {
	for behind, lines := range map[string][]string{
		"file":       {zoneFile(t, "example.org", zoneText)},
		"nameserver": {},
		"nobody":     {},
		"template":   {"template ANY ANY {\nrcode SERVFAIL\n}"},
	} {
		t.Run(behind, func(t *testing.T) {
			eachPolicy(t, func(t *testing.T, policy string) {
				own := []string{groupOf(policy, "www", "ttl 10s", "192.0.2.1"), groupOf(policy, "a.below", "", "192.0.2.1")}
				if behind == "nameserver" {
					own = append(own, "nameserver ns1 192.0.2.53")
				}
				s := start(t, listening("example.org", append(lines, stanza(own...))...))
				expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.1")
				for _, qtype := range []uint16{dns.TypeAAAA, dns.TypeMX, dns.TypeTXT, dns.TypeHTTPS, dns.TypeCNAME, 65280} {
					// The file's own NODATA would be as good, but it has no such name.
					r := s.ask("www.example.org.", qtype)
					expectNegative(t, r, dns.RcodeSuccess, "example.org.", 10)
					if soa := r.Ns[0].(*dns.SOA); (soa.Serial == 7) != (behind == "file") {
						t.Errorf("Expected the SOA of whoever has one, got: %v", soa)
					}
				}
				for _, qtype := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeTXT} {
					expectNegative(t, s.ask("below.example.org.", qtype), dns.RcodeSuccess, "example.org.", 30)
				}
				expectMissing(t, s, behind)
			})
		})
	}
}

// expectMissing asks for a name that nobody has.
func expectMissing(t *testing.T, s *server, behind string) {
	t.Helper()
	r := s.ask("gone.example.org.", dns.TypeA)
	switch behind {
	case "file":
		expectNegative(t, r, dns.RcodeNameError, "example.org.", 3600) // the file's own
	case "nameserver":
		expectNegative(t, r, dns.RcodeNameError, "example.org.", 30)
	case "nobody":
		if r.Rcode != dns.RcodeRefused {
			t.Errorf("Expected REFUSED for what nobody serves, got:\n%v", r)
		}
	}
}

// TestReport2 is the AA flag: on every answer that we make, and on nobody else's.
func TestReport2(t *testing.T) {
	u := newUpstream(t)
	eachPolicy(t, func(t *testing.T, policy string) {
		s := start(t, listening(".", "forward . "+u.Address, stanzaOf("example.org", "nameserver ns1 192.0.2.53", dead,
			groupOf(policy, "www", "", "192.0.2.1"), groupOf(policy, "@", "", "192.0.2.2"), groupOf(policy, "a.below", "", "192.0.2.2"),
			groupOf(policy, "down", "probe dead\nlast_resort none", "192.0.2.1"), "group alias simple {\nrecord CNAME www\n}"),
			stanzaOf("example.com", "group www simple {\nrecord 192.0.2.1\n}")))
		for _, q := range []string{
			"www.example.org. A", "www.example.org. AAAA", "www.example.org. ANY", "www.example.org. CNAME", "example.org. A",
			"example.org. SOA", "example.org. NS",
			"down.example.org. A", "alias.example.org. A", "alias.example.org. CNAME", "ns1.example.org. A",
		} {
			owner, word, _ := strings.Cut(q, " ")
			if r := s.ask(owner, dns.StringToType[word]); !r.Authoritative || r.RecursionAvailable {
				t.Errorf("Expected AA and no RA for %s, got:\n%v", q, r)
			}
		}
		// The upstream server has every name but those below gone.
		if r := s.ask("gone.example.org.", dns.TypeA); !r.Authoritative || r.Rcode != dns.RcodeNameError {
			t.Errorf("Expected our NXDOMAIN with AA, got:\n%v", r)
		}
		for _, name := range []string{"www.example.net.", "their.example.com.", "their.example.org."} {
			if r := s.ask(name, dns.TypeA); r.Authoritative || len(r.Answer) != 1 {
				t.Errorf("Expected a forwarded answer without AA for %s, got:\n%v", name, r)
			}
		}
	})
}

// TestReport4 is groups in which nothing works: what the last resort says, and what else the name has stays.
func TestReport4(t *testing.T) {
	for resort, want := range map[string]int{
		"all": dns.RcodeSuccess, "none": dns.RcodeSuccess, "servfail": dns.RcodeServerFailure,
		"refused": dns.RcodeRefused, "nxdomain": dns.RcodeNameError,
	} {
		t.Run(resort, func(t *testing.T) {
			eachPolicy(t, func(t *testing.T, policy string) {
				options := "ttl 7s\nprobe dead\nlast_resort " + resort
				s := start(t, listening("example.org", zoneFile(t, "example.org", zoneText), stanza(dead,
					groupOf(policy, "www", options, "192.0.2.1"), groupOf(policy, "dead", options, "192.0.2.1"),
					groupOf(policy, "upper", options, "192.0.2.1"), groupOf(policy, "low.upper", "", "192.0.2.1"),
					groupOf(policy, "@", options, "192.0.2.1"))))
				r := s.ask("www.example.org.", dns.TypeA)
				switch resort {
				case "all":
					expectData(t, r, "192.0.2.1")
				case "servfail", "refused":
					if r.Rcode != want || len(r.Answer)+len(r.Ns) != 0 {
						t.Errorf("Expected %s alone, got:\n%v", dns.RcodeToString[want], r)
					}
				default:
					expectNegative(t, r, want, "example.org.", 7)
				}
				// The other family was never there; other types do not die with the addresses.
				expectNegative(t, s.ask("www.example.org.", dns.TypeAAAA), dns.RcodeSuccess, "example.org.", 7)
				expectData(t, s.ask("dead.example.org.", dns.TypeTXT), `"still there"`)
				if resort == "none" || resort == "nxdomain" { // more stands at the name, below it, or it is the apex
					for _, name := range []string{"dead.example.org.", "upper.example.org.", "example.org."} {
						expectNegative(t, s.ask(name, dns.TypeA), dns.RcodeSuccess, "example.org.", 7)
					}
				}
			})
		})
	}
}

// TestLastResortAtApex: the apex always has its SOA, also where nobody stands behind us.
func TestLastResortAtApex(t *testing.T) {
	for _, other := range []string{"other_types next", "other_types nodata", "nameserver ns1 192.0.2.53"} {
		s := start(t, listening("example.org", stanza(other, dead, groupOf("simple", "@", "probe dead\nlast_resort nxdomain", "192.0.2.1"))))
		expectNegative(t, s.ask("example.org.", dns.TypeA), dns.RcodeSuccess, "example.org.", 30)
	}
}

// TestReport5 is whose SOA a negative answer shows: that of the zone in which the name lies.
func TestReport5(t *testing.T) {
	const inner, outer = "inner.example.org", "example.org"
	files := func() string {
		return zoneFile(t, outer, zoneText) + "\n" + zoneFile(t, inner, innerZoneText)
	}
	names := func(policy string) string {
		return groupOf(policy, "www", "", "192.0.2.1")
	}
	eachPolicy(t, func(t *testing.T, policy string) {
		for name, corefile := range map[string]string{
			"one stanza":               listening(outer+" "+inner, files(), stanza(names(policy))),
			"one stanza, nobody":       listening(outer+" "+inner, stanza(names(policy))),
			"one stanza, nameserver":   listening(outer+" "+inner, stanza("nameserver ns1.example.org. 192.0.2.53", names(policy))),
			"two stanzas":              listening(outer, files(), stanzaOf(outer, names(policy)), stanzaOf(inner, names(policy))),
			"two stanzas, other order": listening(outer, files(), stanzaOf(inner, names(policy)), stanzaOf(outer, names(policy))),
			"two blocks":               listening(outer, files(), stanza(names(policy))) + listening(inner, files(), stanza(names(policy))),
		} {
			t.Run(name, func(t *testing.T) {
				s := start(t, corefile)
				for _, zone := range []string{outer + ".", inner + "."} {
					expectData(t, s.ask("www."+zone, dns.TypeA), "192.0.2.1")
					expectNegative(t, s.ask("www."+zone, dns.TypeAAAA), dns.RcodeSuccess, zone, 30)
					expectNegative(t, s.ask("WWW."+zone, dns.TypeTXT), dns.RcodeSuccess, zone, 30)
				}
			})
		}
	})
}

// TestReport7: servers of the same configuration and state answer alike.
func TestReport7(t *testing.T) {
	eachPolicy(t, func(t *testing.T, policy string) {
		addresses := []string{"192.0.2.3", "192.0.2.1 probe dead"}
		if policy == "simple" {
			addresses = addresses[:1]
		}
		corefile := listening("example.org", stanza(dead, "nameserver ns1 192.0.2.53", groupOf(policy, "www", "", addresses...)))
		one, other := start(t, corefile), start(t, corefile)
		for _, q := range []string{"www.example.org. A", "www.example.org. AAAA", "gone.example.org. A", "example.org. SOA", "www.example.org. ANY"} {
			owner, word, _ := strings.Cut(q, " ")
			m := question(owner, dns.StringToType[word])
			for range 20 {
				if a, b := unpacked(one.wire("udp", m)), unpacked(other.wire("udp", m)); a != b {
					t.Fatalf("Expected equal answers for %s, got:\n%s\nand:\n%s", q, a, b)
				}
			}
		}
		expectData(t, one.ask("www.example.org.", dns.TypeA), "192.0.2.3")
	})
}

// TestReport9: ANY answers one RRset that the group has chosen (RFC 8482 section 4.1).
func TestReport9(t *testing.T) {
	eachPolicy(t, func(t *testing.T, policy string) {
		addresses, six := []string{"192.0.2.1,2001:db8::1", "192.0.2.2,2001:db8::2"}, []string{"2001:db8::9", "2001:db8::3 probe dead"}
		if policy == "simple" {
			six = six[:1]
		}
		own := stanza("nameserver ns1 192.0.2.53", dead, groupOf(policy, "www", "", addresses...), groupOf(policy, "@", "", addresses...),
			groupOf(policy, "six", "", six...),
			groupOf(policy, "*.wild", "", addresses...), "group text simple {\nrecord TXT hello\n}", "group alias simple {\nrecord CNAME www\n}")
		s := start(t, listening("example.org", own))
		for _, name := range []string{"www", "", "six", "x.wild", "text", "alias"} {
			name = strings.TrimPrefix(name+".example.org.", ".")
			for range 20 {
				r := s.ask(name, dns.TypeANY)
				if r.Rcode != dns.RcodeSuccess || len(r.Answer) == 0 {
					t.Fatalf("Expected data for ANY at %s, got:\n%v", name, r)
				}
				for _, rr := range r.Answer {
					if rr.Header().Rrtype != r.Answer[0].Header().Rrtype || strings.Contains(rr.String(), "::3") {
						t.Fatalf("Expected one RRset of usable records, got:\n%v", r)
					}
				}
				if most := map[string]int{"simple": 2, "multivalue": 2, "priority": 1}[policy]; len(r.Answer) > max(most, 1) {
					t.Fatalf("Expected what %s chooses, got:\n%v", policy, r)
				}
			}
		}
		withAny := start(t, listening("example.org", "any", own))
		if r := withAny.ask("www.example.org.", dns.TypeANY); r.Rcode != dns.RcodeSuccess || len(r.Answer) != 1 {
			t.Errorf("Expected the HINFO of any, got:\n%v", r)
		}
	})
}

// TestAnyAtApex: with a nameserver the apex always has something, whatever the groups own.
func TestAnyAtApex(t *testing.T) {
	s := start(t, listening("example.org", stanza("nameserver ns1 192.0.2.53", groupOf("simple", "www", "", "192.0.2.1"))))
	if r := s.ask("example.org.", dns.TypeANY); r.Rcode != dns.RcodeSuccess || len(r.Answer) == 0 || !r.Authoritative {
		t.Errorf("Expected one of the apex's RRsets, got:\n%v", r)
	}
}

// TestReport10 is letter case: matching ignores it, the answer has the query's.
func TestReport10(t *testing.T) {
	eachPolicy(t, func(t *testing.T, policy string) {
		s := start(t, listening("example.org", zoneFile(t, "example.org", zoneText), stanza(groupOf(policy, "www", "", "192.0.2.1"),
			groupOf(policy, "*.Wild", "", "192.0.2.1"), "group alias simple {\nrecord CNAME www\n}")))
		for range 100 {
			for _, base := range []string{"www", "some.wild", "alias"} {
				name := mixedCase(base + ".example.org.")
				r := s.ask(name, dns.TypeA)
				if len(r.Answer) == 0 || r.Answer[0].Header().Name != name || r.Question[0].Name != name {
					t.Fatalf("Expected the letter case of %s, got:\n%v", name, r)
				}
				if r = s.ask(name, dns.TypeAAAA); r.Question[0].Name != name || r.Rcode != dns.RcodeSuccess || len(r.Ns) != 1 {
					t.Fatalf("Expected NODATA for %s, got:\n%v", name, r)
				}
			}
		}
	})
}

// TestReport11 is answers larger than the asker takes: whole records and TC, and everything by TCP.
func TestReport11(t *testing.T) {
	var all []string
	for i := range 200 {
		all = append(all, netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}).String())
	}
	list := strings.Join(all, ",")
	slices.Sort(all)
	eachPolicy(t, func(t *testing.T, policy string) {
		s := start(t, listening("example.org", stanza(groupOf(policy, "www", "", list))))
		for _, size := range []uint16{0, 512, 1232, 4096} {
			m := question("www.example.org.", dns.TypeA)
			if size > 0 {
				m.SetEdns0(size, false)
			}
			reply := s.wire("udp", m)
			r := new(dns.Msg)
			if err := r.Unpack(reply); err != nil || len(reply) > int(max(size, 512)) {
				t.Fatalf("Expected a whole message of at most %d bytes, got %d: %v", max(size, 512), len(reply), err)
			}
			if complete := len(r.Answer) == 200; r.Truncated == complete {
				t.Errorf("Expected TC or everything for %d bytes, got TC %v and %d records", size, r.Truncated, len(r.Answer))
			}
		}
		if got := data(s.exchange("tcp", "www.example.org.", dns.TypeA).Answer); !slices.Equal(got, all) {
			t.Errorf("Expected all 200 addresses by TCP, got %s", fmt.Sprint(got))
		}
	})
}
