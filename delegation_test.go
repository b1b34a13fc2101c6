package healthroute

import (
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// delegating has a zone below it that others serve, with name servers in it, beside it and elsewhere.
const delegating = dead + `
group sub multivalue {
	record NS ns.sub probe none
	record NS ns2
	record NS ns.example.net.
}
group sub simple {
	record DS "1 8 2 e2d3c916f6deeac73294e8268fb5885044a833fc5459588f4a9184cfc41a5766"
}
group ns.sub simple {
	record 192.0.2.53,2001:db8::53
}
group ns2 multivalue {
	record 192.0.2.54
	record 192.0.2.55 probe dead
}
group hidden.sub simple {
	record 192.0.2.1
}
group * simple {
	record 192.0.2.2
}
group into simple {
	record CNAME www.sub
}
group @ simple {
	record MX "10 ns.sub"
}
`

// expectReferral sees a reply that leads to the name servers of a zone, with the addresses that they need.
func expectReferral(t *testing.T, r *dns.Msg, zone string, servers, glue []string) {
	t.Helper()
	var want []string
	for _, s := range servers {
		want = append(want, zone+" NS "+s)
	}
	slices.Sort(want)
	slices.Sort(glue)
	if r.Rcode != dns.RcodeSuccess || r.Authoritative || len(r.Answer) > 0 || !slices.Equal(section(r.Ns), want) || !slices.Equal(section(r.Extra), glue) {
		t.Errorf("Expected a referral to %v with %v, got:\n%v", want, glue, r)
	}
}

// TestReferral is RFC 1034 section 4.3.2, step 3b: at and below a delegation nothing is ours but its DS, and nothing above it changes.
func TestReferral(t *testing.T) {
	for behind, lines := range map[string]string{"file": zoneFile(t, "example.org", zoneText), "nobody": "", "nameserver": ""} {
		t.Run(behind, func(t *testing.T) {
			own := delegating
			if behind == "nameserver" {
				own = "nameserver ns2\n" + own
			}
			s := start(t, listening("example.org", lines, stanza(own)))
			servers := []string{"ns.sub.example.org.", "ns2.example.org.", "ns.example.net."}
			glue := []string{"ns.sub.example.org. A 192.0.2.53", "ns.sub.example.org. AAAA 2001:db8::53", "ns2.example.org. A 192.0.2.54"}
			for _, name := range []string{"sub", "www.sub", "a.b.c.sub", "ns.sub", "hidden.sub", "*.sub", `a\.b.sub`} {
				for _, qtype := range []uint16{dns.TypeA, dns.TypeNS, dns.TypeMX, dns.TypeSOA, dns.TypeANY, 65280} {
					expectReferral(t, s.ask(name+".example.org.", qtype), "sub.example.org.", servers, glue)
				}
			}
			expectReferral(t, s.ask("WWW.SuB.example.ORG.", dns.TypeA), "SuB.example.ORG.", servers, glue)
			expectReferral(t, s.ask("www.sub.example.org.", dns.TypeDS), "sub.example.org.", servers, glue)

			r := s.ask("sub.example.org.", dns.TypeDS)
			expectData(t, r, "1 8 2 E2D3C916F6DEEAC73294E8268FB5885044A833FC5459588F4A9184CFC41A5766")
			if !r.Authoritative {
				t.Error("Expected the DS to be ours, got no AA")
			}
			if behind != "file" {
				expectData(t, s.ask("sub2.example.org.", dns.TypeA), "192.0.2.2")
			}
			expectData(t, s.ask("ns2.example.org.", dns.TypeA), "192.0.2.54")
			expectAdditional(t, s.ask("example.org.", dns.TypeMX)) // glue is for referrals

			r = s.ask("into.example.org.", dns.TypeA)
			expectData(t, r, "www.sub.example.org.")
			if !r.Authoritative || len(r.Ns)+len(r.Extra) > 0 {
				t.Errorf("Expected the chain to end at the delegation, got:\n%v", r)
			}
		})
	}
}

// TestDelegationWithoutServers: nobody can say what is there. That it does not exist would be a lie.
func TestDelegationWithoutServers(t *testing.T) {
	for option, want := range map[string]int{
		"": dns.RcodeSuccess, "last_resort none": dns.RcodeServerFailure, "last_resort nxdomain": dns.RcodeServerFailure,
		"last_resort refused": dns.RcodeRefused, "disabled": dns.RcodeServerFailure,
	} {
		s := start(t, listening("example.org", stanza(dead, "nameserver ns1 192.0.2.53\ngroup sub simple {\nprobe dead\n"+option+"\nrecord NS ns.example.net.\n}")))
		r := s.ask("www.sub.example.org.", dns.TypeA)
		if r.Rcode != want || (len(r.Ns) > 0) != (want == dns.RcodeSuccess) {
			t.Errorf("Expected %s for %q, got:\n%v", dns.RcodeToString[want], option, r)
		}
	}
}

// TestReferralIgnoresSubnets: a resolver uses a referral for all its clients (RFC 7871 section 7.4).
func TestReferralIgnoresSubnets(t *testing.T) {
	s := start(t, listening("example.org", stanza("group sub subnet {\nrecord NS a.example.net. from 198.51.100.0/24\nrecord NS b.example.net. from 127.0.0.0/8\n}")))
	r := s.ask("www.sub.example.org.", dns.TypeA, func(m *dns.Msg) { withSubnet(m, 1, 24, 0, "198.51.100.0") })
	expectReferral(t, r, "sub.example.org.", []string{"b.example.net."}, nil)
	if got := options[*dns.EDNS0_SUBNET](t, r); len(got) != 1 || got[0].SourceScope != 0 {
		t.Errorf("Expected scope 0, got %v", got)
	}
}

// TestGlueIsNotOptional: a referral whose addresses do not fit is truncated, so that they are asked for by TCP (RFC 9471).
func TestGlueIsNotOptional(t *testing.T) {
	var groups strings.Builder
	groups.WriteString("group sub simple {\nrecord NS host0.sub {")
	for i := range 8 {
		groups.WriteString("\nvalue host" + string(rune('1'+i)) + ".sub")
	}
	groups.WriteString("\n}\n}")
	for i := range 9 {
		groups.WriteString("\n" + groupOf("multivalue", "host"+string(rune('0'+i))+".sub", "", "192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1", "2001:db8::2"))
	}
	s := start(t, listening("example.org", stanza(groups.String())))
	if r := s.ask("www.sub.example.org.", dns.TypeA); !r.Truncated || len(r.Ns) != 9 {
		t.Errorf("Expected a truncated referral to nine name servers, got:\n%v", r)
	}
	if r := s.exchange("tcp", "www.sub.example.org.", dns.TypeA); r.Truncated || len(r.Extra) != 9*5 {
		t.Errorf("Expected all 45 addresses by TCP, got %d", len(r.Extra))
	}
}

// TestNestedZonesOfServerBlocks: CoreDNS gives queries of type DS to the outermost server block. It says that the zones of the others exist, and what is below
// them is theirs.
func TestNestedZonesOfServerBlocks(t *testing.T) {
	outer := listening("example.org", stanza("nameserver ns1 192.0.2.53\ngroup into simple {\nrecord CNAME www.a.sub\n}\ngroup * simple {\nrecord 192.0.2.9\n}"))
	inner := listening("a.sub.example.org", stanza("nameserver ns1 192.0.2.54", groupOf("simple", "www", "", "192.0.2.1")))
	s := start(t, outer+inner)
	expectData(t, s.ask("www.a.sub.example.org.", dns.TypeA), "192.0.2.1")
	expectNegative(t, s.ask("a.sub.example.org.", dns.TypeDS), dns.RcodeSuccess, "example.org.", 30)
	expectNegative(t, s.ask("sub.example.org.", dns.TypeDS), dns.RcodeSuccess, "example.org.", 30)
	expectNegative(t, s.ask("www.a.sub.example.org.", dns.TypeDS), dns.RcodeSuccess, "a.sub.example.org.", 30)
	expectNegative(t, s.ask("gone.a.sub.example.org.", dns.TypeDS), dns.RcodeNameError, "a.sub.example.org.", 30)
	expectNegative(t, s.ask("sub.example.org.", dns.TypeA), dns.RcodeSuccess, "example.org.", 30)
	expectNegative(t, s.ask("b.sub.example.org.", dns.TypeA), dns.RcodeNameError, "example.org.", 30)
	expectChains(t, s, []chain{{"into", dns.TypeA, dns.RcodeSuccess, "www.a.sub.example.org.", ""}})
}

// TestNestedZoneOfAView: whom the view is not for asks the outer zone.
func TestNestedZoneOfAView(t *testing.T) {
	outer := listening("example.org", stanza("group * simple {\nrecord 192.0.2.9\n}"))
	for expression, want := range map[string]string{"true": "192.0.2.1", "false": "192.0.2.9"} {
		inner := listening("sub.example.org", "view internal {\nexpr "+expression+"\n}", stanza(groupOf("simple", "www", "", "192.0.2.1")))
		expectData(t, start(t, outer+inner).ask("www.sub.example.org.", dns.TypeA), want)
	}
}

// TestSplitHorizon: blocks of one zone with different views have groups, records and states of their own.
func TestSplitHorizon(t *testing.T) {
	view := func(name, expression, address string) string {
		return listening("example.org", "view "+name+" {\nexpr "+expression+"\n}",
			stanza("nameserver ns1 192.0.2.53", groupOf("weighted", "www", "", address), "group @ simple {\nrecord MX \"10 www\"\n}"))
	}
	for inside, want := range map[string]string{"127.0.0.0/8": "10.0.0.1", "198.51.100.0/24": "192.0.2.1"} {
		s := start(t, view("in", `incidr(client_ip(), '`+inside+`')`, "10.0.0.1")+view("out", "true", "192.0.2.1"))
		expectData(t, s.ask("WWW.example.org.", dns.TypeA), want)
		expectAdditional(t, s.ask("example.org.", dns.TypeMX), "www.example.org. A "+want)
		expectNegative(t, s.ask("gone.example.org.", dns.TypeA), dns.RcodeNameError, "example.org.", 30)
	}
}

// TestDelegationFromAParent: what a parent refers to and what the child says of itself are the same, so that resolvers find their way.
func TestDelegationFromAParent(t *testing.T) {
	child := start(t, listening("sub.example.org", stanza("nameserver ns1 192.0.2.53 2001:db8::53\nnameserver ns2.example.org.", groupOf("simple", "www", "", "192.0.2.1"))))
	parent := start(t, listening("example.org", stanza("nameserver ns2 192.0.2.54",
		"group sub simple {\nrecord NS ns1.sub {\nvalue ns2\n}\n}", groupOf("simple", "ns1.sub", "", "192.0.2.53", "2001:db8::53"))))
	referral, own := parent.ask("www.sub.example.org.", dns.TypeA), child.ask("sub.example.org.", dns.TypeNS)
	if !slices.Equal(section(referral.Ns), section(own.Answer)) {
		t.Errorf("Expected the child's name servers %v, got the referral\n%v", section(own.Answer), referral)
	}
	expectAdditional(t, own, "ns1.sub.example.org. A 192.0.2.53", "ns1.sub.example.org. AAAA 2001:db8::53")
	glue := append(section(own.Extra), "ns2.example.org. A 192.0.2.54")
	expectReferral(t, referral, "sub.example.org.", []string{"ns1.sub.example.org.", "ns2.example.org."}, glue)
	expectData(t, child.ask("WWW.sub.example.org.", dns.TypeA), "192.0.2.1")
	expectNegative(t, child.ask("sub.example.org.", dns.TypeA), dns.RcodeSuccess, "sub.example.org.", 30)
	expectNegative(t, child.ask("gone.sub.example.org.", dns.TypeA), dns.RcodeNameError, "sub.example.org.", 30)
}
