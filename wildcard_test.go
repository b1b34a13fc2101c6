package healthroute

import (
	"testing"

	"github.com/miekg/dns"
)

// TestReport8 is wildcards (RFC 4592): what exists stops them, be it ours or another plugin's, and the answer has the name
// that was asked for.
func TestReport8(t *testing.T) {
	for behind, lines := range map[string]string{"file": zoneFile(t, "example.org", zoneText), "nobody": "", "nameserver": ""} {
		t.Run(behind, func(t *testing.T) {
			eachPolicy(t, func(t *testing.T, policy string) {
				own := []string{
					groupOf(policy, "*.wild", "", "192.0.2.1"),
					groupOf(policy, "exact.wild", "", "192.0.2.2"),
					groupOf(policy, "x.empty.wild", "", "192.0.2.3"),
					groupOf(policy, "a.*.middle", "", "192.0.2.4"),
					groupOf(policy, "*.six.wild", "", "2001:db8::1"),
				}
				if behind == "nameserver" {
					own = append(own, "nameserver ns1 192.0.2.53")
				}
				s := start(t, listening("example.org", lines, stanza(own...)))
				for _, name := range []string{"some.wild", "SoMe.wILD", "deep.er.wild", "*.wild", "_srv._tcp.wild", `a\.b.wild`} {
					r := s.ask(name+".example.org.", dns.TypeA)
					expectData(t, r, "192.0.2.1")
					if len(r.Answer) == 1 && r.Answer[0].Header().Name != name+".example.org." {
						t.Errorf("Expected the owner %s, got %v", name, r.Answer[0])
					}
					expectNegative(t, s.ask(name+".example.org.", dns.TypeAAAA), dns.RcodeSuccess, "example.org.", 30)
					expectNegative(t, s.ask(name+".example.org.", dns.TypeMX), dns.RcodeSuccess, "example.org.", 30)
				}
				expectData(t, s.ask("exact.wild.example.org.", dns.TypeA), "192.0.2.2")
				expectData(t, s.ask("x.empty.wild.example.org.", dns.TypeA), "192.0.2.3")
				expectData(t, s.ask("a.*.middle.example.org.", dns.TypeA), "192.0.2.4")
				expectData(t, s.ask("b.six.wild.example.org.", dns.TypeAAAA), "2001:db8::1")
				// The wildcard itself, empty non-terminals and the types of a nearer wildcard have nothing to give.
				for _, name := range []string{"empty.wild", "middle", "*.middle", "b.six.wild", "six.wild"} {
					expectNegative(t, s.ask(name+".example.org.", dns.TypeA), dns.RcodeSuccess, "example.org.", 30)
				}
				expectNegative(t, s.ask("wild.example.org.", dns.TypeA), dns.RcodeSuccess, "example.org.", 3600) // the file's too
				for _, name := range []string{"below.exact.wild", "y.empty.wild", "ghost.*.wild"} {
					expectNothing(t, s.ask(name+".example.org.", dns.TypeA), behind)
				}
				// A `*` in the middle is a label as others, and below it nothing is made up: `*.middle` is empty.
				if r := s.ask("a.b.middle.example.org.", dns.TypeA); len(r.Answer) != 0 {
					t.Errorf("Expected no data below %s, got:\n%v", "*.middle", r)
				}
			})
		})
	}
}

// expectNothing sees a name that nobody has.
func expectNothing(t *testing.T, r *dns.Msg, behind string) {
	t.Helper()
	want := dns.RcodeNameError
	if behind == "nobody" {
		want = dns.RcodeRefused
	}
	if r.Rcode != want || len(r.Answer) != 0 {
		t.Errorf("Expected %s, got:\n%v", dns.RcodeToString[want], r)
	}
}

// TestWildcardStopsAtOthersNames: names of the file below our wildcard, and names below those, are the file's.
func TestWildcardStopsAtOthersNames(t *testing.T) {
	eachPolicy(t, func(t *testing.T, policy string) {
		s := start(t, listening("example.org", "cache", zoneFile(t, "example.org", zoneText), stanza(groupOf(policy, "*.wild", "", "192.0.2.1"))))
		for range 3 { // the second time the memory of what the file lacks answers
			expectData(t, s.ask("ours.wild.example.org.", dns.TypeA), "192.0.2.1")
			expectData(t, s.ask("theirs.wild.example.org.", dns.TypeA), "198.51.100.90")
			expectData(t, s.ask("ThEirs.wild.example.org.", dns.TypeA), "198.51.100.90")
			expectData(t, s.ask("deep.branch.wild.example.org.", dns.TypeA), "198.51.100.91")
			expectNegative(t, s.ask("theirs.wild.example.org.", dns.TypeTXT), dns.RcodeSuccess, "example.org.", 3600)
			expectNegative(t, s.ask("branch.wild.example.org.", dns.TypeA), dns.RcodeSuccess, "example.org.", 3600)
			for _, name := range []string{"below.theirs.wild", "other.branch.wild", "very.deep.branch.wild"} {
				expectNegative(t, s.ask(name+".example.org.", dns.TypeA), dns.RcodeNameError, "example.org.", 3600)
			}
		}
	})
}

// TestWildcardAtApex covers the whole zone but what exists in it.
func TestWildcardAtApex(t *testing.T) {
	s := start(t, listening("example.org", zoneFile(t, "example.org", zoneText), stanza("group * simple {\nrecord 192.0.2.1\n}")))
	expectData(t, s.ask("any.thing.example.org.", dns.TypeA), "192.0.2.1")
	expectData(t, s.ask("plain.example.org.", dns.TypeA), "198.51.100.80")
	expectData(t, s.ask("example.org.", dns.TypeA), "198.51.100.1")
	expectNegative(t, s.ask("below.plain.example.org.", dns.TypeA), dns.RcodeNameError, "example.org.", 3600)
	if r := s.ask("host.sub.example.org.", dns.TypeA); len(r.Answer) != 0 || len(r.Ns) != 1 || r.Ns[0].Header().Rrtype != dns.TypeNS {
		t.Errorf("Expected the referral of the file, got:\n%v", r)
	}
}
