package probe

import (
	"context"
	"net"
	"net/netip"
	"syscall"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// bound is a socket with a port of its own that does not listen: connections to it are refused.
func bound(t *testing.T) (socket int, name *syscall.SockaddrInet4) {
	t.Helper()
	socket = newSocket(t, 0)
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatalf("Expected to bind, got %v", err)
	}
	own, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatalf("Expected the socket's name, got %v", err)
	}
	return socket, own.(*syscall.SockaddrInet4)
}

// newSocket is a TCP socket that the end of the test closes.
func newSocket(t *testing.T, flags int) int {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|flags, 0)
	if err != nil {
		t.Fatalf("Expected a socket, got %v", err)
	}
	t.Cleanup(func() { syscall.Close(socket) })
	return socket
}

func refusing(t *testing.T) netip.AddrPort {
	t.Helper()
	_, name := bound(t)
	return netip.AddrPortFrom(netip.AddrFrom4(name.Addr), uint16(name.Port))
}

// overflowing is a listener whose accept queue is full: it leaves the first packet of a connection unanswered.
func overflowing(t *testing.T) netip.AddrPort {
	t.Helper()
	listener, name := bound(t)
	if err := syscall.Listen(listener, 0); err != nil {
		t.Fatalf("Expected to listen, got %v", err)
	}
	for range 4 {
		if err := syscall.Connect(newSocket(t, syscall.SOCK_NONBLOCK), name); err != nil && err != syscall.EINPROGRESS {
			t.Fatalf("Expected a connection in progress, got %v", err)
		}
	}
	return netip.AddrPortFrom(netip.AddrFrom4(name.Addr), uint16(name.Port))
}

// As in TestTimeouts, but with real sockets, whose deadlines and errors are their own.
func TestConnectHangs(t *testing.T) {
	server := overflowing(t)
	for _, kind := range []config.ProbeType{config.ProbeHTTP, config.ProbeHTTPS, config.ProbeTCP} {
		expect(t, attempt(t, proberOf(t, kind), at(server), briefly), Fail, "timed out while connecting")
	}
	limits := func(p *config.Probe) { p.ConnectTimeout, p.ResponseTimeout = briefly, patience }
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, limits), at(server), patience), Fail, "timed out while connecting")

	ctx, cancel := context.WithCancel(t.Context())
	prober := proberOf(t, config.ProbeTCP)
	prober.dialer.dial = func(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
		cancel()
		return dialTCP(ctx, at)
	}
	expect(t, prober.Attempt(ctx, at(server)), CannotTell, "attempt abandoned")
}

func TestConnectRefused(t *testing.T) {
	for _, kind := range []config.ProbeType{config.ProbeHTTP, config.ProbeHTTPS, config.ProbeTCP} {
		expect(t, attempt(t, proberOf(t, kind), at(refusing(t)), patience), Fail, "connection refused")
	}
}
