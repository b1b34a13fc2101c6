//go:build ci && unix

package healthroute

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// The tests of this file put real resolvers, as Debian packages them, between us and a client: `.ci/run full` runs them. One that is missing is
// skipped.

// resolverTimeVariable says how long the resolvers are asked; ten minutes are a soak.
const resolverTimeVariable = "HEALTHROUTE_TEST_RESOLVERS"

func resolverTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(resolverTimeVariable)
	if text == "" {
		return 20 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("Expected a duration in %s, got: %v", resolverTimeVariable, err)
	}
	return d
}

// Where everybody is: the servers of a delegation have one port, and an address each.
const (
	rootAddress     = "127.0.0.2"
	ourAddress      = "127.0.0.3"
	resolverAddress = "127.0.0.1" // BIND listens at none that no interface has
)

// commonPort is a port that is free at all of them.
func commonPort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := closedPort(t, rootAddress)
		free := true
		for _, address := range []string{rootAddress, ourAddress, resolverAddress} {
			conn, err := net.ListenPacket("udp", net.JoinHostPort(address, port))
			if err == nil {
				conn.Close()
			}
			listener, err2 := net.Listen("tcp", net.JoinHostPort(address, port))
			if err2 == nil {
				listener.Close()
			}
			free = free && err == nil && err2 == nil
		}
		if free {
			return port
		}
	}
	t.Fatal("Expected a port that is free at three addresses, got none in 100 tries")
	return ""
}

// rootZone delegates example.org to us.
const rootZone = `$ORIGIN .
$TTL 3600
@ IN SOA a.root-servers.test. hostmaster.test. 1 7200 1800 86400 60
@ IN NS a.root-servers.test.
a.root-servers.test. IN A ` + rootAddress + `
example.org. IN NS ns1.example.org.
ns1.example.org. IN A ` + ourAddress + `
`

// resolved is a name of ours and what every answer for it must be: it has these types, and no others.
type resolved struct {
	name string
	has  []uint16
}

// resolvedNames are asked for over and over, with a new label for each NEW.
var resolvedNames = []resolved{
	{"over", []uint16{dns.TypeA}}, {"drawn", []uint16{dns.TypeA, dns.TypeAAAA}}, {"many", []uint16{dns.TypeA, dns.TypeHTTPS}},
	{"turn", []uint16{dns.TypeA}}, {"alias", []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeCNAME}}, {"dead", []uint16{dns.TypeA}},
	{"NEW.wild", []uint16{dns.TypeA}}, {"NEW.deep.wild", []uint16{dns.TypeA}}, {"a.b.ent", []uint16{dns.TypeA}},
	{"", []uint16{dns.TypeA, dns.TypeNS, dns.TypeSOA}}, {"ns1", []uint16{dns.TypeA}}, {"text", []uint16{dns.TypeTXT}},
}

// flapping are three backends, and a stanza with groups of them. Their answers live for a second.
func flapping(t *testing.T) (groups string, backends []*backend) {
	t.Helper()
	first := newBackend(t, "127.0.0.1", "0")
	backends = []*backend{first, newBackend(t, "127.0.0.2", first.Port), newBackend(t, "127.0.0.3", first.Port), newBackend(t, "::1", first.Port)}
	lines := []string{groupOf("weighted", "drawn", "probe web", "127.0.0.1,::1", "127.0.0.2", "127.0.0.3")}
	for policy, name := range map[string]string{"failover": "over", "multivalue": "many", "roundrobin": "turn"} {
		addresses := []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}[:min(3, len(policies[policy]))]
		lines = append(lines, groupOf(policy, name, "probe web", addresses...))
	}
	return strings.Join(append(lines, "ttl 1s", "nameserver ns1 "+ourAddress, dead,
		"probe web http {\nport "+first.Port+"\ninterval 1s\ntimeout 500ms\nfall 1\nrise 1\n}",
		"group many simple {\nrecord HTTPS \"1 . alpn=h2\"\n}", "group alias simple {\nrecord CNAME drawn\n}",
		"group dead weighted {\nprobe dead\nrecord 192.0.2.9\n}", "group *.wild a.b.ent @ priority {\nprobe web\nrecord 127.0.0.1\nrecord 127.0.0.2\n}",
		"group text simple {\nrecord TXT hello\n}"), "\n"), backends
}

