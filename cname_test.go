package healthroute

import (
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// TestReport3 is queries of type CNAME: the chosen one, or NODATA where there are addresses.
func TestReport3(t *testing.T) {
	for behind, lines := range map[string]string{"file": zoneFile(t, "example.org", zoneText), "nobody": ""} {
		t.Run(behind, func(t *testing.T) {
			eachPolicy(t, func(t *testing.T, policy string) {
				own := []string{groupOf(policy, "www", "", "192.0.2.1"), groupOf(policy, "alias", "", "2001:db8::1")}
				if policy != "multivalue" { // at most one CNAME is an answer
					own = append(own, groupOf(policy, "points", "", "CNAME www"), groupOf(policy, "*.wild", "", "CNAME www"))
				}
				s := start(t, listening("example.org", lines, stanza(own...)))
				for _, name := range []string{"www.example.org.", "alias.example.org."} { // the file has a CNAME there
					expectNegative(t, s.ask(name, dns.TypeCNAME), dns.RcodeSuccess, "example.org.", 30)
					expectNegative(t, s.ask(name, dns.TypeTXT), dns.RcodeSuccess, "example.org.", 30)
				}
				expectNegative(t, s.ask("alias.example.org.", dns.TypeA), dns.RcodeSuccess, "example.org.", 30)
				if policy == "multivalue" {
					return
				}
				for _, name := range []string{"points.example.org.", "x.wild.example.org."} {
					for _, qtype := range []uint16{dns.TypeCNAME, dns.TypeANY} {
						expectData(t, s.ask(name, qtype), "www.example.org.")
					}
					expectData(t, s.ask(name, dns.TypeA), "www.example.org.", "192.0.2.1")
				}
			})
		})
	}
}

// chainGroups are CNAMEs that end in many ways.
func chainGroups(policy string) string {
	var groups []string
	for name, target := range map[string]string{
		"owned": "www", "gone": "gone.below", "nodata": "plain", "their": "there.example.net.", "theirgone": "gone.example.net.",
		"their-alias": "dangling", "ping": "pong", "pong": "ping", "self": "self", "wild": "some.stars", "down": "last",
	} {
		groups = append(groups, groupOf(policy, name, "", "CNAME "+target))
	}
	return strings.Join(append(groups, groupOf(policy, "*.stars", "", "192.0.2.2")), "\n")
}

// chain is one question, and what must come: the code, the data and the zone of the SOA ("" for none).
type chain struct {
	name  string
	qtype uint16
	rcode int
	data  string
	soa   string
}

func expectChains(t *testing.T, s *server, chains []chain) {
	t.Helper()
	for _, c := range chains {
		r := s.ask(c.name+".example.org.", c.qtype)
		soa := ""
		for _, rr := range r.Ns {
			if rr.Header().Rrtype == dns.TypeSOA {
				soa += rr.Header().Name
			}
		}
		if got := strings.Join(data(r.Answer), " "); r.Rcode != c.rcode || got != c.data || soa != c.soa || !r.Authoritative {
			t.Errorf("Expected %s, %q and the SOA of %q for %s %s, got:\n%v", dns.RcodeToString[c.rcode], c.data, c.soa,
				c.name, dns.Type(c.qtype), r)
		}
	}
}

// TestReport6 is chains that end in nothing: the last name decides the code and whose SOA is shown.
func TestReport6(t *testing.T) {
	const ok, gone = dns.RcodeSuccess, dns.RcodeNameError
	everywhere := []chain{
		{"owned", dns.TypeA, ok, "192.0.2.1 www.example.org.", ""},
		{"owned", dns.TypeAAAA, ok, "www.example.org.", "example.org."},
		{"owned", dns.TypeTXT, ok, "www.example.org.", "example.org."},
		{"ping", dns.TypeA, ok, "ping.example.org. pong.example.org.", ""},
		{"self", dns.TypeA, ok, "self.example.org.", ""},
		{"wild", dns.TypeA, ok, "192.0.2.2 some.stars.example.org.", ""},
		{"wild", dns.TypeAAAA, ok, "some.stars.example.org.", "example.org."},
		{"down", dns.TypeA, gone, "last.example.org.", "example.org."},
	}
	eachPolicy(t, func(t *testing.T, policy string) {
		if policy == "multivalue" {
			return // at most one CNAME is an answer
		}
		own := func(nameserver string) string {
			return stanzaOf("example.org", nameserver, dead, groupOf(policy, "www", "", "192.0.2.1"),
				groupOf(policy, "last", "probe dead\nlast_resort nxdomain", "192.0.2.9"), chainGroups(policy))
		}
		t.Run("file and forward", func(t *testing.T) {
			s := start(t, listening(".", behind(t, newUpstream(t)), own("")))
			expectChains(t, s, append(slices.Clone(everywhere),
				chain{"gone", dns.TypeA, gone, "gone.below.example.org.", "example.org."},
				chain{"nodata", dns.TypeA, ok, "198.51.100.80 plain.example.org.", ""},
				chain{"nodata", dns.TypeAAAA, ok, "plain.example.org.", "example.org."},
				chain{"their", dns.TypeA, ok, "203.0.113.1 there.example.net.", ""},
				chain{"their", dns.TypeAAAA, ok, "there.example.net.", "example.net."},
				chain{"theirgone", dns.TypeA, gone, "gone.example.net.", "example.net."},
				chain{"their-alias", dns.TypeA, gone, "dangling.example.org. nothing.example.org.", "example.org."}))
		})
		for name, nameserver := range map[string]string{"nameserver": "nameserver ns1 192.0.2.53", "nobody": ""} {
			t.Run(name, func(t *testing.T) {
				expectChains(t, start(t, listening("example.org", own(nameserver))), append(slices.Clone(everywhere),
					chain{"gone", dns.TypeA, gone, "gone.below.example.org.", "example.org."},
					chain{"their", dns.TypeA, ok, "there.example.net.", ""}))
			})
		}
	})
}

// TestChainIntoOtherTypes: nxdomain at the end of a chain looks at the last name, not at the one that was asked for.
func TestChainIntoOtherTypes(t *testing.T) {
	s := start(t, listening("example.org", zoneFile(t, "example.org", zoneText), stanza(dead,
		"group points simple {\nrecord CNAME dead\n}", "group dead simple {\nprobe dead\nlast_resort nxdomain\nrecord 192.0.2.9\n}")))
	expectChains(t, s, []chain{{"points", dns.TypeA, dns.RcodeSuccess, "dead.example.org.", "example.org."}})
}

// TestChainToEmptyNonTerminal: the name exists because of a name of ours below it.
func TestChainToEmptyNonTerminal(t *testing.T) {
	s := start(t, listening("example.org", stanza("group points simple {\nrecord CNAME below\n}", "group a.below simple {\nrecord 192.0.2.9\n}",
		"nameserver ns1 192.0.2.53", "group apex simple {\nrecord CNAME @\n}")))
	expectChains(t, s, []chain{
		{"points", dns.TypeA, dns.RcodeSuccess, "below.example.org.", "example.org."},
		{"apex", dns.TypeA, dns.RcodeSuccess, "example.org.", "example.org."},
		{"apex", dns.TypeNS, dns.RcodeSuccess, "example.org. ns1.example.org.", ""},
	})
}

// TestChainEndsWithoutType is chains into names that exist without the type, by a group, a wildcard, a wildcard that is an empty non-terminal or a
// name below: NODATA, which is kept no longer than the last group's answers.
func TestChainEndsWithoutType(t *testing.T) {
	for behind, lines := range map[string][]string{
		"file": {zoneFile(t, "example.org", zoneText)}, "nameserver": {}, "nobody": {},
	} {
		alias := func(target string) string { return "to-" + strings.NewReplacer("*", "star", ".", "-").Replace(target) }
		t.Run(behind, func(t *testing.T) {
			eachPolicy(t, func(t *testing.T, policy string) {
				if policy == "multivalue" {
					return // at most one CNAME is an answer
				}
				own := []string{groupOf(policy, "exact", "ttl 7s", "192.0.2.1"), groupOf(policy, "*.wild", "ttl 7s", "192.0.2.1"),
					groupOf(policy, "x.*.empty", "", "192.0.2.1")}
				targets := map[string]uint32{"exact": 7, "some.wild": 7, "deep.er.wild": 7, "some.empty": 30, "empty": 30, "*.empty": 30}
				for target := range targets {
					own = append(own, groupOf(policy, alias(target), "", "CNAME "+target))
				}
				if behind == "nameserver" {
					own = append(own, "nameserver ns1 192.0.2.53")
				}
				s := start(t, listening("example.org", append(lines, stanza(own...))...))
				for target, ttl := range targets {
					for _, qtype := range []uint16{dns.TypeAAAA, dns.TypeMX, 65280} {
						r := s.ask(alias(target)+".example.org.", qtype)
						if data(r.Answer)[0] != target+".example.org." {
							t.Errorf("Expected the CNAME, got:\n%v", r)
						}
						r.Answer = nil
						expectNegative(t, r, dns.RcodeSuccess, "example.org.", ttl)
					}
				}
			})
		})
	}
}

// TestAliasesOfOthersThatLeadNowhere exist: the code beside them is about the end of their chain (RFC 6604 section 3), so that nothing of ours answers
// instead of them.
func TestAliasesOfOthersThatLeadNowhere(t *testing.T) {
	file := zoneFile(t, "example.org", zoneText+"ghost.wild IN CNAME nothing\nabove IN CNAME nothing\n")
	for _, option := range []string{"", "nameserver ns1 192.0.2.53"} {
		eachPolicy(t, func(t *testing.T, policy string) {
			own := []string{option, groupOf(policy, "*.wild", "", "192.0.2.1"), groupOf(policy, "x.above", "", "192.0.2.1")}
			if policy != "multivalue" { // at most one CNAME is an answer
				own = append(own, groupOf(policy, "to-ghost", "", "CNAME ghost.wild"), groupOf(policy, "to-above", "", "CNAME above"))
			}
			s := start(t, listening("example.org", file, stanza(own...)))
			for range 2 { // the second time memories answer
				for name, leads := range map[string]string{
					"ghost.wild": "nothing.example.org.", "above": "nothing.example.org.", "dangling": "nothing.example.org.",
					"to-ghost": "ghost.wild.example.org. nothing.example.org.", "to-above": "above.example.org. nothing.example.org.",
				} {
					if policy == "multivalue" && strings.HasPrefix(name, "to-") {
						continue
					}
					for _, qtype := range []uint16{dns.TypeA, dns.TypeMX} {
						expectChains(t, s, []chain{{name, qtype, dns.RcodeNameError, leads, "example.org."}})
					}
				}
				expectNothing(t, s.ask("below.ghost.wild.example.org.", dns.TypeA), "file") // it stops the wildcard for them
				expectData(t, s.ask("some.wild.example.org.", dns.TypeA), "192.0.2.1")
			}
		})
	}
}
