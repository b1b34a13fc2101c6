package healthroute

import (
	"context"
	"io"
	golog "log"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/plugin/any"
	_ "github.com/coredns/coredns/plugin/auto"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/file"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/metadata"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
	_ "github.com/coredns/coredns/plugin/transfer"
	_ "github.com/coredns/coredns/plugin/view"
	"github.com/miekg/dns"
	"go.uber.org/goleak"
)

// patience bounds every wait of a test for something that must come.
const patience = 20 * time.Second

// belowCacheVariable makes a test process put cache above healthroute: the order is one for the process.
const belowCacheVariable = "HEALTHROUTE_TEST_BELOW_CACHE"

func TestMain(m *testing.M) {
	order := slices.Clone(dnsserver.Directives)
	at := slices.Index(order, "cache")
	if os.Getenv(belowCacheVariable) != "" {
		at++
	}
	order = slices.Insert(order, at, pluginName, brokenName)
	if err := dnsserver.SetDirectives(order); err != nil {
		panic(err)
	}
	caddy.Quiet, dnsserver.Quiet = true, true
	golog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// server is a running CoreDNS.
type server struct {
	t    testing.TB
	inst *caddy.Instance
}

func input(corefile string) caddy.Input {
	return caddy.CaddyfileInput{Contents: []byte(corefile), Filepath: "Corefile", ServerTypeName: "dns"}
}

// listening makes a server block of lines for the zones, on a free port of 127.0.0.1.
func listening(zones string, lines ...string) string {
	keys := strings.Fields(zones)
	for i := range keys {
		keys[i] += ":0"
	}
	return strings.Join(keys, " ") + " {\nbind 127.0.0.1\n" + strings.Join(lines, "\n") + "\n}\n"
}

// start starts a server. When the test ends it is stopped as by a signal, and nothing may be left of it.
func start(t testing.TB, corefile string) *server {
	t.Helper()
	expectNothingLeft(t)
	return launch(t, corefile)
}

// launch is start where other plugins keep connections that nobody could look for when the server ends.
func launch(t testing.TB, corefile string) *server {
	t.Helper()
	inst, err := caddy.Start(input(corefile))
	if err != nil {
		t.Fatalf("Expected a server, got: %v", err)
	}
	s := &server{t, inst}
	t.Cleanup(s.stop)
	s.awaitServing()
	return s
}

// awaitServing waits until each listener is served: CoreDNS forgets to stop one that is not yet.
func (s *server) awaitServing() {
	s.t.Helper()
	for _, listener := range s.inst.Servers() {
		for network, address := range map[string]net.Addr{"udp": listener.LocalAddr(), "tcp": listener.Addr()} {
			if _, err := exchange(network, address.String(), question("serving.invalid.", dns.TypeA)); err != nil {
				s.t.Fatalf("Expected the server to serve %s, got: %v", network, err)
			}
		}
	}
}

func (s *server) stop() {
	for _, err := range s.inst.ShutdownCallbacks() {
		s.t.Errorf("Expected a clean shutdown, got: %v", err)
	}
	if err := s.inst.Stop(); err != nil {
		s.t.Errorf("Expected the servers to stop, got: %v", err)
	}
	s.inst.Wait()
}

// reload takes another Corefile and returns why it was refused, if it was.
func (s *server) reload(corefile string) error {
	s.t.Helper()
	inst, err := s.inst.Restart(input(corefile))
	s.inst = inst
	s.awaitServing()
	return err
}

func (s *server) mustReload(corefile string) {
	s.t.Helper()
	if err := s.reload(corefile); err != nil {
		s.t.Fatalf("Expected the reload to succeed, got: %v", err)
	}
}

// expectNothingLeft makes the test fail if, after everything that it cleans up itself, it leaves a goroutine, a check or an
// instance. Call it first.
func expectNothingLeft(t testing.TB) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	checks, started := engine.Checks(), len(running.all())
	t.Cleanup(func() {
		expectGoroutines(t, before)
		if n := engine.Checks(); n != checks {
			t.Errorf("Expected %d checks at the end, got %d", checks, n)
		}
		if n := len(running.all()); n != started {
			t.Errorf("Expected %d instances at the end, got %d", started, n)
		}
	})
}

