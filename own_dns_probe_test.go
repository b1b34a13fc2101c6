package healthroute

import (
	"context"
	"net/netip"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// A dns probe asks a real CoreDNS, our own, over UDP and TCP.
func TestDNSProbeOfOwnServer(t *testing.T) {
	s := start(t, listening("example.org", "healthroute {", "group www simple {", "record 192.0.2.1", "}", "}"))
	for _, test := range []struct {
		network string
		dns     config.DNS
		reason  string
	}{
		{"udp", config.DNS{Name: "www.example.org.", Type: dns.TypeA, Answer: "192.0.2.1"}, ""},
		{"tcp", config.DNS{Name: "WWW.example.org.", Type: dns.TypeA, Answer: "192.0.2.1", TCP: true}, ""},
		{"udp", config.DNS{Name: "www.example.org.", Type: dns.TypeA, Answer: "192.0.2.2"}, `answer lacks "192.0.2.2": it has "192.0.2.1"`},
		{"udp", config.DNS{Name: "www.example.net.", Type: dns.TypeA, Rcode: dns.RcodeRefused}, ""},
		{"udp", config.DNS{Name: "www.example.net.", Type: dns.TypeA}, "answer is REFUSED, expected NOERROR"},
	} {
		p := config.DefaultProbe("dns", config.ProbeDNS, "")
		p.DNS = test.dns
		prober, err := probe.New(p)
		if err != nil {
			t.Fatal(err)
		}
		at := netip.MustParseAddrPort(s.address(test.network))
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		got := prober.Attempt(ctx, probe.Target{Address: at.Addr(), Port: at.Port()})
		cancel()
		if (got.Outcome == probe.Pass) != (test.reason == "") || got.Reason != test.reason {
			t.Errorf("Expected %q for %+v, got %v %q", test.reason, test.dns, got.Outcome, got.Reason)
		}
	}
	s.stop()
}
