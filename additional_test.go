package healthroute

import (
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// hostGroups are services, and hosts of which some work. Addresses below 192.0.2.9 do, and so does 2001:db8::1.
const hostGroups = dead + `
group @ simple {
	record MX "10 Mail" {
		value "20 Mail"
		value "30 mx.example.net."
		value "40 nothing"
	}
}
group null simple {
	record MX "0 ."
}
group _sip._tcp simple {
	record SRV "0 0 5060 many" {
		value "1 0 5060 some.wild"
		value "2 0 5060 alias"
	}
}
group svc simple {
	record HTTPS "1 . alpn=h2 ipv4hint=192.0.2.99 ipv6hint=2001:db8::99"
}
group svc multivalue {
	record 192.0.2.1
	record 192.0.2.9 probe dead
	record 2001:db8::1
}
group bare simple {
	record HTTPS "1 svc alpn=h2"
}
group only4 simple {
	record HTTPS "1 mail mandatory=ipv6hint,alpn alpn=h2 ipv4hint=192.0.2.99 ipv6hint=2001:db8::99"
}
group theirs simple {
	record SVCB "1 svc.example.net. ipv4hint=192.0.2.99"
}
group mail simple {
	ttl 7s
	probe dead
	record 192.0.2.25 probe none
}
group many multivalue {
	record 192.0.2.1
	record 192.0.2.2
	record 192.0.2.9 probe dead
	record 2001:db8::1
}
group *.wild simple {
	record 192.0.2.3
}
group alias simple {
	record CNAME mail
}
group points simple {
	record CNAME example.org.
}
`

// lines of a section as OWNER TYPE DATA, sorted.
func section(rrs []dns.RR) []string {
	var out []string
	for _, rr := range rrs {
		if h := rr.Header(); h.Rrtype != dns.TypeOPT {
			out = append(out, h.Name+" "+dns.Type(h.Rrtype).String()+" "+strings.TrimPrefix(rr.String(), h.String()))
		}
	}
	slices.Sort(out)
	return out
}

func expectAdditional(t *testing.T, r *dns.Msg, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := section(r.Extra); !slices.Equal(got, want) || !r.Authoritative || r.Truncated {
		t.Errorf("Expected the additional records\n%s\ngot:\n%v", strings.Join(want, "\n"), r)
	}
}

// TestAdditionalAddresses: the hosts that an answer names have their addresses beside it, as far as groups of ours have them and they work.
func TestAdditionalAddresses(t *testing.T) {
	s := start(t, listening("example.org", stanza("nameserver ns1 192.0.2.53 2001:db8::53\nnameserver NS2\nnameserver ns.example.net.", hostGroups,
		groupOf("simple", "ns2", "", "192.0.2.54"))))
	mail := "Mail.example.org. A 192.0.2.25"
	r := s.ask("example.org.", dns.TypeMX)
	expectAdditional(t, r, mail)
	if ttl := r.Extra[0].Header().Ttl; ttl != 7 {
		t.Errorf("Expected the TTL of the host's own record, 7, got %d", ttl)
	}
	expectAdditional(t, s.ask("points.example.org.", dns.TypeMX), mail)
	expectAdditional(t, s.ask("null.example.org.", dns.TypeMX))
	expectAdditional(t, s.ask("_sip._tcp.example.org.", dns.TypeSRV), "many.example.org. A 192.0.2.1", "many.example.org. A 192.0.2.2",
		"many.example.org. AAAA 2001:db8::1", "some.wild.example.org. A 192.0.2.3")
	expectAdditional(t, s.ask("example.org.", dns.TypeNS), "ns1.example.org. A 192.0.2.53", "ns1.example.org. AAAA 2001:db8::53",
		"ns2.example.org. A 192.0.2.54")
	expectAdditional(t, s.ask("SvC.example.org.", dns.TypeHTTPS), "SvC.example.org. A 192.0.2.1", "SvC.example.org. AAAA 2001:db8::1")
	expectAdditional(t, s.ask("bare.example.org.", dns.TypeHTTPS), "svc.example.org. A 192.0.2.1", "svc.example.org. AAAA 2001:db8::1")
	expectAdditional(t, s.ask("theirs.example.org.", dns.TypeSVCB))
	expectAdditional(t, s.ask("svc.example.org.", dns.TypeA))
	expectAdditional(t, s.ask("example.org.", dns.TypeANY))
	expectAdditional(t, s.ask("many.example.org.", dns.TypeMX))
}

// TestHints: the hints of a service binding are the addresses that its target has now, and none where it has none or no hint is asked for.
func TestHints(t *testing.T) {
	s := start(t, listening("example.org", stanza(hostGroups)))
	for name, want := range map[string]string{
		"svc":   `1 . alpn="h2" ipv4hint="192.0.2.1" ipv6hint="2001:db8::1"`,
		"bare":  `1 svc.example.org. alpn="h2"`,
		"only4": `1 mail.example.org. mandatory="alpn" alpn="h2" ipv4hint="192.0.2.25"`,
	} {
		r := s.ask(name+".example.org.", dns.TypeHTTPS)
		expectData(t, r, want)
		if ttl := r.Answer[0].Header().Ttl; name == "only4" && ttl != 7 {
			t.Errorf("Expected the record to live no longer than the hint, 7 s, got %d", ttl)
		}
	}
	expectData(t, s.ask("theirs.example.org.", dns.TypeSVCB), `1 svc.example.net. ipv4hint="192.0.2.99"`)
}

// TestHintsAgree: within a reply the hint is the address in the additional section, though each reply draws anew.
func TestHintsAgree(t *testing.T) {
	s := start(t, listening("example.org", stanza("group svc simple {\nrecord HTTPS \"1 . ipv4hint=192.0.2.99\"\n}",
		groupOf("weighted", "svc", "", "192.0.2.1", "192.0.2.2", "192.0.2.3"))))
	seen := map[string]bool{}
	for range 60 {
		r := s.ask("svc.example.org.", dns.TypeHTTPS)
		if len(r.Answer) != 1 || len(r.Extra) != 1 {
			t.Fatalf("Expected a record and an address, got:\n%v", r)
		}
		address := r.Extra[0].(*dns.A).A.String()
		expectData(t, r, `1 . ipv4hint="`+address+`"`)
		seen[address] = true
	}
	if len(seen) != 3 {
		t.Errorf("Expected all three addresses in 60 replies, got %v", seen)
	}
}

// TestAdditionalIsOptional: addresses that do not fit are left out whole, and no answer looks truncated for them.
func TestAdditionalIsOptional(t *testing.T) {
	groups := []string{"group _sip._tcp simple {\nrecord SRV \"0 0 5060 host0\" {"}
	for i := range 8 {
		groups[0] += "\nvalue \"1 0 5060 host" + string(rune('1'+i)) + "\""
	}
	groups[0] += "\n}\n}"
	for i := range 9 {
		groups = append(groups, groupOf("multivalue", "host"+string(rune('0'+i)), "", "192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1", "2001:db8::2"))
	}
	s := start(t, listening("example.org", stanza(groups...)))
	for name, edit := range map[string]func(*dns.Msg){
		"plain": func(*dns.Msg) {},
		"512":   func(m *dns.Msg) { m.SetEdns0(512, true) },
		"1232":  func(m *dns.Msg) { m.SetEdns0(1232, false) },
		"ecs":   func(m *dns.Msg) { withSubnet(m, 1, 24, 0, "198.51.100.0") },
	} {
		r := s.ask("_sip._tcp.example.org.", dns.TypeSRV, edit)
		if r.Truncated || len(r.Answer) != 9 {
			t.Errorf("%s: Expected nine records and no truncation, got:\n%v", name, r)
		}
		rrsets := map[string]int{}
		for _, rr := range r.Extra {
			if rr.Header().Rrtype != dns.TypeOPT {
				rrsets[rr.Header().Name+dns.Type(rr.Header().Rrtype).String()]++
			}
		}
		for rrset, n := range rrsets {
			if want := map[bool]int{true: 2, false: 3}[strings.HasSuffix(rrset, "AAAA")]; n != want {
				t.Errorf("%s: Expected %d records of %s or none, got %d", name, want, rrset, n)
			}
		}
		if len(rrsets) == 0 || len(rrsets) == 18 {
			t.Errorf("%s: Expected as much as fits, got %d RRsets", name, len(rrsets))
		}
	}
	if r := s.exchange("tcp", "_sip._tcp.example.org.", dns.TypeSRV); len(r.Extra) != 9*5 {
		t.Errorf("Expected all 45 addresses by TCP, got %d", len(r.Extra))
	}
}

// TestAdditionalBySubnet: resolvers keep additional data for all their clients, so that nothing there depends on one client's network; hints are part of
// the answer and do.
func TestAdditionalBySubnet(t *testing.T) {
	s := start(t, listening("example.org", stanza("group @ simple {\nrecord MX \"10 mail\"\n}\ngroup mail subnet {\nrecord 192.0.2.1 from 198.51.100.0/24\nrecord 192.0.2.2 default\n}",
		"group mail simple {\nrecord HTTPS \"1 . ipv4hint=192.0.2.99\"\n}")))
	subnet := func(m *dns.Msg) { withSubnet(m, 1, 24, 0, "198.51.100.0") }
	expectAdditional(t, s.ask("example.org.", dns.TypeMX), "mail.example.org. A 192.0.2.2")
	r := s.ask("example.org.", dns.TypeMX, subnet)
	expectAdditional(t, r)
	if got := options[*dns.EDNS0_SUBNET](t, r); len(got) != 1 || got[0].SourceScope != 0 {
		t.Errorf("Expected scope 0, got %v", got)
	}
	r = s.ask("mail.example.org.", dns.TypeHTTPS, subnet)
	expectData(t, r, `1 . ipv4hint="192.0.2.1"`)
	expectAdditional(t, r)
	if got := options[*dns.EDNS0_SUBNET](t, r); len(got) != 1 || got[0].SourceScope != 24 {
		t.Errorf("Expected scope 24, got %v", got)
	}
}
