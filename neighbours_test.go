package healthroute

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	_ "github.com/coredns/coredns/plugin/acl"
	_ "github.com/coredns/coredns/plugin/autopath"
	_ "github.com/coredns/coredns/plugin/bufsize"
	_ "github.com/coredns/coredns/plugin/dns64"
	_ "github.com/coredns/coredns/plugin/header"
	_ "github.com/coredns/coredns/plugin/local"
	_ "github.com/coredns/coredns/plugin/minimal"
	_ "github.com/coredns/coredns/plugin/nsid"
	_ "github.com/coredns/coredns/plugin/rewrite"
	"github.com/miekg/dns"
)

// Each test here is what a client sees of our answers with another plugin of CoreDNS in the server block.

// neighbourly is a stanza for all of them.
func neighbourly() string {
	return stanza("nameserver ns1 192.0.2.53", dead,
		groupOf("weighted", "www *.wild", "", "192.0.2.1", "192.0.2.2"),
		groupOf("simple", "both", "", "192.0.2.3,2001:db8::3"),
		groupOf("simple", "down", "probe dead", "192.0.2.4"),
		groupOf("simple", "none", "probe dead\nlast_resort none", "192.0.2.4"),
		groupOf("simple", "alias", "", "CNAME both"),
		groupOf("multivalue", "mail", "ttl 300s", `MX "10 both"`, `MX "20 www"`),
		"group near subnet {\nrecord 192.0.2.5 from 127.0.0.1/32,198.51.100.0/24\nrecord 192.0.2.6 from 127.0.0.2/32,2001:db8::/32\nrecord 192.0.2.7 default\n}",
	)
}

// many is a group of 200 addresses.
func many() string {
	var all []string
	for i := range 200 {
		all = append(all, netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}).String())
	}
	return "group many simple {\nrecord " + strings.Join(all, ",") + "\n}"
}

// TestBufsizeAbove: answers keep to what it allows, whatever the asker says, and are whole by TCP.
func TestBufsizeAbove(t *testing.T) {
	s := start(t, listening("example.org", "bufsize 1100", stanza(many())))
	for asked, most := range map[uint16]int{512: 512, 1100: 1100, 1232: 1100, 4096: 1100, 65535: 1100} {
		m := question("many.example.org.", dns.TypeA)
		m.SetEdns0(asked, false)
		raw := s.wire("udp", m)
		if r := parsed(raw); r == nil || len(raw) > most || !r.Truncated || len(r.Answer) == 0 {
			t.Errorf("Expected TC and whole records in at most %d bytes, got %d:\n%v", most, len(raw), r)
		}
	}
	r := s.exchange("tcp", "many.example.org.", dns.TypeA, func(m *dns.Msg) { m.SetEdns0(4096, false) })
	if len(r.Answer) != 200 || r.Truncated {
		t.Errorf("Expected all by TCP, got %d and TC %v", len(r.Answer), r.Truncated)
	}
}

// TestNSIDAbove: its option stands beside ours in one OPT record.
func TestNSIDAbove(t *testing.T) {
	s := start(t, listening("example.org", "nsid one", neighbourly()))
	for _, name := range []string{"www", "both", "down", "none", "gone", "near", "", "x.wild"} {
		name = strings.TrimPrefix(name+".example.org.", ".")
		for _, do := range []bool{false, true} {
			r := s.ask(name, dns.TypeA, func(m *dns.Msg) {
				m.SetEdns0(1232, do)
				withSubnet(m, 1, 24, 0, "198.51.100.0")
				m.IsEdns0().Option = append(m.IsEdns0().Option, &dns.EDNS0_NSID{Code: dns.EDNS0NSID})
			})
			if id := options[*dns.EDNS0_NSID](t, r); len(id) != 1 || id[0].Nsid != hex.EncodeToString([]byte("one")) {
				t.Errorf("Expected the server's id, got %v", id)
			}
			if ecs := options[*dns.EDNS0_SUBNET](t, r); len(ecs) != 1 || ecs[0].SourceNetmask != 24 {
				t.Errorf("Expected our client subnet beside it, got %v", ecs)
			}
			if ede := options[*dns.EDNS0_EDE](t, r); (len(ede) == 1) != (name == "down.example.org." || name == "none.example.org.") {
				t.Errorf("Expected an extended error of a last resort only, got %v for %s", ede, name)
			}
			if r.IsEdns0().Do() != do {
				t.Errorf("Expected the query's DO %v, got:\n%v", do, r)
			}
		}
	}
}