// forwardLeaves is what CoreDNS itself leaves: forward ends its connection pools when they are garbage-collected.
var forwardLeaves = goleak.IgnoreAnyFunction("github.com/coredns/coredns/plugin/pkg/proxy.(*Transport).connManager")

// expectGoroutines waits until there are no others than those of before.
func expectGoroutines(t testing.TB, before goleak.Option) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if err = goleak.Find(before, forwardLeaves); err == nil {
			return
		}
	}
	t.Errorf("Expected no more goroutines than before, got: %v", err)
}

// eventually waits for a condition that no channel announces.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("Expected %s within %s, got nothing", what, patience)
		}
	}
}

// ask sends a query by UDP.
func (s *server) ask(name string, qtype uint16, edit ...func(*dns.Msg)) *dns.Msg {
	s.t.Helper()
	return s.exchange("udp", name, qtype, edit...)
}

func (s *server) exchange(network, name string, qtype uint16, edit ...func(*dns.Msg)) *dns.Msg {
	s.t.Helper()
	m := question(name, qtype)
	for _, e := range edit {
		e(m)
	}
	r, err := exchange(network, s.address(network), m)
	if err != nil {
		s.t.Fatalf("Expected an answer for %s %s, got: %v", name, dns.Type(qtype), err)
	}
	return r
}

func exchange(network, address string, m *dns.Msg) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := &dns.Client{Net: network, Timeout: patience, UDPSize: dns.MaxMsgSize}
	r, _, err := c.ExchangeContext(ctx, m, address)
	return r, err
}

// address is where the server listens.
func (s *server) address(network string) string {
	listener := s.inst.Servers()[0]
	if network == "tcp" {
		return listener.Addr().String()
	}
	return listener.LocalAddr().String()
}

// wire sends a query by UDP or TCP and returns the bytes of the reply, the ID zeroed.
func (s *server) wire(network string, m *dns.Msg) []byte {
	s.t.Helper()
	conn, err := net.DialTimeout(network, s.address(network), patience)
	if err != nil {
		s.t.Fatalf("Expected a connection, got: %v", err)
	}
	defer conn.Close()
	c := &dns.Conn{Conn: conn, UDPSize: dns.MaxMsgSize}
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatalf("Expected a deadline, got: %v", err)
	}
	if err := c.WriteMsg(m); err != nil {
		s.t.Fatalf("Expected to send, got: %v", err)
	}
	raw, err := c.ReadMsgHeader(nil)
	if err != nil {
		s.t.Fatalf("Expected a reply for %v, got: %v", m.Question, err)
	}
	raw[0], raw[1] = 0, 0
	return raw
}

// data lists what the answer section holds, sorted, as in a zone file.
func data(rrs []dns.RR) []string {
	var out []string
	for _, rr := range rrs {
		out = append(out, strings.TrimPrefix(rr.String(), rr.Header().String()))
	}
	slices.Sort(out)
	return out
}

// expectData compares an answer section, whatever its order.
func expectData(t *testing.T, r *dns.Msg, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := data(r.Answer); r.Rcode != dns.RcodeSuccess || !slices.Equal(got, want) {
		t.Errorf("Expected NOERROR %v, got %s %v for %v", want, dns.RcodeToString[r.Rcode], got, r.Question)
	}
}

// expectNegative compares an answer without records: its code, and the one SOA with its owner, TTL and minimum at most ttl.
func expectNegative(t *testing.T, r *dns.Msg, rcode int, zone string, ttl uint32) {
	t.Helper()
	if r.Rcode != rcode || len(r.Answer) != 0 || len(r.Ns) != 1 {
		t.Errorf("Expected %s with one SOA alone, got:\n%v", dns.RcodeToString[rcode], r)
		return
	}
	soa, ok := r.Ns[0].(*dns.SOA)
	if !ok || soa.Hdr.Name != zone || soa.Hdr.Ttl > ttl || soa.Minttl > ttl {
		t.Errorf("Expected the SOA of %s with TTL and minimum at most %d, got: %v", zone, ttl, r.Ns[0])
	}
}
