package answer

import (
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

// TestFit: for every size, what is left of the additional section is a beginning of it in whole RRsets, as long as it can be, and the server has
// nothing to cut because of it.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := new(dns.Msg).SetQuestion("_sip._tcp.example.org.", dns.TypeSRV)
		if rapid.Bool().Draw(t, "edns") {
			req.SetEdns0(4096, rapid.Bool().Draw(t, "do"))
		}
		size := rapid.IntRange(512, 1500).Draw(t, "size")
		m := new(dns.Msg).SetReply(req)
		for i := range rapid.IntRange(1, 12).Draw(t, "hosts") {
			host := fmt.Sprintf("host%d.example.org.", i)
			m.Answer = append(m.Answer, &dns.SRV{Hdr: header("_sip._tcp.example.org.", dns.TypeSRV), Port: 5060, Target: host})
			for _, n := range []int{rapid.IntRange(0, 5).Draw(t, "v4"), rapid.IntRange(0, 5).Draw(t, "v6")} {
				for j := range n {
					m.Extra = append(m.Extra, &dns.A{Hdr: header(host, dns.TypeA), A: net.IPv4(192, 0, 2, byte(j))})
				}
			}
		}
		if req.IsEdns0() != nil && rapid.Bool().Draw(t, "option") {
			m.SetEdns0(4096, false)
			m.IsEdns0().Option = append(m.IsEdns0().Option, &dns.EDNS0_EDE{ExtraText: "last resort"})
		}
		whole := addressesIn(m)
		res := Result{Msg: m}
		res.Fit(req, func() int { return size })
		left := addressesIn(m)
		if !slices.Equal(left, whole[:len(left)]) {
			t.Fatalf("Expected a beginning of %v, got %v", whole, left)
		}
		if n := len(left); n > 0 && n < len(whole) && whole[n] == whole[n-1] {
			t.Fatalf("Expected whole RRsets, got %v of %v", left, whole)
		}
		if req.IsEdns0() != nil && m.IsEdns0() == nil {
			m.Extra = append(m.Extra, req.IsEdns0()) // as the server does
		}
		before := len(m.Extra)
		m.Truncate(size)
		if len(left) > 0 && (m.Truncated || len(m.Extra) != before) {
			t.Fatalf("Expected nothing to be cut at %d bytes, got:\n%v", size, m)
		}
	})
}

func header(name string, rrtype uint16) dns.RR_Header {
	return dns.RR_Header{Name: name, Rrtype: rrtype, Class: dns.ClassINET, Ttl: 30}
}

// addressesIn are the owners in the additional section, in their order.
func addressesIn(m *dns.Msg) []string {
	var out []string
	for _, rr := range m.Extra {
		if rr.Header().Rrtype != dns.TypeOPT {
			out = append(out, rr.Header().Name)
		}
	}
	return out
}

// TestFitLeavesOthersAlone: what is not ours, and what a referral needs, stays.
func TestFitLeavesOthersAlone(t *testing.T) {
	req := new(dns.Msg).SetQuestion("www.example.org.", dns.TypeA)
	full := func() *dns.Msg {
		m := new(dns.Msg).SetReply(req)
		for i := range 60 {
			m.Extra = append(m.Extra, &dns.A{Hdr: header(fmt.Sprintf("host%d.example.org.", i), dns.TypeA), A: net.IPv4(192, 0, 2, 1)})
		}
		return m
	}
	answered := full()
	answered.Answer = []dns.RR{&dns.A{Hdr: header("www.example.org.", dns.TypeA), A: net.IPv4(192, 0, 2, 1)}}
	for name, res := range map[string]Result{"relayed": {Msg: answered, relayed: true}, "referral": {Msg: full()}} {
		res.Fit(req, func() int { return 512 })
		if len(res.Msg.Extra) != 60 || res.Msg.Compress {
			t.Errorf("Expected the %s reply untouched, got %d additional records", name, len(res.Msg.Extra))
		}
	}
}

// TestWithoutMandatory: the list of what clients must understand names what is there (RFC 9460 section 8).
func TestWithoutMandatory(t *testing.T) {
	for _, c := range []struct {
		data string
		lost []dns.SVCBKey
		want string
	}{
		{"1 . mandatory=alpn,ipv4hint alpn=h2 ipv4hint=192.0.2.1", nil, `mandatory="alpn,ipv4hint" alpn="h2" ipv4hint="192.0.2.1"`},
		{"1 . mandatory=alpn,ipv4hint alpn=h2", []dns.SVCBKey{dns.SVCB_IPV4HINT}, `mandatory="alpn" alpn="h2"`},
		{"1 . mandatory=ipv4hint alpn=h2", []dns.SVCBKey{dns.SVCB_IPV4HINT, dns.SVCB_IPV6HINT}, `alpn="h2"`},
		{"1 . alpn=h2", []dns.SVCBKey{dns.SVCB_IPV6HINT}, `alpn="h2"`},
	} {
		rr, err := dns.NewRR("svc. IN SVCB " + c.data)
		if err != nil {
			t.Fatal(err)
		}
		binding := rr.(*dns.SVCB)
		binding.Value = withoutMandatory(binding.Value, c.lost)
		if got := Data(binding); got != "1 . "+c.want {
			t.Errorf("Expected %q without %v, got %q", c.want, c.lost, got)
		}
	}
}
