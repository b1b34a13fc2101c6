package locate

import (
	"net"
	"net/netip"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// option is an ECS option as it comes off the wire.
func option(family uint16, address string, length, scope uint8) *dns.EDNS0_SUBNET {
	return &dns.EDNS0_SUBNET{Code: dns.EDNS0SUBNET, Family: family, Address: net.ParseIP(address), SourceNetmask: length, SourceScope: scope}
}

func queryWith(options ...dns.EDNS0) *dns.Msg {
	m := new(dns.Msg)
	m.SetQuestion("www.example.org.", dns.TypeA)
	if options != nil {
		m.SetEdns0(1232, false)
		m.IsEdns0().Option = options
	}
	return m
}

func TestClientOf(t *testing.T) {
	const here = "198.51.100.7"
	from := config.ECS{From: []netip.Prefix{prefix("203.0.113.0/24"), prefix("2001:db8:53::/48")}}
	cookie := &dns.EDNS0_COOKIE{Code: dns.EDNS0COOKIE, Cookie: "0123456789abcdef"}
	tests := []struct {
		name      string
		source    string
		ecs       config.ECS
		options   []dns.EDNS0
		network   string
		malformed bool
		reply     int // scope of the reply to a decision of 21 bits; -1: no option
	}{
		{"no EDNS", here, config.ECS{}, nil, "198.51.100.7/32", false, -1},
		{"EDNS without the option", here, config.ECS{}, []dns.EDNS0{cookie}, "198.51.100.7/32", false, -1},
		{"IPv6 source", "2001:db8::7", config.ECS{}, nil, "2001:db8::7/128", false, -1},
		{"IPv6 source with zone", "fe80::7%eth0", config.ECS{}, nil, "fe80::7/128", false, -1},
		{"mapped source", "::ffff:198.51.100.7", config.ECS{}, nil, "198.51.100.7/32", false, -1},
		{"IPv4 /24", here, config.ECS{}, []dns.EDNS0{cookie, option(1, "192.0.2.0", 24, 0)}, "192.0.2.0/24", false, 21},
		{"IPv4 /32", here, config.ECS{}, []dns.EDNS0{option(1, "192.0.2.1", 32, 0)}, "192.0.2.1/32", false, 21},
		{"IPv4 /21", here, config.ECS{}, []dns.EDNS0{option(1, "192.0.8.0", 21, 0)}, "192.0.8.0/21", false, 21},
		{"IPv4 /1", here, config.ECS{}, []dns.EDNS0{option(1, "128.0.0.0", 1, 0)}, "128.0.0.0/1", false, 21},
		{"IPv6 /56", here, config.ECS{}, []dns.EDNS0{option(2, "2001:db8:0:1200::", 56, 0)}, "2001:db8:0:1200::/56", false, 21},
		{"IPv6 /57", here, config.ECS{}, []dns.EDNS0{option(2, "2001:db8:0:1280::", 57, 0)}, "2001:db8:0:1280::/57", false, 21},
		{"IPv6 /128", here, config.ECS{}, []dns.EDNS0{option(2, "2001:db8::1", 128, 0)}, "2001:db8::1/128", false, 21},
		{"IPv4 written as IPv6", here, config.ECS{}, []dns.EDNS0{option(2, "::ffff:192.0.2.0", 120, 0)}, "192.0.2.0/24", false, 117},
		{"IPv6 shorter than that", here, config.ECS{}, []dns.EDNS0{option(2, "::", 95, 0)}, "::/95", false, 21},
		{"opted out, IPv4", here, config.ECS{}, []dns.EDNS0{option(1, "0.0.0.0", 0, 0)}, "198.51.100.7/32", false, 0},
		{"opted out, IPv6", here, config.ECS{}, []dns.EDNS0{option(2, "::", 0, 0)}, "198.51.100.7/32", false, 0},
		{"opted out, no family", here, config.ECS{}, []dns.EDNS0{option(0, "0.0.0.0", 0, 0)}, "198.51.100.7/32", false, 0},
		{"no family with length", here, config.ECS{}, []dns.EDNS0{option(0, "0.0.0.0", 1, 0)}, "198.51.100.7/32", true, -1},
		{"unknown family", here, config.ECS{}, []dns.EDNS0{option(3, "192.0.2.0", 24, 0)}, "198.51.100.7/32", true, -1},
		{"unknown family opted out", here, config.ECS{}, []dns.EDNS0{option(3, "0.0.0.0", 0, 0)}, "198.51.100.7/32", true, -1},
		{"IPv4 too long", here, config.ECS{}, []dns.EDNS0{option(1, "192.0.2.0", 33, 0)}, "198.51.100.7/32", true, -1},
		{"IPv6 too long", here, config.ECS{}, []dns.EDNS0{option(2, "2001:db8::", 129, 0)}, "198.51.100.7/32", true, -1},
		{"scope in a query", here, config.ECS{}, []dns.EDNS0{option(1, "192.0.2.0", 24, 24)}, "198.51.100.7/32", true, -1},
		{"scope in an opt-out", here, config.ECS{}, []dns.EDNS0{option(1, "0.0.0.0", 0, 8)}, "198.51.100.7/32", true, -1},
		{"IPv4 bits beyond", here, config.ECS{}, []dns.EDNS0{option(1, "192.0.2.1", 24, 0)}, "198.51.100.7/32", true, -1},
		{"IPv4 bits beyond /21", here, config.ECS{}, []dns.EDNS0{option(1, "192.0.12.0", 21, 0)}, "198.51.100.7/32", true, -1},
		{"IPv6 bits beyond /57", here, config.ECS{}, []dns.EDNS0{option(2, "2001:db8:0:12c0::", 57, 0)}, "198.51.100.7/32", true, -1},
		{"bits beyond /0", here, config.ECS{}, []dns.EDNS0{option(1, "128.0.0.0", 0, 0)}, "198.51.100.7/32", true, -1},
		{"IPv6 address as IPv4", here, config.ECS{}, []dns.EDNS0{option(1, "2001:db8::", 24, 0)}, "198.51.100.7/32", true, -1},
		{"no address", here, config.ECS{}, []dns.EDNS0{option(1, "", 24, 0)}, "198.51.100.7/32", true, -1},
		{"short address", here, config.ECS{}, []dns.EDNS0{&dns.EDNS0_SUBNET{Family: 2, SourceNetmask: 24, Address: net.IP{192, 0, 2, 0}}}, "198.51.100.7/32", true, -1},
		{"two options", here, config.ECS{}, []dns.EDNS0{option(1, "192.0.2.0", 24, 0), option(2, "2001:db8::", 32, 0)}, "192.0.2.0/24", false, 21},
		{"second malformed", here, config.ECS{}, []dns.EDNS0{option(1, "192.0.2.0", 24, 0), option(9, "2001:db8::", 32, 0)}, "198.51.100.7/32", true, -1},
		{"off", here, config.ECS{Off: true}, []dns.EDNS0{option(1, "192.0.2.0", 24, 0)}, "198.51.100.7/32", false, -1},
		{"off, malformed", here, config.ECS{Off: true}, []dns.EDNS0{option(9, "192.0.2.0", 24, 0)}, "198.51.100.7/32", false, -1},
		{"asker outside", here, from, []dns.EDNS0{option(1, "192.0.2.0", 24, 0)}, "198.51.100.7/32", false, -1},
		{"asker outside, opted out", here, from, []dns.EDNS0{option(1, "0.0.0.0", 0, 0)}, "198.51.100.7/32", false, -1},
		{"asker outside, malformed", here, from, []dns.EDNS0{option(9, "192.0.2.0", 24, 0)}, "198.51.100.7/32", false, -1},
		{"asker inside", "203.0.113.9", from, []dns.EDNS0{option(1, "192.0.2.0", 24, 0)}, "192.0.2.0/24", false, 21},
		{"mapped asker inside", "::ffff:203.0.113.9", from, []dns.EDNS0{option(1, "192.0.2.0", 24, 0)}, "192.0.2.0/24", false, 21},
		{"IPv6 asker inside", "2001:db8:53::9", from, []dns.EDNS0{option(1, "192.0.2.0", 24, 0)}, "192.0.2.0/24", false, 21},
	}
	for _, tt := range tests {
		req := queryWith(tt.options...)
		c, s := ClientOf(req, netip.MustParseAddr(tt.source), tt.ecs, nil)
		if c.Network != prefix(tt.network) || s.Malformed != tt.malformed {
			t.Errorf("%s: Expected the client %s, malformed %v, got %s, %v", tt.name, tt.network, tt.malformed, c.Network, s.Malformed)
		}
		back := s.Reply(21)
		switch {
		case back == nil && tt.reply == -1:
		case back == nil || tt.reply == -1:
			t.Errorf("%s: Expected the scope %d in the reply, got %v", tt.name, tt.reply, back)
		default:
			sent, _ := SubnetOf(req)
			if int(back.SourceScope) != tt.reply || back.Family != sent.Family || back.SourceNetmask != sent.SourceNetmask || !back.Address.Equal(sent.Address) {
				t.Errorf("%s: Expected the option that was sent with the scope %d, got %v", tt.name, tt.reply, back)
			}
			if sent.SourceScope != 0 {
				t.Errorf("%s: Expected the query to be left alone, got %v", tt.name, sent)
			}
		}
	}
}

func TestReplyScope(t *testing.T) {
	tests := []struct {
		option      *dns.EDNS0_SUBNET
		scope, want int
	}{
		{option(1, "192.0.2.0", 24, 0), 0, 0}, {option(1, "192.0.2.0", 24, 0), 12, 12}, {option(1, "192.0.2.0", 24, 0), 32, 32},
		{option(1, "192.0.2.0", 24, 0), 128, 32}, {option(1, "192.0.2.0", 24, 0), -1, 0},
		{option(2, "2001:db8::", 32, 0), 64, 64}, {option(2, "2001:db8::", 32, 0), 200, 128},
		{option(2, "::ffff:192.0.2.0", 120, 0), 0, 96}, {option(2, "::ffff:192.0.2.0", 120, 0), 32, 128},
	}
	for _, tt := range tests {
		_, s := ClientOf(queryWith(tt.option), netip.MustParseAddr("198.51.100.7"), config.ECS{}, nil)
		if got := s.Reply(tt.scope); got == nil || int(got.SourceScope) != tt.want {
			t.Errorf("Expected the scope %d for %d in the reply to %v, got %v", tt.want, tt.scope, tt.option, got)
		}
	}
}

func BenchmarkClientOf(b *testing.B) {
	l := New(parse(b, sample))
	req, source := queryWith(option(1, "192.0.2.0", 24, 0)), netip.MustParseAddr("198.51.100.7")
	b.ReportAllocs()
	for b.Loop() {
		c, _ := ClientOf(req, source, config.ECS{}, l)
		c.Country()
	}
}

// FuzzClientOf feeds messages off the wire: no panic, no malformed option that counts, and a reply that can be packed.
func FuzzClientOf(f *testing.F) {
	for _, o := range []dns.EDNS0{option(1, "192.0.2.0", 24, 0), option(2, "2001:db8::", 57, 0), option(1, "0.0.0.0", 0, 0), option(2, "::ffff:192.0.2.0", 120, 0)} {
		wire, err := queryWith(o).Pack()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire, 20)
	}
	source := netip.MustParseAddr("198.51.100.7")
	f.Fuzz(func(t *testing.T, wire []byte, scope int) {
		req := new(dns.Msg)
		if req.Unpack(wire) != nil {
			return
		}
		c, s := ClientOf(req, source, config.ECS{}, nil)
		if c.Network != c.Network.Masked() || !c.Network.IsValid() || c.Network.Addr().Is4In6() {
			t.Fatalf("Expected a network, got %v", c.Network)
		}
		back := s.Reply(scope)
		sent, good := SubnetOf(req)
		if s.Malformed == good || (back != nil) != (sent != nil && good) {
			t.Fatalf("Expected an option back for a good one only, got %v for %v, malformed %v", back, sent, s.Malformed)
		}
		if back == nil {
			return
		}
		if back.SourceNetmask == 0 && (back.SourceScope != 0 || c.Network != netip.PrefixFrom(source, 32)) {
			t.Fatalf("Expected the source address and scope 0 for an opt-out, got %v and %v", c.Network, back)
		}
		reply := new(dns.Msg)
		reply.SetReply(queryWith())
		reply.SetEdns0(1232, false)
		reply.IsEdns0().Option = []dns.EDNS0{back}
		if _, err := reply.Pack(); err != nil {
			t.Fatalf("Expected a reply that can be sent, got %v", err)
		}
	})
}
