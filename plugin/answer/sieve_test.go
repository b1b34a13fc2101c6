package answer

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// message is a NOERROR reply with the records of the lines; a line that begins with + stands in the additional section, one with ! in the
// authority section.
func message(t testing.TB, lines ...string) *dns.Msg {
	t.Helper()
	m := new(dns.Msg)
	m.Response, m.AuthenticatedData = true, true
	for _, line := range lines {
		section := &m.Answer
		switch line[0] {
		case '+':
			section = &m.Extra
		case '!':
			section = &m.Ns
		}
		rr, err := dns.NewRR(strings.TrimLeft(line, "+!"))
		if err != nil {
			t.Fatalf("Expected a record, got %q: %v", line, err)
		}
		*section = append(*section, rr)
	}
	return m
}

// lines is the way back, without signatures' data.
func lines(m *dns.Msg) []string {
	var out []string
	for prefix, section := range map[string][]dns.RR{"": m.Answer, "+": m.Extra, "!": m.Ns} {
		for _, rr := range section {
			out = append(out, prefix+strings.Join(strings.Fields(rr.String()), " "))
		}
	}
	slices.Sort(out)
	return out
}

// unless is a judgement by which everything is usable but the addresses listed.
func unless(dead ...string) func(netip.Addr) bool {
	return func(a netip.Addr) bool { return !slices.Contains(dead, a.String()) }
}

func sig(owner, covered string) string {
	return owner + " 300 IN RRSIG " + covered + " 13 2 300 20300101000000 20200101000000 1 example.org. AAAA"
}

