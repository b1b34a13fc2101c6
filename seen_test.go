package healthroute

import (
	"bytes"
	"io"
	golog "log"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coredns/caddy"
	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// lines collects what is logged while a test runs.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func captureLog(t *testing.T) *lines {
	t.Helper()
	l := &lines{}
	golog.SetOutput(l)
	t.Cleanup(func() { golog.SetOutput(io.Discard) })
	return l
}

// TestMetadata shows in log who answered and why, and nothing for what is not ours.
func TestMetadata(t *testing.T) {
	l := captureLog(t)
	s := start(t, listening("example.org", "metadata", `log . "<{name} {type}|{/healthroute/group}|{/healthroute/record}|{/healthroute/reason}>"`,
		zoneFile(t, "example.org", zoneText), stanza(dead,
			groupOf("weighted", "www", "", "192.0.2.1"), groupOf("failover", "over", "", "192.0.2.1", "192.0.2.2"),
			groupOf("multivalue", "many", "", "192.0.2.1", "192.0.2.2"), groupOf("simple", "down", "probe dead", "192.0.2.1"),
			groupOf("simple", "none", "probe dead\nlast_resort none", "192.0.2.1"))))
	for _, c := range []struct{ name, word, want string }{
		{"www", "A", "|www.example.org.|192.0.2.1|only one with a weight>"},
		{"www", "AAAA", "|www.example.org.||no data of this type>"},
		{"over", "A", "|over.example.org.|192.0.2.1|primary>"},
		{"many", "A", "|many.example.org.|192.0.2.1,192.0.2.2|all usable records>"},
		{"down", "A", "|down.example.org.|192.0.2.1|last resort, no usable record>"},
		{"none", "A", "|none.example.org.||last resort, no usable record>"},
		{"plain", "A", "|-|-|->"},
	} {
		s.ask(c.name+".example.org.", dns.StringToType[c.word])
		want := "<" + c.name + ".example.org. " + c.word + c.want
		eventually(t, "the line "+want, func() bool { return strings.Contains(l.String(), want) })
	}
}

// TestLogTellsTransitionsOnly: a line for each change of status or last resort, and none for queries, attempts and reloads
// that change nothing.
func TestLogTellsTransitionsOnly(t *testing.T) {
	l := captureLog(t)
	up := newBackend(t, "127.0.0.1", "0")
	down := newBackend(t, "127.0.0.2", up.Port)
	down.status.Store(503)
	corefile := listening("example.org", hourly("/", up, down))
	s := start(t, corefile)
	for range 10 {
		s.ask("www.example.org.", dns.TypeA)
	}
	s.mustReload(corefile)
	var own []string
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, "plugin/healthroute") {
			own = append(own, line)
		}
	}
	if len(own) != 1 || !strings.Contains(own[0], "is unhealthy after 1 attempt: status 503, expected 200-399") {
		t.Errorf("Expected one line about the dead backend, got %q", own)
	}
}

// TestReady is false until every check has ended an attempt.
func TestReady(t *testing.T) {
	expectNothingLeft(t)
	b := newBackend(t, "127.0.0.1", "0")
	b.hold = make(chan struct{})
	address := net.JoinHostPort("127.0.0.1", closedPort(t, "127.0.0.1"))
	started := make(chan *caddy.Instance)
	go func() {
		inst, err := caddy.Start(input(listening("example.org", "ready "+address, probed("interval 1h\ntimeout 100s", b))))
		if err != nil {
			t.Errorf("Expected a server, got: %v", err)
		}
		started <- inst
	}()
	b.await("/") // the attempt is under way and does not end
	inst := <-started
	s := &server{t, inst}
	t.Cleanup(s.stop)
	s.awaitServing()
	if status, body := get(t, address); status != http.StatusServiceUnavailable || body != "healthroute" {
		t.Errorf("Expected 503 healthroute, got %d %s", status, body)
	}
	expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.1")
	close(b.hold)
	eventually(t, "to be ready", func() bool {
		status, _ := get(t, address)
		return status == http.StatusOK
	})
}

func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	r, err := client.Get("http://" + address + "/ready")
	if err != nil {
		t.Fatalf("Expected an answer, got: %v", err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("Expected a body, got: %v", err)
	}
	return r.StatusCode, string(text)
}

