package healthroute

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// tell pushes the result of a probe of type push.
func tell(t *testing.T, name string, outcome probe.Outcome) {
	t.Helper()
	if engine.Push(name, outcome, time.Now(), "told") == 0 {
		t.Fatalf("Expected a check of %s, got none", name)
	}
}

// lateFailures are two starts that fail after ours: in another plugin and in listen.
func lateFailures(t *testing.T, lines ...string) []string {
	return []string{
		listening("example.org", append(lines, "broken start")...),
		listening("example.org", lines...) + "example.net:" + occupied(t) + " {\nbind 127.0.0.1\nwhoami\n}\n",
	}
}

// TestFailedReloadKeepsLatches: a configuration that would drive a group with `failback manual` down, and then does not start, has not driven it.
func TestFailedReloadKeepsLatches(t *testing.T) {
	t.Cleanup(forgetOverrides)
	group := func(primary string) string {
		return stanza(dead, "probe told push {\nmax_age 1h\n}",
			"group www failover {\nfailback manual\nrecord 192.0.2.1 primary probe "+primary+"\nrecord 192.0.2.2 secondary\n}")
	}
	s := start(t, listening("example.org", group("told")))
	tell(t, "told", probe.Pass)
	for _, corefile := range lateFailures(t, group("dead")) {
		if err := s.reload(corefile); err == nil {
			t.Fatal("Expected the reload to fail")
		}
		expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.1")
		s.mustReload(listening("example.org", "log", group("told"))) // one that reads what is set anew
		expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.1")
	}
	tell(t, "told", probe.Fail)
	tell(t, "told", probe.Pass)
	s.mustReload(listening("example.org", group("told")))
	expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.2") // this one is set, and stays
}

// TestFailedReloadKeepsRuns: a canary that fails, of a configuration that does not start, freezes no verdict, so that no check's run is cleared.
func TestFailedReloadKeepsRuns(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	b.status.Store(500)
	web := "probe web http {\nport " + b.Port + "\ninterval 1h\nfall 3\ninitial excluded\n}\n" + groupOf("simple", "www", "probe web", b.Address)
	s := start(t, listening("example.org", stanza(web)))
	check := checkOf(t, b.Address)
	before := check.State()
	if before.Counter.Fails != 1 {
		t.Fatalf("Expected one failure, got %+v", before.Counter)
	}
	canary := "max_attempts 1\ncanary gateway\nprobe gateway tcp {\ntarget 127.0.0.9\nport " + closedPort(t, "127.0.0.9") + "\ninterval 1h\nfall 1\n}"
	for _, corefile := range lateFailures(t, stanza(canary, web)) {
		if err := s.reload(corefile); err == nil {
			t.Fatal("Expected the reload to fail")
		}
		if got := check.State(); got != before || engine.Frozen() || len(engine.Canaries()) > 0 {
			t.Errorf("Expected the state %+v, got %+v, frozen %v", before, got, engine.Frozen())
		}
	}
	s.mustReload(listening("example.org", stanza(canary, web)))
	eventually(t, "verdicts to be frozen", engine.Frozen)
}

