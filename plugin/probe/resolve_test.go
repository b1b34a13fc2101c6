package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// broken is a resolver that always answers the same.
type broken struct {
	addrs []netip.Addr
	err   error
}

func (b broken) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return b.addrs, b.err
}

func TestResolve(t *testing.T) {
	server := serve(t, silent)
	tests := []struct {
		name     string
		resolver resolver
		outcome  Outcome
		reason   string
	}{
		{"the first address counts", names{"a.example": {"127.0.0.1", "::1"}}, Pass, ""},
		{"mapped address", names{"a.example": {"::ffff:127.0.0.1"}}, Pass, ""},
		{"NXDOMAIN", names{}, Fail, `DNS resolution failed: "a.example" has no address`},
		{"no address", broken{}, Fail, `DNS resolution failed: "a.example" has no address`},
		{"timeout", broken{err: &net.DNSError{Err: "i/o timeout", Server: "127.0.0.53:53", IsTimeout: true, IsTemporary: true}},
			CannotTell, `our resolver 127.0.0.53:53 did not answer for "a.example"`},
		{"SERVFAIL", broken{err: &net.DNSError{Err: "server misbehaving", Server: "127.0.0.53:53", IsTemporary: true}},
			CannotTell, `our resolver 127.0.0.53:53 failed for "a.example": server misbehaving`},
		{"unreachable", broken{err: &net.DNSError{Err: "read udp 127.0.0.1:9->127.0.0.53:53: read: connection refused", Server: "127.0.0.53:53"}},
			CannotTell, `our resolver 127.0.0.53:53 failed for "a.example": connection refused`},
		{"anything else", broken{err: errors.New("no idea")}, CannotTell, `our resolver failed for "a.example": no idea`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prober := proberOf(t, config.ProbeTCP)
			prober.dialer.resolver = test.resolver
			expect(t, attempt(t, prober, Target{Name: "a.example", Port: server.Port()}, patience), test.outcome, test.reason)
		})
	}
}

// The name server of this test listens and never answers. Nothing may remain of a lookup that was given up: goleak
// looks for it after the tests.
func TestResolverHangs(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Expected a socket, got %v", err)
	}
	defer server.Close()
	asking := func(seen func()) *Prober {
		prober := proberOf(t, config.ProbeTCP)
		prober.dialer.resolver = systemResolver(func(ctx context.Context, _, _ string) (net.Conn, error) {
			defer seen()
			return dialServer(ctx, "udp", server.LocalAddr().String())
		})
		return prober
	}
	target := Target{Name: "a.example", Port: 80}
	expect(t, attempt(t, asking(func() {}), target, briefly), CannotTell, `timed out while resolving "a.example"`)

	ctx, cancel := context.WithCancel(t.Context())
	expect(t, asking(cancel).Attempt(ctx, target), CannotTell, "attempt abandoned")
}
