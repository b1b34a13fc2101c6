package healthroute

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/coredns/caddy"
	"github.com/miekg/dns"
	"go.uber.org/goleak"

	"github.com/healthroute/healthroute/plugin/health"
)

// hourly is a weighted group of the backends whose checks attempt once, and not again during a test.
func hourly(path string, backends ...*backend) string {
	return probed("interval 1h\npath "+path, backends...)
}

func probed(options string, backends ...*backend) string {
	text := "healthroute {\nprobe web http {\nport " + backends[0].Port + "\n" + options + "\n}\ngroup www multivalue {\nprobe web\n"
	for _, b := range backends {
		text += "record " + b.Address + "\n"
	}
	return text + "}\n}"
}

func expectChecks(t *testing.T, want int) {
	t.Helper()
	if got := engine.Checks(); got != want {
		t.Errorf("Expected %d checks, got %d", want, got)
	}
}

func expectHits(t *testing.T, b *backend, want int) {
	t.Helper()
	if got := b.count(); got != want {
		t.Errorf("Expected %d attempts at %s, got %d", want, b.Address, got)
	}
}

// checkOf returns the running check of an address.
func checkOf(t *testing.T, address string) *health.Check {
	t.Helper()
	all := running.all()
	for _, b := range all[len(all)-1].blocks {
		for _, c := range b.lease.Checks() {
			if c.Target().Address.String() == address {
				return c
			}
		}
	}
	t.Fatalf("Expected a check of %s, got none", address)
	return nil
}

// occupied is a port of 127.0.0.1 on which nobody else can listen.
func occupied(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Expected a listener, got: %v", err)
	}
	t.Cleanup(func() { listener.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

func TestStartKnowsHealth(t *testing.T) {
	up := newBackend(t, "127.0.0.1", "0")
	down := newBackend(t, "127.0.0.2", up.Port)
	down.status.Store(500)
	s := start(t, listening("example.org", hourly("/", up, down)))
	expectChecks(t, 2)
	expectHits(t, up, 1)
	expectHits(t, down, 1)
	expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.1")
}

// TestReloadKeepsChecks is the row "reload": an unchanged check is attempted no more and knows what it knew.
func TestReloadKeepsChecks(t *testing.T) {
	up := newBackend(t, "127.0.0.1", "0")
	down := newBackend(t, "127.0.0.2", up.Port)
	down.status.Store(500)
	s := start(t, listening("example.org", hourly("/", up, down)))
	check := checkOf(t, "127.0.0.2")
	before := check.State()
	down.status.Store(200) // an attempt would see it
	for range 3 {
		s.mustReload(listening("example.org", "log", hourly("/", up, down)))
		s.mustReload(listening("example.org", hourly("/", up, down)))
	}
	if checkOf(t, "127.0.0.2") != check || check.State() != before {
		t.Errorf("Expected the check with its state %+v, got %+v", before, check.State())
	}
	expectChecks(t, 2)
	expectHits(t, up, 1)
	expectHits(t, down, 1)
	expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.1")
}

// TestReloadChangesOptions: other options are another check, which keeps the verdict until it has earned its own.
func TestReloadChangesOptions(t *testing.T) {
	up := newBackend(t, "127.0.0.1", "0")
	other := newBackend(t, "127.0.0.2", up.Port)
	s := start(t, listening("example.org", hourly("/old", up, other)))
	up.await("/old")
	up.status.Store(500)
	s.mustReload(listening("example.org", hourly("/new", up, other)))
	up.await("/new")
	check := checkOf(t, "127.0.0.1")
	eventually(t, "the failed attempt", func() bool { return check.State().Counter.Fails == 1 })
	if status := check.State().Status; status != health.Healthy {
		t.Errorf("Expected healthy by inheritance, got %s", status)
	}
	expectChecks(t, 2)
	expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.1", "127.0.0.2")
}

// TestReloadStopsRemoved: what is not used any more is attempted no more, what stays keeps its cadence.
func TestReloadStopsRemoved(t *testing.T) {
	const everySecond = "interval 1s\ntimeout 500ms"
	kept := newBackend(t, "127.0.0.1", "0")
	removed := newBackend(t, "127.0.0.2", kept.Port)
	s := start(t, listening("example.org", probed(everySecond, kept, removed)))
	expectChecks(t, 2)
	s.mustReload(listening("example.org", probed(everySecond, kept)))
	expectChecks(t, 1)
	hits := removed.count()
	for range 2 + kept.count() {
		kept.await("/")
	}
	expectHits(t, removed, hits)
	expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.1")
}

// TestFailedReload is the rows of reloads that fail, early and late: the running instance stays as it was, and nothing of the
// other one stays.
func TestFailedReload(t *testing.T) {
	port := occupied(t)
	for _, c := range []struct{ name, block, expected string }{
		{"our own setup", "healthroute {\ngroup www nonsense {\n}\n}", "nonsense"},
		{"another setup", "STANZA\nbroken setup", "setup"},
		{"another start after ours", "STANZA\nbroken start", "start"},
		{"listen", "STANZA\n}\nexample.net:" + port + " {\nbind 127.0.0.1\nwhoami", "in use"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := newBackend(t, "127.0.0.1", "0")
			added := newBackend(t, "127.0.0.2", old.Port)
			old.status.Store(500)
			s := start(t, listening("example.org", hourly("/", old)))
			state := checkOf(t, "127.0.0.1").State()
			before := goleak.IgnoreCurrent()
			err := s.reload(listening("example.org", strings.ReplaceAll(c.block, "STANZA", hourly("/", old, added))))
			if err == nil || !strings.Contains(err.Error(), c.expected) {
				t.Errorf("Expected an error about %q, got: %v", c.expected, err)
			}
			expectChecks(t, 1)
			expectHits(t, old, 1)
			if got := checkOf(t, "127.0.0.1").State(); got != state {
				t.Errorf("Expected the state %+v, got %+v", state, got)
			}
			if n := len(running.all()); n != 1 {
				t.Errorf("Expected 1 instance, got %d", n)
			}
			expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.1")
			expectGoroutines(t, before)
			s.mustReload(listening("example.org", hourly("/", old, added)))
			expectChecks(t, 2)
		})
	}
}

// TestFailedFirstReload: the surviving Corefile has no healthroute, so that nothing of ours in it could clean up.
func TestFailedFirstReload(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	s := start(t, listening("example.org", "template ANY ANY"))
	before := goleak.IgnoreCurrent()
	for range 2 {
		if err := s.reload(listening("example.org", hourly("/", b), "broken start")); err == nil {
			t.Error("Expected the reload to fail, got no error")
		}
		expectChecks(t, 0)
		expectGoroutines(t, before)
	}
}

// TestFailedStart: a process whose first start fails ends. Where it does not, the next start gives back what is left.
func TestFailedStart(t *testing.T) {
	port := occupied(t)
	for _, c := range []struct{ name, block string }{
		{"another start after ours", listening("example.org", "STANZA", "broken start")},
		{"listen", "example.org:" + port + " {\nbind 127.0.0.1\nSTANZA\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			failed := newBackend(t, "127.0.0.1", "0")
			good := newBackend(t, "127.0.0.2", "0")
			expectNothingLeft(t)
			if _, err := caddy.Start(input(strings.ReplaceAll(c.block, "STANZA", hourly("/", failed)))); err == nil {
				t.Fatal("Expected the start to fail, got no error")
			}
			expectHits(t, failed, 1)
			inst, err := caddy.Start(input(listening("example.org", hourly("/", good))))
			if err != nil {
				t.Fatalf("Expected a server, got: %v", err)
			}
			s := &server{t, inst}
			t.Cleanup(s.stop)
			s.awaitServing()
			expectChecks(t, 1)
			expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.2")
		})
	}
}