// TestDNS64Above makes IPv6 of what we choose for IPv4, where we have no IPv6 ourselves.
func TestDNS64Above(t *testing.T) {
	s := start(t, listening("example.org", "dns64 {\nprefix 64:ff9b::/96\nallow_ipv4\n}", neighbourly()))
	seen := map[string]bool{}
	for range 40 {
		r := s.ask("www.example.org.", dns.TypeAAAA)
		if len(r.Answer) != 1 || r.Answer[0].Header().Name != "www.example.org." || r.Answer[0].Header().Ttl != 30 {
			t.Fatalf("Expected one address with our TTL, got:\n%v", r)
		}
		seen[data(r.Answer)[0]] = true
	}
	if !seen["64:ff9b::c000:201"] || !seen["64:ff9b::c000:202"] || len(seen) != 2 {
		t.Errorf("Expected both records to be chosen, got %v", seen)
	}
	expectData(t, s.ask("both.example.org.", dns.TypeA), "192.0.2.3")
	expectData(t, s.ask("both.example.org.", dns.TypeAAAA), "2001:db8::3")
	expectData(t, s.ask("alias.example.org.", dns.TypeAAAA), "2001:db8::3", "both.example.org.")
	expectData(t, s.ask("down.example.org.", dns.TypeAAAA), "64:ff9b::c000:204")
	expectNegative(t, s.ask("none.example.org.", dns.TypeAAAA), dns.RcodeSuccess, "example.org.", 30)
	expectNegative(t, s.ask("mail.example.org.", dns.TypeAAAA), dns.RcodeSuccess, "example.org.", 30)
	expectNegative(t, s.ask("gone.example.org.", dns.TypeAAAA), dns.RcodeNameError, "example.org.", 30)
}

// TestRewriteAbove: a name that is rewritten to ours is answered as asked, and what it makes of an answer changes no later one.
func TestRewriteAbove(t *testing.T) {
	s := start(t, listening(".", `rewrite stop {
name regex old\.example\.net both.example.org
answer name both\.example\.org old.example.net
}
rewrite stop {
name exact alias-of.example.net alias.example.org answer auto
}
rewrite continue ttl exact alias.example.org. 1
rewrite name exact soa.example.net example.org answer auto`, strings.Replace(neighbourly(), "healthroute", "healthroute example.org", 1)))
	for _, name := range []string{"old.example.net.", "Old.Example.NET."} {
		r := s.ask(name, dns.TypeA)
		expectData(t, r, "192.0.2.3")
		if r.Question[0].Name != name || !strings.EqualFold(r.Answer[0].Header().Name, name) || !r.Authoritative {
			t.Errorf("Expected the name that was asked for, got:\n%v", r)
		}
	}
	if r := s.ask("alias-of.example.net.", dns.TypeAAAA); len(r.Answer) != 2 || r.Answer[0].Header().Name != "alias-of.example.net." {
		t.Errorf("Expected the chain from the name that was asked for, got:\n%v", r)
	}
	for range 3 {
		for _, rr := range s.ask("alias.example.org.", dns.TypeA).Answer {
			if rr.Header().Ttl != 1 {
				t.Errorf("Expected the TTL of rewrite, got %v", rr)
			}
		}
		s.ask("soa.example.net.", dns.TypeSOA)
		if r := s.ask("both.example.org.", dns.TypeA); len(r.Answer) != 1 || r.Answer[0].Header().Ttl != 30 {
			t.Errorf("Expected our TTL where nothing is rewritten, got:\n%v", r)
		}
		if r := s.ask("example.org.", dns.TypeSOA); len(r.Answer) != 1 || r.Answer[0].Header().Name != "example.org." {
			t.Errorf("Expected our own SOA, got:\n%v", r)
		}
	}
}

// TestRewriteSubnet: the subnet that rewrite puts into a query decides, and is not shown to an asker that does not speak EDNS.
func TestRewriteSubnet(t *testing.T) {
	s := start(t, listening("example.org", "rewrite edns0 subnet set 24 56 revert", strings.ReplaceAll(neighbourly(), "127.0.0.1/32", "127.0.0.0/24")))
	r := s.ask("near.example.org.", dns.TypeA)
	expectData(t, r, "192.0.2.5")
	r = s.ask("near.example.org.", dns.TypeA, func(m *dns.Msg) { m.SetEdns0(1232, false) })
	expectData(t, r, "192.0.2.5")
	if ecs := options[*dns.EDNS0_SUBNET](t, r); len(ecs) != 0 {
		t.Errorf("Expected no client subnet to come back to who sent none, got %v", ecs)
	}
}

// TestACLAbove stands before us: what it refuses we are not asked for.
func TestACLAbove(t *testing.T) {
	s := start(t, listening("example.org", "acl {\nblock type A net 127.0.0.1/32\nfilter type TXT net 127.0.0.0/8\nallow net 127.0.0.0/8\n}", neighbourly()))
	for _, name := range []string{"www", "x.wild", "gone", "down"} {
		if r := s.ask(name+".example.org.", dns.TypeA); r.Rcode != dns.RcodeRefused || len(r.Answer) != 0 {
			t.Errorf("Expected REFUSED, got:\n%v", r)
		}
	}
	expectData(t, s.ask("both.example.org.", dns.TypeAAAA), "2001:db8::3")
	expectData(t, s.ask("alias.example.org.", dns.TypeAAAA), "2001:db8::3", "both.example.org.")
}

