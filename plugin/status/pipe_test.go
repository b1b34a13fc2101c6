package status

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// pipes is a listener whose connections are in memory, so that servers and clients live in the virtual time of synctest.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

// Accept is net.Listener's.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.incoming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close is net.Listener's.
func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

// Addr is net.Listener's.
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8053} }

// dial makes a connection.
func (p *pipes) dial(t testing.TB) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	select {
	case p.incoming <- server:
		return client
	case <-p.closed:
		t.Fatal("Expected a listener, got a closed one")
		return nil
	}
}

// onPipes starts a server on pipes; the caller closes it.
func onPipes(c *config.Status, o Options) (*Server, *pipes) {
	p := newPipes()
	s := NewServer(c, o)
	s.listen = func() (net.Listener, error) { return p, nil }
	s.Start()
	return s, p
}

// send writes text to a connection, as far as the other end takes it.
func send(c io.Writer, text string) { _, _ = io.WriteString(c, text) }

// response reads what comes.
func response(t testing.TB, c io.Reader) *http.Response {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("Expected a response, got: %v", err)
	}
	return r
}