// flap lets the backends fail and work by turns until the test ends.
func flap(t *testing.T, backends []*backend) {
	t.Helper()
	var flapper sync.WaitGroup
	end := make(chan struct{})
	t.Cleanup(func() { close(end); flapper.Wait() })
	flapper.Go(func() {
		tick := time.NewTicker(300 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				backends[rand.IntN(len(backends))].status.Store([]int32{http.StatusOK, http.StatusServiceUnavailable}[rand.IntN(2)])
			case <-end:
				return
			}
		}
	})
}

// run starts a resolver's program and ends it with the test; what it says is shown if the test fails.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if path, err = exec.LookPath(filepath.Join("/usr/sbin", name)); err != nil {
			t.Skipf("The program %s is not installed", name)
		}
	}
	var said bytes.Buffer
	c := exec.Command(path, args...)
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		if t.Failed() {
			t.Logf("%s said:\n%s", name, said.String())
		}
	})
}

// TestResolverUnbound has unbound go to us by a stub zone, with everything switched on that asks more of a server: letter case at random, minimized
// names, and NXDOMAIN for all that is below one.
func TestResolverUnbound(t *testing.T) {
	testResolver(t, func(port, dir string) {
		startUnbound(t, port, dir, `  module-config: "iterator"
  use-caps-for-id: yes
  qname-minimisation: yes
  qname-minimisation-strict: yes
  harden-below-nxdomain: yes
  harden-large-queries: yes
  max-udp-size: 1232
  local-zone: "test." nodefault
`)
	})
}

// startUnbound runs one that goes to us by a stub zone, with more options of its server.
func startUnbound(t *testing.T, port, dir, options string) {
	t.Helper()
	config := filepath.Join(dir, "unbound.conf")
	expectWritten(t, config, `server:
  directory: "`+dir+`"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  verbosity: 1
  interface: `+resolverAddress+`
  port: `+port+`
  do-not-query-localhost: no
`+options+`stub-zone:
  name: "example.org"
  stub-addr: `+ourAddress+"@"+port+`
remote-control:
  control-enable: no
`)
	run(t, "unbound", "-d", "-c", config)
}

// TestResolverBind has BIND find us from the root, by a delegation with glue.
func TestResolverBind(t *testing.T) {
	testResolver(t, func(port, dir string) {
		config, hints := filepath.Join(dir, "named.conf"), filepath.Join(dir, "root.hints")
		expectWritten(t, hints, ". 3600 IN NS a.root-servers.test.\na.root-servers.test. 3600 IN A "+rootAddress+"\n")
		expectWritten(t, config, `options {
  directory "`+dir+`";
  port `+port+`;
  listen-on port `+port+` { `+resolverAddress+`; };
  listen-on-v6 { none; };
  pid-file none;
  session-keyfile none;
  lock-file none;
  recursion yes;
  max-cache-size 32M;
  dnssec-validation no;
  qname-minimization strict;
  empty-zones-enable no;
  allow-query { 127.0.0.0/8; };
};
controls { };
zone "." { type hint; file "`+hints+`"; };
`)
		run(t, "named", "-g", "-4", "-c", config)
	})
}

func expectWritten(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil { //nolint:gosec // the resolver may run as another user
		t.Fatal(err)
	}
}

