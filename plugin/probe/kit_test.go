package probe

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// patience is a deadline that no attempt of a good test reaches; briefly one that an attempt is meant to reach.
const (
	patience = 30 * time.Second
	briefly  = 50 * time.Millisecond
)

// behaviour is what a server does with one connection, which is closed afterwards.
type behaviour func(net.Conn)

// serve runs a server on the loopback address until the test ends.
func serve(t testing.TB, do behaviour) netip.AddrPort { return serveOn(t, "127.0.0.1:0", do) }

func serveOn(t testing.TB, address string, do behaviour) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("Cannot listen on %s: %v", address, err)
	}
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		open    = map[net.Conn]bool{}
		over    bool
	)
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			if over {
				conn.Close()
			}
			mu.Unlock()
			running.Go(func() {
				do(conn)
				conn.Close()
				mu.Lock()
				delete(open, conn)
				mu.Unlock()
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		mu.Lock()
		over = true
		for conn := range open {
			conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return listener.Addr().(*net.TCPAddr).AddrPort()
}

// says reads one request and answers with the text.
func says(reply string) behaviour { return replies(func(*http.Request) string { return reply }) }

// replies reads one request and answers with what the function makes of it.
func replies(to func(*http.Request) string) behaviour {
	return func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err == nil {
			conn.Write([]byte(to(request)))
		}
	}
}

// silent reads whatever comes and never answers.
func silent(conn net.Conn) {
	buffer := make([]byte, 512)
	for {
		if _, err := conn.Read(buffer); err != nil {
			return
		}
	}
}

// then does one thing after the other.
func then(all ...behaviour) behaviour {
	return func(conn net.Conn) {
		for _, do := range all {
			do(conn)
		}
	}
}

// repeats writes the text until the peer is gone.
func repeats(text string) behaviour {
	return func(conn net.Conn) {
		for {
			if _, err := conn.Write([]byte(text)); err != nil {
				return
			}
		}
	}
}

// hangsUp says that nothing more comes and reads on until the other side has ended: closing with bytes unread would reset the connection, and
// take what was said before with it.
func hangsUp(conn net.Conn) {
	_ = conn.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, conn)
}

// resets ends the connection with a RST.
func resets(conn net.Conn) { conn.(*net.TCPConn).SetLinger(0) }

// reply is a well-formed 200 with a body of known length.
func reply(headers, body string) string {
	return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// names is a resolver that knows a few names, and fails as a resolver does for the others.
type names map[string][]string

func (n names) LookupNetIP(_ context.Context, network, host string) (found []netip.Addr, err error) {
	for _, text := range n[strings.TrimSuffix(host, ".")] {
		if addr := netip.MustParseAddr(text); network == "ip" || network == networkOf(addr) {
			found = append(found, addr)
		}
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return found, nil
}

// probeOf is a probe with defaults, changed as the test wishes.
func probeOf(kind config.ProbeType, change ...func(*config.Probe)) *config.Probe {
	p := config.DefaultProbe("web", kind, "")
	for _, do := range change {
		do(p)
	}
	return p
}

// proberOf makes its prober.
func proberOf(t testing.TB, kind config.ProbeType, change ...func(*config.Probe)) *Prober {
	t.Helper()
	prober, err := New(probeOf(kind, change...))
	if err != nil {
		t.Fatalf("Expected a prober, got error %v", err)
	}
	return prober
}

// at is the target at an address.
func at(addr netip.AddrPort) Target { return Target{Address: addr.Addr(), Port: addr.Port()} }

// attempt tests a target within the deadline.
func attempt(t testing.TB, p *Prober, target Target, deadline time.Duration) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	return p.Attempt(ctx, target)
}

// expect compares a result with an outcome and a reason; the reason may end in "..." for any rest.
func expect(t testing.TB, got Result, outcome Outcome, reason string) {
	t.Helper()
	start, open := strings.CutSuffix(reason, "...")
	if got.Outcome != outcome || got.Reason != reason && !(open && strings.HasPrefix(got.Reason, start)) {
		t.Errorf("Expected %v %q, got %v %q", outcome, reason, got.Outcome, got.Reason)
	}
	if strings.ContainsAny(got.Reason, "\r\n") {
		t.Errorf("Expected a reason of one line, got %q", got.Reason)
	}
	if got.Duration < 0 {
		t.Errorf("Expected a duration, got %v", got.Duration)
	}
}

// port is the port of an address as a text.
func port(at netip.AddrPort) string { return strconv.Itoa(int(at.Port())) }

// mustDialer is the dialer of a probe.
func mustDialer(p *config.Probe) *dialer {
	d, err := newDialer(p)
	if err != nil {
		panic(err)
	}
	return d
}
