package healthroute

import (
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// withSubnet adds an EDNS Client Subnet option, right or wrong.
func withSubnet(m *dns.Msg, family uint16, source, scope uint8, address string) {
	if m.IsEdns0() == nil {
		m.SetEdns0(1232, false)
	}
	o := m.IsEdns0()
	o.Option = append(o.Option, &dns.EDNS0_SUBNET{
		Code: dns.EDNS0SUBNET, Family: family, SourceNetmask: source, SourceScope: scope, Address: net.ParseIP(address),
	})
}

// mixedCase writes a name in random letter case, as resolvers do (0x20).
func mixedCase(name string) string {
	letters := []byte(name)
	for i, c := range letters {
		if rand.N(2) == 0 {
			letters[i] = strings.ToUpper(string(c))[0]
		}
	}
	return string(letters)
}

// options returns the options of the reply's one OPT record.
func options[T dns.EDNS0](t *testing.T, r *dns.Msg) []T {
	t.Helper()
	var out []T
	records := 0
	for _, rr := range r.Extra {
		if opt, ok := rr.(*dns.OPT); ok {
			records++
			for _, o := range opt.Option {
				if o, ok := o.(T); ok {
					out = append(out, o)
				}
			}
		}
	}
	if records != 1 {
		t.Errorf("Expected one OPT record, got %d in:\n%v", records, r)
	}
	return out
}

func ednsServer(t *testing.T) *server {
	t.Helper()
	return start(t, listening("example.org", stanza("nameserver ns1", groupOf("simple", "ns1", "", "192.0.2.53"), dead,
		groupOf("weighted", "www", "", "192.0.2.1", "192.0.2.2"),
		groupOf("simple", "down", "probe dead", "192.0.2.1"),
		groupOf("simple", "none", "probe dead\nlast_resort none", "192.0.2.1"),
		groupOf("simple", "alias", "", "CNAME down"),
		groupOf("simple", "servfail", "probe dead\nlast_resort servfail", "192.0.2.1"),
	)))
}

// TestSubnetScope: no policy looks at the client, so that every answer of ours holds for all (RFC 7871, report 16).
func TestSubnetScope(t *testing.T) {
	s := ednsServer(t)
	for _, c := range []struct {
		family  uint16
		source  uint8
		address string
	}{
		{1, 24, "198.51.100.0"}, {1, 32, "198.51.100.7"}, {1, 0, "0.0.0.0"}, {1, 12, "198.48.0.0"},
		{2, 56, "2001:db8::"}, {2, 128, "2001:db8::1"}, {2, 0, "::"},
	} {
		for _, q := range []string{
			"www.example.org. A", "www.example.org. AAAA", "www.example.org. TXT", "gone.example.org. A",
			"example.org. SOA", "example.org. NS", "none.example.org. A", "servfail.example.org. A",
		} {
			owner, word, _ := strings.Cut(q, " ")
			r := s.ask(owner, dns.StringToType[word], func(m *dns.Msg) { withSubnet(m, c.family, c.source, 0, c.address) })
			got := options[*dns.EDNS0_SUBNET](t, r)
			if len(got) != 1 || got[0].SourceScope != 0 || got[0].SourceNetmask != c.source || got[0].Family != c.family ||
				!got[0].Address.Equal(net.ParseIP(c.address)) {
				t.Errorf("Expected %s/%d with scope 0 for %s, got %v", c.address, c.source, q, got)
			}
		}
	}
}

func TestFaultySubnet(t *testing.T) {
	s := ednsServer(t)
	for name, edit := range map[string]func(*dns.Msg){
		"scope in a query":        func(m *dns.Msg) { withSubnet(m, 1, 24, 24, "198.51.100.0") },
		"bits beyond the prefix":  func(m *dns.Msg) { raw(m, 0, 1, 20, 0, 198, 51, 127) },
		"bits beyond, family 2":   func(m *dns.Msg) { raw(m, 0, 2, 12, 0, 0x20, 0x1f) },
		"prefix of 33 bits":       func(m *dns.Msg) { raw(m, 0, 1, 33, 0, 198, 51, 100, 7, 0) },
		"prefix of 129 bits":      func(m *dns.Msg) { raw(m, 0, 2, 129, 0) },
		"unknown family":          func(m *dns.Msg) { raw(m, 0, 3, 0, 0) },
		"family 0 with a prefix":  func(m *dns.Msg) { raw(m, 0, 0, 8, 0, 10) },
		"truncated in the middle": func(m *dns.Msg) { raw(m, 0, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			r := s.ask("www.example.org.", dns.TypeA, edit)
			if r.Rcode != dns.RcodeFormatError || len(r.Answer) != 0 {
				t.Errorf("Expected FORMERR alone, got:\n%v", r)
			}
		})
	}
}

// raw adds the subnet option with bytes as they are.
func raw(m *dns.Msg, content ...byte) {
	m.SetEdns0(1232, false)
	m.IsEdns0().Option = []dns.EDNS0{&dns.EDNS0_LOCAL{Code: dns.EDNS0SUBNET, Data: content}}
}

// TestNoEDNSUnasked: a query without an OPT record gets none.
func TestNoEDNSUnasked(t *testing.T) {
	s := ednsServer(t)
	for _, name := range []string{"www", "down", "none", "servfail", "gone"} {
		if r := s.ask(name+".example.org.", dns.TypeA); r.IsEdns0() != nil {
			t.Errorf("Expected no OPT record, got:\n%v", r)
		}
	}
}

// TestExtendedError says that a last resort answered (RFC 8914; spec 4.15).
func TestExtendedError(t *testing.T) {
	s := ednsServer(t)
	for name, group := range map[string]string{"www": "", "gone": "", "down": "down", "none": "none", "servfail": "servfail", "alias": "down"} {
		r := s.ask(name+".example.org.", dns.TypeA, func(m *dns.Msg) { m.SetEdns0(1232, true) })
		got := options[*dns.EDNS0_EDE](t, r)
		want := "last resort: no usable record in " + group + ".example.org."
		switch {
		case group == "" && len(got) != 0:
			t.Errorf("Expected no extended error for %s, got %v", name, got)
		case group != "" && (len(got) != 1 || got[0].InfoCode != 0 || got[0].ExtraText != want):
			t.Errorf("Expected code 0 %q, got %v", want, got)
		}
		if opt := r.IsEdns0(); opt == nil || !opt.Do() || opt.UDPSize() != 1232 {
			t.Errorf("Expected DO and the size 1232 to come back, got %v", opt)
		}
	}
}
