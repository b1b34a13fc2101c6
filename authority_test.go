package healthroute

import (
	"context"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/nonwriter"
	"github.com/coredns/coredns/plugin/test"
	"github.com/miekg/dns"
)

// TestSOAOutlivesFailures: the zone's SOA, once learned, does not turn into a made-up one because the next plugin fails
// for a moment.
func TestSOAOutlivesFailures(t *testing.T) {
	soa := test.SOA("example.org. 0 IN SOA ns1.example.org. hostmaster.example.org. 7 7200 1800 86400 30")
	rcode := dns.RcodeSuccess
	h := handlerFor(t, weightedStanza, plugin.HandlerFunc(func(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
		m := new(dns.Msg)
		m.SetRcode(r, rcode)
		if rcode == dns.RcodeSuccess && r.Question[0].Qtype == dns.TypeSOA {
			m.Answer = []dns.RR{soa}
		}
		return dns.RcodeSuccess, w.WriteMsg(m)
	}))
	ask := func() uint32 {
		w := nonwriter.New(&test.ResponseWriter{})
		if _, err := h.ServeDNS(context.Background(), w, question("www.example.org.", dns.TypeAAAA)); err != nil {
			t.Fatalf("Expected an answer, got: %v", err)
		}
		expectNegative(t, w.Msg, dns.RcodeSuccess, "example.org.", 30)
		return w.Msg.Ns[0].(*dns.SOA).Serial
	}
	for range 2 {
		if serial := ask(); serial != 7 { // its TTL is 0, each query learns it anew
			t.Errorf("Expected the serial 7, got %d", serial)
		}
		rcode = dns.RcodeServerFailure
	}
	if serial := ask(); serial != 7 {
		t.Errorf("Expected the serial 7 after a failure, got %d", serial)
	}
}