// TestSignal is the row "stop by signal": attempts end at OnShutdown, answers go on from the last views.
func TestSignal(t *testing.T) {
	up := newBackend(t, "127.0.0.1", "0")
	down := newBackend(t, "127.0.0.2", up.Port)
	down.status.Store(500)
	s := start(t, listening("example.org", hourly("/", up, down)))
	for _, shutdown := range s.inst.OnShutdown {
		if err := shutdown(); err != nil {
			t.Errorf("Expected a clean shutdown, got: %v", err)
		}
	}
	expectChecks(t, 0)
	for range 10 {
		expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.1")
		expectNegative(t, s.ask("www.example.org.", dns.TypeAAAA), dns.RcodeSuccess, "example.org.", 30)
	}
}

// TestSignalAbandonsAttempts: a stop does not wait for the timeout of an attempt under way.
func TestSignalAbandonsAttempts(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	b.hold = make(chan struct{})
	s := start(t, listening("example.org", probed("interval 1h\ntimeout 100s", b)))
	expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.1") // the start went on after its bound
	for _, shutdown := range s.inst.OnShutdown {
		if err := shutdown(); err != nil {
			t.Errorf("Expected a clean shutdown, got: %v", err)
		}
	}
	expectChecks(t, 0)
	close(b.hold)
}

// TestValidation: a Corefile that is only checked starts nothing.
func TestValidation(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	expectNothingLeft(t)
	for range 3 {
		if err := caddy.ValidateAndExecuteDirectives(input(listening("example.org", hourly("/", b))), nil, true); err != nil {
			t.Fatalf("Expected a good Corefile, got: %v", err)
		}
	}
	expectChecks(t, 0)
	expectHits(t, b, 0)
	if n := len(running.all()); n != 0 {
		t.Errorf("Expected no instance, got %d", n)
	}
	if err := caddy.ValidateAndExecuteDirectives(input(listening("example.org", "healthroute {\nprobe\n}")), nil, true); err == nil {
		t.Error("Expected an error for a faulty stanza, got none")
	}
}

// TestSharedChecks: equal checks of two server blocks are one, and end with the last block that has them.
func TestSharedChecks(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	stanza := strings.Replace(hourly("/", b), "path", "host www\npath", 1)
	s := start(t, listening("example.org", stanza)+listening("example.net", stanza))
	expectChecks(t, 1)
	expectHits(t, b, 1)
	for i := range 2 {
		name := fmt.Sprintf("www.example.%s.", []string{"org", "net"}[i])
		expectData(t, s.ask(name, dns.TypeA), "127.0.0.1")
	}
	s.mustReload(listening("example.net", stanza))
	expectChecks(t, 1)
	expectHits(t, b, 1)
}
