package healthroute

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/plugin"
	"github.com/miekg/dns"
)

// brokenName is a plugin directly below ours that breaks a start: `broken setup` or `broken start`.
const brokenName = "broken"

func init() {
	plugin.Register(brokenName, func(c *caddy.Controller) error {
		c.Next()
		at := c.RemainingArgs()
		if len(at) == 1 && at[0] == "start" {
			c.OnStartup(func() error { return plugin.Error(brokenName, c.Err("start")) })
			return nil
		}
		return plugin.Error(brokenName, c.Err("setup"))
	})
}

// backend is a small HTTP server that counts who asks.
type backend struct {
	t       *testing.T
	Address string
	Port    string
	arrived chan string   // each request's path, as it comes
	hold    chan struct{} // not nil: answers wait until it is closed
	status  atomic.Int32

	mu   sync.Mutex
	hits map[string]int // guarded by mu; by path
}

// newBackend listens on an address of 127.0.0.0/8, on a free port if the port is "0". It ends with the test.
func newBackend(t *testing.T, address, port string) *backend {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, port))
	if err != nil {
		t.Fatalf("Expected a listener, got: %v", err)
	}
	b := &backend{t: t, Address: address, arrived: make(chan string, 10_000), hits: map[string]int{}}
	_, b.Port, _ = net.SplitHostPort(listener.Addr().String())
	b.status.Store(http.StatusOK)
	server := &http.Server{Handler: b, ReadHeaderTimeout: patience}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return b
}

// ServeHTTP answers the status.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.hits[r.URL.Path]++
	b.mu.Unlock()
	b.arrived <- r.URL.Path
	if b.hold != nil {
		select {
		case <-b.hold:
		case <-r.Context().Done():
		}
	}
	w.WriteHeader(int(b.status.Load()))
}

// count is how often anybody asked.
func (b *backend) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, hits := range b.hits {
		n += hits
	}
	return n
}

// await waits for the next request of the path.
func (b *backend) await(path string) {
	b.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case got := <-b.arrived:
			if got == path {
				return
			}
		case <-timeout:
			b.t.Fatalf("Expected a request of %s within %s, got none", path, patience)
		}
	}
}

// closedPort is a port of the address that refuses.
func closedPort(t *testing.T, address string) string {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatalf("Expected a listener, got: %v", err)
	}
	defer listener.Close()
	return netip.MustParseAddrPort(listener.Addr().String()).String()[len(address)+1:]
}

// upstream is a name server for forward that answers each A query and counts the names.
type upstream struct {
	Address string
	answers []net.IP

	mu   sync.Mutex
	hits map[string]int // guarded by mu
}

// newUpstream answers A queries with the addresses, or with 203.0.113.1.
func newUpstream(t *testing.T, answers ...net.IP) *upstream {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Expected a socket, got: %v", err)
	}
	u := &upstream{Address: conn.LocalAddr().String(), answers: answers, hits: map[string]int{}}
	if answers == nil {
		u.answers = []net.IP{net.IPv4(203, 0, 113, 1)}
	}
	s := &dns.Server{PacketConn: conn, Handler: u}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.ActivateAndServe()
	}()
	t.Cleanup(func() {
		_ = s.Shutdown()
		<-done
	})
	return u
}

// ServeDNS answers A with its addresses, NXDOMAIN below gone., NODATA otherwise.
func (u *upstream) ServeDNS(w dns.ResponseWriter, r *dns.Msg) {
	name := strings.ToLower(r.Question[0].Name)
	u.mu.Lock()
	u.hits[name]++
	u.mu.Unlock()
	m := new(dns.Msg)
	m.SetReply(r)
	header := dns.RR_Header{Name: r.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 300}
	switch {
	case strings.HasPrefix(name, "gone."):
		m.Rcode = dns.RcodeNameError
		fallthrough
	case r.Question[0].Qtype != dns.TypeA:
		header.Name, header.Rrtype = "example.net.", dns.TypeSOA
		m.Ns = []dns.RR{&dns.SOA{Hdr: header, Ns: "ns.example.net.", Mbox: "hostmaster.example.net.", Serial: 1, Minttl: 300}}
	default:
		for _, ip := range u.answers {
			m.Answer = append(m.Answer, &dns.A{Hdr: header, A: ip})
		}
	}
	_ = w.WriteMsg(m)
}

func (u *upstream) count(name string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.hits[name]
}
