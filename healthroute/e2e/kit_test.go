package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// patience bounds every wait for something that must come.
const patience = 30 * time.Second

// binary is the server that TestMain built.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "healthroute-e2e-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "healthroute")
	build := exec.Command("go", "build", "-o", binary, "github.com/healthroute/healthroute/healthroute")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("expected the server to build: %v\n%s", err, out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// output collects what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// server is a running process.
type server struct {
	t       *testing.T
	command *exec.Cmd
	file    string // its Corefile
	dns     string // host and port
	metrics string
	log     output
}

// block is a server block with a place for queries and one for metrics, and the lines of a healthroute stanza.
func block(dnsPort, metricsPort int, plugins, stanza string) string {
	return fmt.Sprintf("example.org:%d {\nbind 127.0.0.1\nerrors\nprometheus 127.0.0.1:%d\n%s\nhealthroute {\n%s\n}\n}\n",
		dnsPort, metricsPort, plugins, stanza)
}

// start starts the server with the stanza and waits until it answers.
func start(t *testing.T, plugins, stanza string) *server {
	t.Helper()
	dnsPort, metricsPort := freePort(t), freePort(t)
	s := &server{
		t: t, file: filepath.Join(t.TempDir(), "Corefile"),
		dns: fmt.Sprintf("127.0.0.1:%d", dnsPort), metrics: fmt.Sprintf("http://127.0.0.1:%d/metrics", metricsPort),
	}
	s.write(block(dnsPort, metricsPort, plugins, stanza))
	s.command = exec.Command(binary, "-conf", s.file)
	s.command.Stdout, s.command.Stderr = &s.log, &s.log
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
		if t.Failed() {
			t.Logf("The server said:\n%s", s.log.String())
		}
	})
	s.until("an answer", func() bool { return s.ask("www.example.org.") != "no reply" })
	return s
}

func (s *server) write(corefile string) {
	s.t.Helper()
	if err := os.WriteFile(s.file, []byte(corefile), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// edit replaces a text of the Corefile and tells the server to reload.
func (s *server) edit(from, to string) {
	s.t.Helper()
	text, err := os.ReadFile(s.file)
	if err != nil || !strings.Contains(string(text), from) {
		s.t.Fatalf("Expected %q in the Corefile, got %v:\n%s", from, err, text)
	}
	s.write(strings.ReplaceAll(string(text), from, to))
	if err := s.command.Process.Signal(syscall.SIGUSR1); err != nil {
		s.t.Fatal(err)
	}
}

// freePort is a port that was free for TCP and UDP a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	for {
		stream, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := stream.Addr().(*net.TCPAddr).Port
		packet, err := net.ListenPacket("udp", stream.Addr().String())
		_ = stream.Close()
		if err == nil {
			_ = packet.Close()
			return port
		}
	}
}

// ask asks for the name's IPv4 addresses over UDP: the sorted addresses, the code of a reply without, or "no reply".
func (s *server) ask(name string) string {
	client := dns.Client{Timeout: time.Second}
	query := new(dns.Msg)
	query.SetQuestion(name, dns.TypeA)
	reply, _, err := client.Exchange(query, s.dns)
	if err != nil {
		return "no reply"
	}
	var out []string
	for _, rr := range reply.Answer {
		if a, ok := rr.(*dns.A); ok {
			out = append(out, a.A.String())
		}
	}
	if len(out) == 0 {
		return dns.RcodeToString[reply.Rcode]
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// until waits for something that must come.
func (s *server) until(what string, holds func() bool) {
	s.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			s.t.Fatalf("Expected %s, got none in %s", what, patience)
		}
	}
}

// untilAnswer waits for an answer to the name.
func (s *server) untilAnswer(name, want string) {
	s.t.Helper()
	s.until("the answer "+want+" to "+name, func() bool { return s.ask(name) == want })
}

// metric is the value of a metric, written as Prometheus shows it, 0 if it is not there.
func (s *server) metric(name string) float64 {
	s.t.Helper()
	reply, err := http.Get(s.metrics)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			value, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return value
		}
	}
	return 0
}

// failures is how many attempts have failed.
func (s *server) failures() float64 {
	return s.metric(`coredns_healthroute_attempts_total{outcome="fail",probe="web"}`)
}

// backend is an HTTP server that dies in several ways.
type backend struct {
	t       *testing.T
	address string
	mode    atomic.Value // "up", "hang", "status"
	server  *http.Server
}

// newBackend listens on the host and port; port 0 takes a free one.
func newBackend(t *testing.T, host string, port int) *backend {
	t.Helper()
	b := &backend{t: t, address: net.JoinHostPort(host, strconv.Itoa(port))}
	b.set("up")
	t.Cleanup(func() { b.set("refuse") })
	return b
}

func (b *backend) port() int {
	_, port, _ := net.SplitHostPort(b.address)
	n, _ := strconv.Atoi(port)
	return n
}

// set makes the backend work ("up"), refuse, hang or answer with status 500.
func (b *backend) set(mode string) {
	b.t.Helper()
	b.mode.Store(mode)
	if mode == "refuse" {
		if b.server != nil {
			_ = b.server.Close()
			b.server = nil
		}
		return
	}
	if b.server != nil {
		return
	}
	listener, err := net.Listen("tcp", b.address)
	if err != nil {
		b.t.Fatal(err)
	}
	b.address = listener.Addr().String()
	b.server = &http.Server{Handler: b, ReadHeaderTimeout: patience}
	go b.server.Serve(listener)
}

// ServeHTTP answers as the mode says.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch b.mode.Load() {
	case "hang":
		<-r.Context().Done()
	case "status":
		w.WriteHeader(http.StatusInternalServerError)
	}
}
