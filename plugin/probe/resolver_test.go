package probe

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// nameServer answers over UDP and TCP on one port until the test ends, and remembers what it was asked.
type nameServer struct {
	at netip.AddrPort

	mu    sync.Mutex
	asked []string // guarded by mu: network, type and name
}

func newNameServer(t *testing.T, answer func(network string, query, reply *dns.Msg)) *nameServer {
	t.Helper()
	n := &nameServer{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Expected a listener, got %v", err)
	}
	n.at = listener.Addr().(*net.TCPAddr).AddrPort()
	packets, err := net.ListenPacket("udp", n.at.String())
	if err != nil {
		listener.Close()
		t.Skipf("Cannot listen on UDP and TCP of one port: %v", err)
	}
	var running sync.WaitGroup
	t.Cleanup(running.Wait) // after the shutdowns: the last one first
	for _, server := range []*dns.Server{{Listener: listener, Net: "tcp"}, {PacketConn: packets, Net: "udp"}} {
		server.Handler = dns.HandlerFunc(func(w dns.ResponseWriter, query *dns.Msg) {
			n.mu.Lock()
			n.asked = append(n.asked, server.Net+" "+dns.Type(query.Question[0].Qtype).String()+" "+query.Question[0].Name)
			n.mu.Unlock()
			reply := new(dns.Msg).SetReply(query)
			reply.RecursionAvailable = true
			answer(server.Net, query, reply)
			if reply.Id != 0 {
				_ = w.WriteMsg(reply)
			}
		})
		ready := make(chan struct{})
		server.NotifyStartedFunc = func() { close(ready) }
		running.Go(func() { _ = server.ActivateAndServe() })
		<-ready
		t.Cleanup(func() { _ = server.Shutdown() })
	}
	return n
}

// lookups answers from records in lookups file form.
func lookups(records ...string) func(string, *dns.Msg, *dns.Msg) {
	return func(_ string, query, reply *dns.Msg) {
		for _, text := range records {
			rr, err := dns.NewRR(text)
			if err != nil {
				panic(err)
			}
			name := rr.Header().Name
			if t := rr.Header().Rrtype; t == dns.TypeCNAME || t == query.Question[0].Qtype &&
				(name == query.Question[0].Name || strings.HasPrefix(name, "end.")) {
				reply.Answer = append(reply.Answer, rr)
			}
		}
	}
}

func code(rcode int) func(string, *dns.Msg, *dns.Msg) {
	return func(_ string, _, reply *dns.Msg) { reply.Rcode = rcode }
}

// A probe with a resolver of its own asks that, at each attempt, and nobody else.
func TestOwnResolver(t *testing.T) {
	server := serve(t, silent)
	lame := func(_ string, _, reply *dns.Msg) { reply.RecursionAvailable = false }
	truncated := func(network string, query, reply *dns.Msg) {
		if reply.Truncated = network == "udp"; !reply.Truncated {
			lookups("a.example. 60 A 127.0.0.1")(network, query, reply)
		}
	}
	other := func(_ string, _, reply *dns.Msg) { reply.Question[0].Name = "b.example." }
	tests := []struct {
		name    string
		answer  func(string, *dns.Msg, *dns.Msg)
		asked   []string
		outcome Outcome
		reason  string // AT is the server
	}{
		{"IPv4", lookups("a.example. 60 A 127.0.0.1", "a.example. 60 AAAA 2001:db8::1"), []string{"udp A a.example."}, Pass, ""},
		{"alias", lookups("a.example. 60 CNAME end.example.", "end.example. 60 A 127.0.0.1"), []string{"udp A a.example."}, Pass, ""},
		{"alias of an alias, out of order", lookups("b.example. 60 CNAME end.example.", "a.example. 60 CNAME B.example.", "end.example. 60 A 127.0.0.1"),
			[]string{"udp A a.example."}, Pass, ""},
		{"aliases in a circle", lookups("a.example. 60 CNAME b.example.", "b.example. 60 CNAME a.example."),
			[]string{"udp A a.example.", "udp AAAA a.example."}, Fail, `DNS resolution failed: "a.example" has no address`},
		{"truncated", truncated, []string{"udp A a.example.", "tcp A a.example."}, Pass, ""},
		{"NXDOMAIN", code(dns.RcodeNameError), []string{"udp A a.example.", "udp AAAA a.example."}, Fail, `DNS resolution failed: "a.example" has no address`},
		{"NODATA", code(dns.RcodeSuccess), []string{"udp A a.example.", "udp AAAA a.example."}, Fail, `DNS resolution failed: "a.example" has no address`},
		{"SERVFAIL", code(dns.RcodeServerFailure), []string{"udp A a.example."}, CannotTell, `our resolver AT failed for "a.example": SERVFAIL`},
		{"REFUSED", code(dns.RcodeRefused), []string{"udp A a.example."}, CannotTell, `our resolver AT failed for "a.example": REFUSED`},
		{"no recursion", lame, []string{"udp A a.example."}, CannotTell, `our resolver AT failed for "a.example": it does no recursion`},
		{"another question", other, []string{"udp A a.example."}, CannotTell, `our resolver AT failed for "a.example": the reply is for another question`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resolver := newNameServer(t, test.answer)
			prober := proberOf(t, config.ProbeTCP, func(p *config.Probe) { p.Resolver = resolver.at.String() })
			got := attempt(t, prober, Target{Name: "a.example", Port: server.Port()}, patience)
			expect(t, got, test.outcome, strings.ReplaceAll(test.reason, "AT", resolver.at.String()))
			resolver.mu.Lock()
			defer resolver.mu.Unlock()
			if !slices.Equal(resolver.asked, test.asked) {
				t.Errorf("Expected questions %v, got %v", test.asked, resolver.asked)
			}
		})
	}
}

func TestOwnResolverIsAway(t *testing.T) {
	gone := newNameServer(t, func(_ string, _, reply *dns.Msg) { reply.Id = 0 }) // it does not answer
	prober := proberOf(t, config.ProbeTCP, func(p *config.Probe) { p.Resolver = gone.at.String() })
	target := Target{Name: "a.example", Port: 80}
	expect(t, attempt(t, prober, target, briefly), CannotTell, `timed out while resolving "a.example"`)

	ctx, cancel := context.WithCancel(t.Context())
	hangs := newNameServer(t, func(_ string, _, reply *dns.Msg) { reply.Id = 0; cancel() })
	prober = proberOf(t, config.ProbeTCP, func(p *config.Probe) { p.Resolver = hangs.at.String() })
	expect(t, prober.Attempt(ctx, target), CannotTell, "attempt abandoned")
}

// A literal address is not asked for.
func TestOwnResolverOfAddresses(t *testing.T) {
	resolver := newNameServer(t, code(dns.RcodeServerFailure))
	prober := proberOf(t, config.ProbeTCP, func(p *config.Probe) { p.Resolver = resolver.at.String() })
	expect(t, attempt(t, prober, at(serve(t, silent)), patience), Pass, "")
	if resolver.mu.Lock(); len(resolver.asked) > 0 {
		t.Errorf("Expected no question, got %v", resolver.asked)
	}
	resolver.mu.Unlock()
}
