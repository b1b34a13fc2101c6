package healthroute

import (
	"context"
	"net"
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

// The hosts that records lead to may be ours, and our server the one that is asked for them: what it answers is what is usable, and a host that nothing usable is
// known of has its last resort.
func TestHostsOfOwnServer(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	s := start(t, listening("example.org", stanza(dead, "group mail multivalue {\nrecord 127.0.0.1\nrecord 127.0.0.9 probe dead\n}",
		"group alias failover {\nrecord CNAME gone primary probe dead\nrecord CNAME mail secondary\n}", "group none simple {\nprobe dead\nlast_resort none\nrecord 127.0.0.1\n}")))
	p := config.DefaultProbe("web", config.ProbeHTTP, "")
	p.Resolver = s.address("udp")
	prober, err := probe.New(p)
	if err != nil {
		t.Fatal(err)
	}
	port := netip.MustParseAddrPort(net.JoinHostPort("127.0.0.1", b.Port)).Port()
	for host, reason := range map[string]string{
		"mail.example.org": "", "alias.example.org": "", "none.example.org": `DNS resolution failed: "none.example.org" has no address`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		got := prober.Attempt(ctx, probe.Target{Name: host, Port: port})
		cancel()
		if got.Reason != reason {
			t.Errorf("Expected %q of %s, got %v %q", reason, host, got.Outcome, got.Reason)
		}
	}
}