// testResolver asks a resolver for names whose backends flap: each name has its types in every answer and no other, and nothing fails.
func testResolver(t *testing.T, startResolver func(port, dir string)) {
	t.Helper()
	port := commonPort(t)
	groups, backends := flapping(t)
	block := func(address, zone string, lines ...string) string {
		return zone + ":" + port + " {\nbind " + address + "\n" + strings.Join(lines, "\n") + "\n}\n"
	}
	start(t, block(rootAddress, ".", zoneFile(t, ".", rootZone))+block(ourAddress, "example.org", stanza(groups)))
	startResolver(port, folderForAll(t))
	resolver := net.JoinHostPort(resolverAddress, port)
	eventually(t, "the resolver to answer", func() bool {
		r, _, err := (&dns.Client{Timeout: time.Second}).Exchange(question("text.example.org.", dns.TypeTXT), resolver)
		return err == nil && len(r.Answer) == 1
	})
	flap(t, backends)
	until := time.Now().Add(resolverTime(t))
	var askers sync.WaitGroup
	var asked, seen atomic.Int64 // seen: bits of the addresses that over had
	goesOn := func() bool {      // chance may leave the primary of over alone for a while
		one := bits.OnesCount64(uint64(seen.Load())) < 2
		return time.Now().Before(until) || one && time.Now().Before(until.Add(6*patience))
	}
	for range 4 {
		askers.Go(func() {
			for round := 0; goesOn() && !t.Failed(); round++ {
				for _, r := range resolvedNames {
					asked.Add(expectResolved(t, resolver, r, round, &seen))
				}
			}
		})
	}
	askers.Wait()
	t.Logf("%d questions, and %d addresses of over", asked.Load(), bits.OnesCount64(uint64(seen.Load())))
	if asked.Load() < 1000 || bits.OnesCount64(uint64(seen.Load())) < 2 {
		t.Errorf("Expected many questions and more than one of the backends of over in the answers")
	}
}

// fresh counts new labels for wildcards.
var fresh atomic.Int64

// expectResolved asks for the usual types and those of the name, and for what is not there. It returns the number of questions.
func expectResolved(t *testing.T, resolver string, r resolved, round int, seen *atomic.Int64) int64 {
	t.Helper()
	name := strings.TrimPrefix(strings.Replace(r.name, "NEW", fmt.Sprint("n", fresh.Add(1)), 1)+".example.org.", ".")
	var began time.Time
	ask := func(name string, qtype uint16) *dns.Msg {
		began = time.Now()
		client := &dns.Client{Net: []string{"udp", "tcp"}[round%7/6], Timeout: 3 * time.Second}
		var err error
		for range 4 { // as a stub resolver does: unbound itself discards what took longer than 1.9 s, as on a busy machine
			var reply *dns.Msg
			if reply, _, err = client.Exchange(question(mixedCase(name), qtype), resolver); err == nil {
				return reply
			}
		}
		t.Errorf("Expected an answer for %s %s, got: %v", name, dns.Type(qtype), err)
		return new(dns.Msg)
	}
	types := slices.Compact(slices.Sorted(slices.Values(append(r.has, dns.TypeA, dns.TypeAAAA, dns.TypeHTTPS, dns.TypeMX))))
	for _, qtype := range types {
		reply := ask(name, qtype)
		there := slices.ContainsFunc(reply.Answer, func(rr dns.RR) bool { return rr.Header().Rrtype == qtype })
		if reply.Rcode != dns.RcodeSuccess || there != slices.Contains(r.has, qtype) {
			t.Errorf("Expected NOERROR, and data: %v, for %s %s, got after %s:\n%v", slices.Contains(r.has, qtype), name, dns.Type(qtype), time.Since(began), reply)
		}
		if r.name == "over" && qtype == dns.TypeA && there {
			seen.Or(1 << reply.Answer[0].(*dns.A).A.To4()[3])
		}
	}
	for _, gone := range []string{"gone.example.org.", "below.over.example.org."} {
		if reply := ask(gone, dns.TypeA); reply.Rcode != dns.RcodeNameError {
			t.Errorf("Expected NXDOMAIN for %s, got:\n%v", gone, reply)
		}
	}
	return int64(len(types) + 2)
}

// folderForAll is a new directory that a resolver reads and writes, whoever it runs as.
func folderForAll(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "resolver") //nolint:usetesting // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // the resolver may run as another user
		t.Fatal(err)
	}
	return dir
}