// TestSieve is spec 4.14 on messages alone. want is what is left, nil for the very message.
func TestSieve(t *testing.T) {
	for _, tc := range []struct {
		name string
		msg  []string
		dead []string
		none bool
		want []string
		gone []string
		did  sifted // but for gone
	}{
		{name: "nothing to do", msg: []string{"w. 30 IN A 192.0.2.1", "w. 20 IN A 192.0.2.2"}},
		{name: "T-297", msg: []string{"W. 3600 IN A 192.0.2.1", "w. 3600 IN A 192.0.2.2"}, dead: []string{"192.0.2.2"},
			want: []string{"W. 30 IN A 192.0.2.1"}, gone: []string{"192.0.2.2"}},
		{name: "T-298", msg: []string{"w. 30 IN A 192.0.2.1", "w. 30 IN A 192.0.2.2"}, dead: []string{"192.0.2.1", "192.0.2.2"},
			did: sifted{lastResort: true}},
		{name: "T-298 with a long TTL", msg: []string{"w. 60 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"},
			want: []string{"w. 30 IN A 192.0.2.1"}, did: sifted{lastResort: true}},
		{name: "T-299", msg: []string{"w. 30 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"}, none: true,
			want: []string{}, gone: []string{"192.0.2.1"}, did: sifted{lastResort: true, emptied: "w."}},
		{name: "T-300", msg: []string{"w. 30 IN CNAME C.", "c. 30 IN A 192.0.2.1", "c. 30 IN A 192.0.2.2"}, dead: []string{"192.0.2.1"},
			want: []string{"w. 30 IN CNAME C.", "c. 30 IN A 192.0.2.2"}, gone: []string{"192.0.2.1"}},
		{name: "T-300, none", msg: []string{"w. 3600 IN CNAME c.", "c. 30 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"}, none: true,
			want: []string{"w. 30 IN CNAME c."}, gone: []string{"192.0.2.1"}, did: sifted{lastResort: true, emptied: "c."}},
		{name: "T-301", msg: []string{"w. 3600 IN A 192.0.2.1", "w. 3600 IN A 192.0.2.2", sig("w.", "A")}, dead: []string{"192.0.2.1"}, none: true,
			did: sifted{signed: 1}},
		{name: "T-304", msg: []string{"w. 30 IN SRV 1 1 80 h1.", "w. 30 IN SRV 1 1 80 H2.", "+h1. 30 IN A 192.0.2.1", "+h2. 3600 IN A 192.0.2.2"},
			dead: []string{"192.0.2.1"}, want: []string{"w. 30 IN SRV 1 1 80 H2.", "+h2. 30 IN A 192.0.2.2"}, gone: []string{"192.0.2.1"}},

		{name: "SRV, one family of a target", msg: []string{"w. 30 IN SRV 1 1 80 h1.", "+h1. 30 IN A 192.0.2.1", "+h1. 30 IN AAAA 2001:db8::1"},
			dead: []string{"192.0.2.1"}, want: []string{"w. 30 IN SRV 1 1 80 h1.", "+h1. 30 IN AAAA 2001:db8::1"}, gone: []string{"192.0.2.1"}},
		{name: "SRV without an address", msg: []string{"w. 30 IN SRV 1 1 80 h1.", "w. 30 IN SRV 1 1 80 h2.", "+h2. 30 IN A 192.0.2.2"},
			dead: []string{"192.0.2.2"}, want: []string{"w. 30 IN SRV 1 1 80 h1."}, gone: []string{"192.0.2.2"}},
		{name: "SRV, last resort", msg: []string{"w. 60 IN SRV 1 1 80 h1.", "+h1. 30 IN A 192.0.2.1", "+ns. 3600 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"},
			want: []string{"w. 30 IN SRV 1 1 80 h1.", "+h1. 30 IN A 192.0.2.1", "+ns. 3600 IN A 192.0.2.1"}, did: sifted{lastResort: true}},
		{name: "SRV, none", msg: []string{"w. 30 IN SRV 1 1 80 h1.", "+h1. 30 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"}, none: true,
			want: []string{}, gone: []string{"192.0.2.1"}, did: sifted{lastResort: true, emptied: "w."}},
		{name: "SRV, signed", msg: []string{"w. 60 IN SRV 1 1 80 h1.", sig("w.", "SRV"), "+h1. 30 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"},
			did: sifted{signed: 1}},
		{name: "SRV, signed addresses", msg: []string{"w. 30 IN SRV 1 1 80 h1.", "+h1. 60 IN A 192.0.2.1", "+" + sig("h1.", "A")}, dead: []string{"192.0.2.1"},
			did: sifted{signed: 1}},
		{name: "SRV of nobody", msg: []string{"w. 30 IN SRV 0 0 0 ."}},

		{name: "both families, one dead", msg: []string{"w. 30 IN A 192.0.2.1", "w. 30 IN AAAA 2001:db8::1"}, dead: []string{"192.0.2.1"}, none: true,
			want: []string{"w. 30 IN AAAA 2001:db8::1"}, gone: []string{"192.0.2.1"}, did: sifted{lastResort: true}},
		{name: "both families, last resort of one", msg: []string{"w. 30 IN A 192.0.2.1", "w. 30 IN AAAA 2001:db8::1", "w. 30 IN AAAA 2001:db8::2"},
			dead: []string{"192.0.2.1", "2001:db8::1"}, want: []string{"w. 30 IN A 192.0.2.1", "w. 30 IN AAAA 2001:db8::2"}, gone: []string{"2001:db8::1"},
			did: sifted{lastResort: true}},
		{name: "an alias alone", msg: []string{"w. 3600 IN CNAME c."}},
		{name: "another name's address", msg: []string{"w. 30 IN CNAME c.", "x. 3600 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"}},
		{name: "a loop", msg: []string{"w. 3600 IN CNAME c.", "c. 3600 IN CNAME w."}, dead: []string{"192.0.2.1"}},
		{name: "a signed alias", msg: []string{"w. 3600 IN CNAME c.", sig("w.", "CNAME"), "c. 3600 IN A 192.0.2.1"},
			want: []string{"w. 3600 IN CNAME c.", sig("w.", "CNAME"), "c. 30 IN A 192.0.2.1"}},
		{name: "text", msg: []string{`w. 3600 IN TXT "192.0.2.1"`, "+ns. 3600 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"}},
		{name: "text beside", msg: []string{`w. 3600 IN TXT "x"`, "w. 30 IN A 192.0.2.1"}, dead: []string{"192.0.2.1"}, none: true,
			want: []string{`w. 3600 IN TXT "x"`}, gone: []string{"192.0.2.1"}, did: sifted{lastResort: true}},
		{name: "glue", msg: []string{"w. 30 IN A 192.0.2.1", "!w. 3600 IN NS ns.", "+ns. 3600 IN A 192.0.2.9"}, dead: []string{"192.0.2.9"}},
		{name: "an IPv4 address as AAAA", msg: []string{"w. 30 IN AAAA ::ffff:192.0.2.1", "w. 30 IN AAAA 2001:db8::1"}, dead: []string{"192.0.2.1"},
			want: []string{"w. 30 IN AAAA 2001:db8::1"}, gone: []string{"192.0.2.1"}},

		{name: "hints", msg: []string{`w. 30 IN HTTPS 1 . alpn="h2" ipv4hint="192.0.2.1,192.0.2.2" ipv6hint="2001:db8::1"`}, dead: []string{"192.0.2.1", "2001:db8::1"},
			want: []string{`w. 30 IN HTTPS 1 . alpn="h2" ipv4hint="192.0.2.2" ipv6hint="2001:db8::1"`}, gone: []string{"192.0.2.1"}},
		{name: "hints, none", msg: []string{`w. 60 IN SVCB 1 . alpn="h2" ipv4hint="192.0.2.1" ipv6hint="2001:db8::1,2001:db8::2"`}, dead: []string{"192.0.2.1", "2001:db8::1"},
			none: true, want: []string{`w. 30 IN SVCB 1 . alpn="h2" ipv6hint="2001:db8::2"`}, gone: []string{"192.0.2.1", "2001:db8::1"}},
		{name: "a mandatory hint", msg: []string{`w. 30 IN HTTPS 1 . mandatory="ipv4hint" ipv4hint="192.0.2.1"`}, dead: []string{"192.0.2.1"}, none: true},
		{name: "a signed hint", msg: []string{`w. 60 IN HTTPS 1 . ipv4hint="192.0.2.1"`, sig("w.", "HTTPS")}, dead: []string{"192.0.2.1"}, none: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			msg := message(t, tc.msg...)
			before := msg.Copy()
			s := sieve{ttl: 30, none: tc.none, usable: unless(tc.dead...)}
			got := s.reply(msg, "w.")
			if !slices.Equal(lines(msg), lines(before)) || msg.AuthenticatedData != before.AuthenticatedData {
				t.Fatalf("Expected the message that came in to stay as it was, got:\n%v", msg)
			}
			if (got == msg) != (tc.want == nil) {
				t.Fatalf("Expected the very message %v, got %v:\n%v", tc.want == nil, got == msg, got)
			}
			if want := message(t, tc.want...); tc.want != nil && !slices.Equal(lines(got), append(lines(want), section("!", before.Ns)...)) {
				t.Errorf("Expected:\n%s\ngot:\n%s", strings.Join(lines(want), "\n"), strings.Join(lines(got), "\n"))
			}
			if got.AuthenticatedData != (len(tc.gone) == 0) {
				t.Errorf("Expected AD only where nothing went, got %v", got.AuthenticatedData)
			}
			var gone []string
			for _, a := range s.gone {
				gone = append(gone, a.String())
			}
			if !slices.Equal(gone, tc.gone) {
				t.Errorf("Expected %v to go, got %v", tc.gone, gone)
			}
			if s.signed != tc.did.signed || s.lastResort != tc.did.lastResort || s.emptied != tc.did.emptied {
				t.Errorf("Expected %+v, got %+v", tc.did, s.sifted)
			}
		})
	}
}

