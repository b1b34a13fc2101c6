package healthroute

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// target is a small HTTP server that counts attempts as it accepts them, one a connection, and how many requests it has had since it last turned.
type target struct {
	t       *testing.T
	address string
	port    string
	came    chan struct{} // an attempt has come; full when nobody takes them

	mu       sync.Mutex
	failing  bool                // guarded by mu
	run      int                 // guarded by mu: requests since failing changed
	accepted map[string]struct{} // guarded by mu: by the other side's address, since the last count
	attempts int                 // guarded by mu: counted so far
}

// newTarget listens on an address of 127.0.0.0/8, on a free port if the port is "0". It ends with the test.
func newTarget(t *testing.T, address, port string, failing bool) *target {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, port))
	if err != nil {
		t.Fatalf("Expected a listener, got: %v", err)
	}
	g := &target{t: t, address: address, came: make(chan struct{}, 10_000), failing: failing, accepted: map[string]struct{}{}}
	_, g.port, _ = net.SplitHostPort(listener.Addr().String())
	server := &http.Server{Handler: g, ReadHeaderTimeout: patience, ConnState: func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			g.mu.Lock()
			g.accepted[c.RemoteAddr().String()] = struct{}{}
			g.mu.Unlock()
		}
	}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // until it is closed
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return g
}

// ServeHTTP passes or fails.
func (g *target) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	g.mu.Lock()
	g.run++
	failing := g.failing
	g.mu.Unlock()
	select {
	case g.came <- struct{}{}:
	default:
	}
	if failing {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// turn makes the next requests pass or fail.
func (g *target) turn(failing bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failing, g.run = failing, 0
}

// since is how many requests have come since the last turn.
func (g *target) since() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.run
}

// count is how many attempts have been made so far: of connections, one that begins now is accepted after all of those.
func (g *target) count() int {
	g.t.Helper()
	last, err := net.Dial("tcp", net.JoinHostPort(g.address, g.port))
	if err != nil {
		g.t.Fatalf("Expected a connection, got: %v", err)
	}
	defer last.Close()
	name := last.LocalAddr().String()
	eventually(g.t, "a connection to be accepted", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		_, there := g.accepted[name]
		return there
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.attempts += len(g.accepted) - 1
	clear(g.accepted)
	return g.attempts
}