// TestReloadKeepsTurn: roundrobin goes on with the record whose turn it is, and keeps a full turn full, whatever is reloaded in between, also in vain.
func TestReloadKeepsTurn(t *testing.T) {
	addresses := []string{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5"}
	turns := func(more ...string) string {
		return listening("example.org", append(more, stanza(groupOf("roundrobin", "www", "", addresses...)))...)
	}
	s := start(t, turns())
	for range 4 {
		var seen []string
		for i := range addresses {
			seen = append(seen, data(s.ask("www.example.org.", dns.TypeA).Answer)...)
			switch i % 3 {
			case 0:
				s.mustReload(turns([]string{"log", "errors"}[i/3]))
			case 1:
				if err := s.reload(turns("broken start")); err == nil {
					t.Fatal("Expected the reload to fail")
				}
			}
		}
		if slices.Sort(seen); !slices.Equal(seen, addresses) {
			t.Errorf("Expected each once in a full turn, got %v", seen)
		}
	}
}

// TestReloadKeepsWhatOthersSaid: what whoever stands behind us said of names that a wildcard covers, and of the zone's SOA, stands over a reload as long as nobody
// says otherwise; where he does, the reload is seen at once.
func TestReloadKeepsWhatOthersSaid(t *testing.T) {
	file := zoneFile(t, "example.org", zoneText)
	wild := stanza(groupOf("simple", "*.wild", "ttl 20s", "192.0.2.1"), groupOf("simple", "www", "ttl 20s", "192.0.2.1"))
	const fails = "template ANY ANY {\nrcode SERVFAIL\n}"
	s := start(t, listening("example.org", file, wild))
	names := []string{"a.wild.example.org.", "b.c.wild.example.org."}
	for _, name := range names {
		expectData(t, s.ask(name, dns.TypeA), "192.0.2.1")
	}
	serial := func() uint32 {
		r := s.ask("www.example.org.", dns.TypeAAAA)
		expectNegative(t, r, dns.RcodeSuccess, "example.org.", 20)
		return r.Ns[0].(*dns.SOA).Serial
	}
	known := serial()
	for range 3 { // whatever stands behind us fails from here on
		s.mustReload(listening("example.org", fails, wild))
		for _, name := range names {
			expectData(t, s.ask(name, dns.TypeA), "192.0.2.1")
		}
		if got := serial(); got != known {
			t.Errorf("Expected the SOA with serial %d, got %d", known, got)
		}
	}
	if r := s.ask("new.wild.example.org.", dns.TypeA); r.Rcode != dns.RcodeServerFailure {
		t.Errorf("Expected SERVFAIL for a name of which nobody knows, got:\n%v", r)
	}
	s.mustReload(listening("example.org", "template IN A wild.example.org {\nanswer \"{{ .Name }} 60 IN A 192.0.2.77\"\n}", wild))
	for _, name := range names {
		expectData(t, s.ask(name, dns.TypeA), "192.0.2.77")
	}
}

// TestReloadOfKeys edits the zones of a server block: what was known under the old ones is known under the new ones.
func TestReloadOfKeys(t *testing.T) {
	t.Cleanup(forgetOverrides)
	up := newBackend(t, "127.0.0.11", "0")
	down := newBackend(t, "127.0.0.12", up.Port)
	down.status.Store(500)
	lines := func(path string) []string {
		return []string{
			zoneFile(t, "example.org", filteredZone), stanzaOf("example.org", "probe told push {\nmax_age 1h\n}",
				"probe web http {\nport "+up.Port+"\ninterval 1h\npath "+path+"\n}", "filter www {\nprobe web\n}",
				groupOf("multivalue", "checked", "probe web", up.Address, down.Address), groupOf("roundrobin", "turn", "", "192.0.2.1", "192.0.2.2", "192.0.2.3"),
				"group latched failover {\nfailback manual\nrecord 192.0.2.1 primary probe told\nrecord 192.0.2.2 secondary\n}"),
		}
	}
	s := start(t, listening("example.org", lines("/")...))
	for _, outcome := range []probe.Outcome{probe.Pass, probe.Fail, probe.Pass} {
		tell(t, "told", outcome)
	}
	s.ask("www.example.org.", dns.TypeA)
	settle(t, filterOf(t), health.Unhealthy, down.Address)
	hits := up.count()
	for i, zones := range []string{"example.org example.net", "example.net example.org", "example.org", "example.com example.org"} {
		turn := data(s.ask("turn.example.org.", dns.TypeA).Answer)[0]
		s.mustReload(listening(zones, lines("/")...))
		expectData(t, s.ask("latched.example.org.", dns.TypeA), "192.0.2.2")
		expectData(t, s.ask("checked.example.org.", dns.TypeA), up.Address)
		expectData(t, s.ask("www.example.org.", dns.TypeA), up.Address)
		if next := data(s.ask("turn.example.org.", dns.TypeA).Answer)[0]; next != fmt.Sprintf("192.0.2.%d", int(turn[len(turn)-1]-'0')%3+1) {
			t.Errorf("Expected the turn after that of %s, got %s, for %s", turn, next, zones)
		}
		if got := up.count(); got != hits {
			t.Errorf("Expected no attempt more for %s, got %d", zones, got-hits)
		}
		if i == 3 { // keys and probe at once: the verdict is taken over
			up.status.Store(500)
			s.mustReload(listening("example.org", lines("/other")...))
			expectData(t, s.ask("checked.example.org.", dns.TypeA), up.Address)
		}
	}
	if latches := engine.Latches().Keys(); len(latches) != 1 || !strings.Contains(latches[0], "latched") {
		t.Errorf("Expected one latch, got %v", latches)
	}
}
