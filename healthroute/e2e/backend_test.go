//go:build linux

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// mode is how a backend treats those who come.
type mode int32

const (
	modeUp     mode = iota // status 200
	modeRefuse             // nobody listens
	modeHang               // accepts and says nothing
	modeError              // status 500
	modeFull               // listens, but the accept queue is full: not even the connection comes about
)

// backend is an HTTP server that misbehaves when told to, and counts the connections: one an attempt. Only the test's
// goroutine changes its mode.
type backend struct {
	t       *testing.T
	host    string
	address string // host and port, the same for ever
	port    string
	stop    func() // ends what the mode has started

	mode    atomic.Int32
	arrived atomic.Int32 // since the mode was set
	before  atomic.Int32 // in earlier modes
	gaveUp  atomic.Int32 // connections whose client left before an answer
}

// newBackends opens backends that are up, on one port. They end with the test.
func newBackends(t *testing.T, n int) []*backend {
	t.Helper()
	prefix, port := network(), "0"
	var all []*backend
	for i := range n {
		host := fmt.Sprint(prefix, i+1)
		b := &backend{t: t, host: host, address: net.JoinHostPort(host, port), stop: func() {}}
		b.set(modeUp)
		_, b.port, _ = net.SplitHostPort(b.address)
		port = b.port
		all = append(all, b)
		t.Cleanup(func() { b.stop() })
	}
	return all
}

// set changes the mode. What arrives from now on meets the new one and is counted anew.
func (b *backend) set(m mode) {
	b.t.Helper()
	old := mode(b.mode.Swap(int32(m)))
	b.before.Add(b.arrived.Swap(0))
	served := old != modeRefuse && old != modeFull && b.port != ""
	if serves := m != modeRefuse && m != modeFull; served && serves {
		return
	}
	b.stop()
	switch m {
	case modeRefuse:
		b.stop = func() {}
	case modeFull:
		b.stop = overflow(b.t, b.address)
	default:
		b.stop = b.serve()
	}
}

// total is how many came in all.
func (b *backend) total() int { return int(b.before.Load() + b.arrived.Load()) }

// await waits until so many have come in this mode.
func (b *backend) await(arrivals int) {
	b.t.Helper()
	eventually(b.t, fmt.Sprintf("%d attempts at %s", arrivals, b.address), func() bool { return int(b.arrived.Load()) >= arrivals })
}

// serve listens and returns what ends that, and all connections with it, as when a process is killed.
func (b *backend) serve() (stop func()) {
	b.t.Helper()
	listener, err := net.Listen("tcp", b.address)
	if err != nil {
		b.t.Fatalf("Expected a listener, got: %v", err)
	}
	b.address = listener.Addr().String()
	server := &http.Server{Handler: b, ReadHeaderTimeout: patience, ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			b.arrived.Add(1)
		}
	}}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // until it is closed
	return func() {
		// A process that another test is just starting holds all our sockets until it runs its own program: wait for that,
		// or the port would go on listening.
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		server.Close()
		serving.Wait()
	}
}

// ServeHTTP answers as the mode says.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch mode(b.mode.Load()) {
	case modeHang:
		<-r.Context().Done()
		b.gaveUp.Add(1)
	case modeError:
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// overflow listens with the shortest queue and fills it, so that the system leaves the first packet of further connections
// unanswered.
func overflow(t *testing.T, address string) (stop func()) {
	t.Helper()
	at := netip.MustParseAddrPort(address)
	name := &syscall.SockaddrInet4{Addr: at.Addr().As4(), Port: int(at.Port())}
	var sockets []int
	open := func() int {
		socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatalf("Expected a socket, got: %v", err)
		}
		sockets = append(sockets, socket)
		return socket
	}
	stop = func() {
		syscall.ForkLock.RLock() // as in serve
		defer syscall.ForkLock.RUnlock()
		for _, socket := range sockets {
			syscall.Close(socket)
		}
	}
	listener := open()
	if err := syscall.SetsockoptInt(listener, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatalf("Expected to reuse the port, got: %v", err)
	}
	if err := syscall.Bind(listener, name); err != nil {
		t.Fatalf("Expected to bind, got: %v", err)
	}
	if err := syscall.Listen(listener, 0); err != nil {
		t.Fatalf("Expected to listen, got: %v", err)
	}
	for range 4 {
		if err := syscall.Connect(open(), name); err != nil && err != syscall.EINPROGRESS {
			t.Fatalf("Expected a connection in progress, got: %v", err)
		}
	}
	return stop
}