func section(prefix string, rrs []dns.RR) []string {
	var out []string
	for _, rr := range rrs {
		out = append(out, prefix+strings.Join(strings.Fields(rr.String()), " "))
	}
	return out
}

// TestSieveRcode: only NOERROR is looked at (T-302).
func TestSieveRcode(t *testing.T) {
	for _, rcode := range []int{dns.RcodeNameError, dns.RcodeServerFailure, dns.RcodeRefused} {
		msg := message(t, "w. 3600 IN A 192.0.2.1")
		msg.Rcode = rcode
		s := sieve{ttl: 30, usable: unless("192.0.2.1")}
		if got := s.reply(msg, "w."); got != msg {
			t.Errorf("Expected the very message with %s, got:\n%v", dns.RcodeToString[rcode], got)
		}
	}
}

// TestSieveKeepsOPT: the pseudo-record has flags where others have their TTL.
func TestSieveKeepsOPT(t *testing.T) {
	msg := message(t, "w. 3600 IN SRV 1 1 80 h1.", "+h1. 3600 IN A 192.0.2.1")
	msg.SetEdns0(1232, true)
	opt := msg.IsEdns0()
	s := sieve{ttl: 30, usable: unless()}
	got := s.reply(msg, "w.")
	if got == msg || got.IsEdns0() != opt || !opt.Do() {
		t.Errorf("Expected the very OPT record, got:\n%v", got)
	}
}