// TestMetrics scrapes with the same group and check in two server blocks, during and after their life.
func TestMetrics(t *testing.T) {
	up := newBackend(t, "127.0.0.1", "0")
	down := newBackend(t, "127.0.0.2", up.Port)
	down.status.Store(500)
	block := func(zone string) string {
		return listening(zone, "prometheus 127.0.0.1:"+closedPort(t, "127.0.0.1"), stanzaOf("example.org",
			"probe seen http {\nport "+up.Port+"\ninterval 1h\n}", groupOf("multivalue", "seen", "probe seen", up.Address, down.Address),
			groupOf("simple", "lost", "probe seen\nlast_resort none", down.Address)))
	}
	before := scrape(t) // counters are the process's
	t.Run("running", func(t *testing.T) {
		s := start(t, block("example.org")+block("seen.example.org"))
		for range 3 {
			s.ask("seen.example.org.", dns.TypeA)
			s.ask("lost.example.org.", dns.TypeA)
		}
		expectSamples(t, before, scrape(t), map[string]float64{
			"answers_total{group=seen.example.org.,record=127.0.0.1,server=dns://127.0.0.1:0}": 3,
			"answers_total{group=seen.example.org.,record=127.0.0.2,server=dns://127.0.0.1:0}": 0,
			"answers_total{group=lost.example.org.,record=,server=dns://127.0.0.1:0}":          3,
			"last_resort_answers_total{group=lost.example.org.,server=dns://127.0.0.1:0}":      3,
			"last_resort_answers_total{group=seen.example.org.,server=dns://127.0.0.1:0}":      0,
			"attempts_total{outcome=pass,probe=seen}":                                          1,
			"attempts_total{outcome=fail,probe=seen}":                                          2, // the lost group's has another Host
			"attempt_duration_seconds{probe=seen}":                                             3,
			"connect_duration_seconds{probe=seen}":                                             3,
			"first_byte_duration_seconds{probe=seen}":                                          3,
			"transitions_total{probe=seen,target=127.0.0.1:" + up.Port + ",to=healthy}":        1,
			"transitions_total{probe=seen,target=127.0.0.2:" + up.Port + ",to=unhealthy}":      2,
			"check_healthy{host=seen.example.org,probe=seen,target=127.0.0.1:" + up.Port + "}": 1,
			"check_healthy{host=seen.example.org,probe=seen,target=127.0.0.2:" + up.Port + "}": 0,
			"check_healthy{host=lost.example.org,probe=seen,target=127.0.0.2:" + up.Port + "}": 0,
			"checks{status=healthy}": 1, "checks{status=unhealthy}": 2, "checks{status=checking}": 0,
			"group_last_resort{group=seen.example.org.,type=A}": 0,
			"group_last_resort{group=lost.example.org.,type=A}": 1,
		})
		if scrape(t)["scheduler_lag_seconds{}"] < before["scheduler_lag_seconds{}"]+3 {
			t.Error("Expected the lag of each attempt, got less")
		}
	})
	for name := range scrape(t) {
		if strings.HasPrefix(name, "check_healthy") || strings.HasPrefix(name, "group_last_resort") {
			t.Errorf("Expected no gauge after the end, got %s", name)
		}
	}
}

// scrape returns the values of our metrics; of a histogram, how much it has counted.
func scrape(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatalf("Expected a scrape without errors, got: %v", err)
	}
	samples := map[string]float64{}
	for _, f := range families {
		name, ours := strings.CutPrefix(f.GetName(), "coredns_healthroute_")
		if !ours {
			continue
		}
		for _, m := range f.GetMetric() {
			samples[name+"{"+labels(m)+"}"] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return samples
}

func labels(m *dto.Metric) string {
	var out []string
	for _, l := range m.GetLabel() {
		out = append(out, l.GetName()+"="+l.GetValue())
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// expectSamples compares gauges, and by how much counters grew.
func expectSamples(t *testing.T, before, got, want map[string]float64) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, ok := got[name]
		if strings.Contains(name, "_total{") || strings.Contains(name, "_seconds{") {
			value -= before[name]
		}
		if !ok || value != want[name] {
			t.Errorf("Expected %s = %v, got %v (there: %v)", name, want[name], value, ok)
		}
	}
}
