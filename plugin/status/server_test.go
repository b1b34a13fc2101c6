package status

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// serve starts a server on the address of the configuration, for the time of the test.
func serve(t *testing.T, c *config.Status, b *bench) *Server {
	t.Helper()
	s := NewServer(c, b.options())
	s.Start()
	t.Cleanup(s.Close)
	if s.Address() == nil {
		t.Fatalf("Expected to listen at %s, got:\n%s", c.Address, b.log)
	}
	return s
}

// client talks to a server over connections of its own.
func client(t *testing.T, s *Server, secret *tls.Config) *http.Client {
	t.Helper()
	at := s.Address()
	transport := &http.Transport{TLSClientConfig: secret, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, at.Network(), at.String())
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// get asks for the state and returns the code, or the error of the connection.
func get(t *testing.T, c *http.Client, scheme string) (int, error) {
	t.Helper()
	r, err := c.Get(scheme + "://127.0.0.1" + base + "state")
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	return r.StatusCode, nil
}

// TestAddresses serves every kind of address.
func TestAddresses(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", "unix:" + filepath.Join(t.TempDir(), "api.sock")} {
		c := &config.Status{Address: address}
		s := serve(t, c, newBench(t, c))
		if code, err := get(t, client(t, s, nil), "http"); code != http.StatusOK {
			t.Errorf("Expected 200 from %s, got %d, %v", address, code, err)
		}
	}
}

// TestAllAddresses: those of IPv4 are not those of IPv6.
func TestAllAddresses(t *testing.T) {
	for address, both := range map[string]bool{"0.0.0.0:0": false, ":0": true, "[::]:0": true} {
		l, err := listen(t.Context(), address)
		if err != nil {
			t.Fatalf("Expected to listen at %s, got: %v", address, err)
		}
		at := l.Addr().(*net.TCPAddr)
		for host, want := range map[string]bool{"127.0.0.1": true, "::1": both} {
			c, err := new(net.Dialer).DialContext(t.Context(), "tcp", net.JoinHostPort(host, strconv.Itoa(at.Port)))
			if got := err == nil; got != want {
				t.Errorf("Expected that %s is reached at %s to be %t, got: %v", address, host, want, err)
			}
			if err == nil {
				c.Close()
			}
		}
		l.Close()
	}
}

// TestUnixSocket: it is for its user and group, stands in nobody's way, and goes with the server.
func TestUnixSocket(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "api.sock")
	c := &config.Status{Address: "unix:" + path}
	b := newBench(t, c)
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"}) // what a server that was killed leaves
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	s := serve(t, c, b)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != socketMode {
		t.Errorf("Expected a socket of mode %o, got %v, %v", socketMode, info.Mode(), err)
	}
	if _, err := listen(t.Context(), c.Address); err == nil || !strings.Contains(err.Error(), "somebody else listens at") {
		t.Errorf("Expected the socket to be taken, got: %v", err)
	}
	s.Close()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("Expected nothing to be left, got %v, %v", entries, err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := listen(t.Context(), c.Address); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Errorf("Expected another file to be left alone, got: %v", err)
	}
}

// TestAddressInUse: the server tries again until the address is free, says so once, and can be closed meanwhile.
func TestAddressInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &journal{}
		p := newPipes()
		tries := 0
		s := NewServer(local(), Options{Log: log, Connections: 10, Events: NewEvents(1)})
		s.listen = func() (net.Listener, error) {
			if tries++; tries < 4 {
				return nil, errors.New("address already in use")
			}
			return p, nil
		}
		s.Start()
		if s.Address() != nil {
			t.Error("Expected no address at first")
		}
		time.Sleep(3*retryEvery + time.Second)
		if s.Address() == nil || tries != 4 {
			t.Errorf("Expected to listen after the fourth try, got %d", tries)
		}
		s.Close()
		if n := strings.Count(log.String(), "already in use"); n != 1 {
			t.Errorf("Expected one line, got:\n%s", log)
		}
		never := NewServer(local(), Options{Log: log, Connections: 10, Events: NewEvents(1)})
		never.listen = func() (net.Listener, error) { return nil, errors.New("never") }
		never.Start()
		time.Sleep(time.Second)
		never.Close()
	})
}

// TestSlowRequests: a header or a body that does not come has its time, on every route; the connection is free again then.
func TestSlowRequests(t *testing.T) {
	for _, r := range finite() {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, local())
			s, p := onPipes(local(), b.options())
			defer s.Close()

			half := p.dial(t)
			began := time.Now()
			send(half, r.method+" "+base+r.path)
			if _, err := io.ReadAll(half); err != nil {
				t.Errorf("Expected the end of the connection, got: %v", err)
			}
			if took := time.Since(began); took > readTimeout+time.Second {
				t.Errorf("Expected half a header to have %s, got %s", readTimeout, took)
			}
			half.Close()
			if r.method != http.MethodPost {
				return
			}

			slow := p.dial(t)
			began = time.Now()
			send(slow, "POST "+base+r.path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
			if got := response(t, slow); got.StatusCode != http.StatusRequestTimeout {
				t.Errorf("Expected 408 for half a body, got %s", got.Status)
			}
			if took := time.Since(began); took > readTimeout+time.Second {
				t.Errorf("Expected half a body to have %s, got %s", readTimeout, took)
			}
			slow.Close()
			if b.backend.writes() > 0 {
				t.Error("Expected no write")
			}
		})
	}
}

// TestLargeHeader: a header has its size.
func TestLargeHeader(t *testing.T) {
	s := serve(t, local(), newBench(t, local()))
	c, err := net.Dial("tcp", s.Address().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go send(c, "GET "+base+"state HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", 2*maxHeader)+"\r\n\r\n")
	if got := response(t, c); got.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("Expected 431, got %s", got.Status)
	}
}
