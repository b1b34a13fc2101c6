package healthroute

import (
	"slices"
	"testing"
	"time"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/request"
	"github.com/miekg/dns"
)

// pretendedSigner signs what lies in one zone with a signature of the zone's name alone.
type pretendedSigner struct {
	plugin.Handler
	zone string
}

// Sign is signer's.
func (p pretendedSigner) Sign(state request.Request, _ time.Time, _ string) *dns.Msg {
	m := state.Req
	for _, rr := range m.Answer {
		if dns.IsSubDomain(p.zone, rr.Header().Name) {
			m.Answer = append(m.Answer, &dns.RRSIG{Hdr: dns.RR_Header{Name: rr.Header().Name, Rrtype: dns.TypeRRSIG}, SignerName: p.zone})
		}
	}
	return m
}

// TestSigning: zones that *dnssec* signs are found out, and only those who want signatures get them, on a copy of their own.
func TestSigning(t *testing.T) {
	if s := newSigning(nil, []string{"example.org."}, ""); s != nil || s.signs("example.org.") {
		t.Errorf("Expected nothing without a signer, got %v", s)
	}
	if s := newSigning(pretendedSigner{zone: "example.net."}, []string{"example.org."}, ""); s != nil {
		t.Errorf("Expected nothing from a signer of another zone, got %v", s)
	}
	s := newSigning(pretendedSigner{zone: "example.org."}, []string{"www.example.org.", "example.net."}, "")
	for name, want := range map[string]bool{"A.www.Example.org.": true, "example.org.": false, "example.net.": false} {
		if got := s.signs(name); got != want {
			t.Errorf("Expected %v of %s, got %v", want, name, got)
		}
	}
	reply := new(dns.Msg)
	for _, text := range []string{"www.example.org. A 192.0.2.2", "www.example.org. A 192.0.2.1"} {
		rr, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		reply.Answer = append(reply.Answer, rr)
	}
	given := slices.Clone(reply.Answer)
	for _, c := range []struct {
		zone   string
		edit   func(*dns.Msg)
		signed bool
	}{
		{"www.example.org.", func(m *dns.Msg) { m.SetEdns0(1232, true) }, true},
		{"www.example.org.", func(m *dns.Msg) { m.SetEdns0(1232, false) }, false},
		{"www.example.org.", func(*dns.Msg) {}, false},
		{"example.net.", func(m *dns.Msg) { m.SetEdns0(1232, true) }, false},
	} {
		r := question("www.example.org.", dns.TypeA)
		c.edit(r)
		got := s.sign(t.Context(), c.zone, r, reply)
		if c.signed != (len(got.Answer) == 4) || c.signed == (got == reply) || !slices.Equal(reply.Answer, given) {
			t.Errorf("Expected signed %v and the reply as it was, got %s and %s", c.signed, got, reply)
		}
		if c.signed && got.Answer[0] != given[1] {
			t.Errorf("Expected the records in one order, got %s", got)
		}
		opt := s.unsigned(r).IsEdns0()
		if opt != nil && opt.Do() || (r.IsEdns0() != nil) != (opt != nil) {
			t.Errorf("Expected the rest of the chain to be asked for nothing signed, got %v", opt)
		}
	}
}