// TestAutopathAbove walks the search path through our names.
func TestAutopathAbove(t *testing.T) {
	search := write(t, "resolv.conf", []byte("search ns.svc.example.org svc.example.org example.org\n"))
	s := start(t, listening("example.org", "autopath example.org "+search, neighbourly(),
		"template ANY ANY . {\nrcode NXDOMAIN\n}")) // the path ends in the bare name, which is not ours
	r := s.ask("both.ns.svc.example.org.", dns.TypeA)
	expectData(t, r, "192.0.2.3", "both.example.org.")
	if len(r.Answer) != 2 || r.Answer[0].Header().Name != "both.ns.svc.example.org." {
		t.Errorf("Expected its CNAME first, got:\n%v", r)
	}
	if r = s.ask("x.wild.ns.svc.example.org.", dns.TypeA); len(r.Answer) != 2 {
		t.Errorf("Expected a wildcard to be found on the path, got:\n%v", r)
	}
	expectNegative(t, s.ask("gone.ns.svc.example.org.", dns.TypeA), dns.RcodeNameError, "example.org.", 30)
	expectData(t, s.ask("both.example.org.", dns.TypeA), "192.0.2.3")
}

// TestLoadbalanceOrder: it may turn the addresses round; a chain stays in order, and a choice a choice.
func TestLoadbalanceOrder(t *testing.T) {
	s := start(t, listening("example.org", "loadbalance round_robin", neighbourly(), stanzaOf("many.example", many())))
	for range 20 {
		r := s.ask("alias.example.org.", dns.TypeA)
		if len(r.Answer) != 2 || r.Answer[0].Header().Rrtype != dns.TypeCNAME {
			t.Fatalf("Expected the CNAME before the address, got:\n%v", r)
		}
		if r = s.ask("www.example.org.", dns.TypeA); len(r.Answer) != 1 {
			t.Fatalf("Expected one of the records, got:\n%v", r)
		}
		expectData(t, s.ask("mail.example.org.", dns.TypeMX), "10 both.example.org.", "20 www.example.org.")
	}
}

// TestPluginsBelow do not see our answers: header sets no flag in them, minimal takes nothing away, and a query that passes is theirs.
func TestPluginsBelow(t *testing.T) {
	s := start(t, listening("example.org", "minimal", "header {\nresponse set ra\nresponse clear aa\n}", zoneFile(t, "example.org", zoneText),
		stanza(groupOf("simple", "www", "", "192.0.2.1"), groupOf("simple", "alias", "", "CNAME plain"))))
	if r := s.ask("www.example.org.", dns.TypeA); !r.Authoritative || r.RecursionAvailable {
		t.Errorf("Expected our flags in our answer, got:\n%v", r)
	}
	expectNegative(t, s.ask("www.example.org.", dns.TypeAAAA), dns.RcodeSuccess, "example.org.", 30)
	if r := s.ask("alias.example.org.", dns.TypeA); !r.Authoritative || r.RecursionAvailable || len(r.Answer) != 2 || len(r.Ns)+len(r.Extra) != 0 {
		t.Errorf("Expected our flags where an answer begins with a record of ours, got:\n%v", r)
	}
	if r := s.ask("plain.example.org.", dns.TypeA); r.Authoritative || !r.RecursionAvailable || len(r.Answer) != 1 || len(r.Ns) != 0 {
		t.Errorf("Expected what header and minimal make of the file's answer, got:\n%v", r)
	}
}

// TestLocalAbove answers for localhost and the loopback networks, and for nothing of ours.
func TestLocalAbove(t *testing.T) {
	s := start(t, listening(".", "local", stanzaOf("example.org 127.in-addr.arpa", groupOf("simple", "www", "", "192.0.2.1"),
		"group 1.2.0.127.in-addr.arpa. simple {\nrecord PTR www.example.org.\n}")))
	expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.1")
	expectData(t, s.ask("localhost.", dns.TypeA), "127.0.0.1")
	if r := s.ask("1.2.0.127.in-addr.arpa.", dns.TypePTR); r.Rcode != dns.RcodeNameError {
		t.Errorf("Expected local's own answer for the loopback network, got:\n%v", r)
	}
}

// TestSizes is every size of a datagram with 200 addresses in it: whole records, in no more than that, and TC when something is missing.
func TestSizes(t *testing.T) {
	s := start(t, listening("example.org", stanza(many(), "group alias simple {\nrecord CNAME many\n}")))
	for size := 512; size <= 4096; size += 59 {
		for _, name := range []string{"many", "alias"} {
			m := question(name+".example.org.", dns.TypeA)
			m.SetEdns0(uint16(size), size%2 == 0)
			withSubnet(m, 1, 24, 0, "198.51.100.0")
			raw := s.wire("udp", m)
			r := parsed(raw)
			if r == nil || len(raw) > size {
				t.Fatalf("Expected a message of at most %d bytes, got %d", size, len(raw))
			}
			if whole := len(slices.DeleteFunc(r.Answer, func(rr dns.RR) bool { return rr.Header().Rrtype != dns.TypeA })) == 200; whole == r.Truncated {
				t.Errorf("Expected TC or all 200 in %d bytes, got %s", size, fmt.Sprint(r.Truncated, len(r.Answer)))
			}
			if ecs := options[*dns.EDNS0_SUBNET](t, r); len(ecs) != 1 {
				t.Errorf("Expected the client subnet in the truncated answer too, got %v", ecs)
			}
		}
	}
}
