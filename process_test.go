package healthroute

import (
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/probe"
)

// TestRemovedSeries deletes the series of what a reload removed, and keeps those of what is left, with their counts.
func TestRemovedSeries(t *testing.T) {
	b := newBackend(t, "127.0.0.1", "0")
	other := newBackend(t, "127.0.0.2", b.Port)
	definition := func(name string) string { return "probe " + name + " http {\nport " + b.Port + "\ninterval 1h\n}" }
	kept := groupOf("multivalue", "kept", "probe stays", b.Address)
	s := start(t, listening("example.org", stanza(definition("stays"), definition("goes"),
		groupOf("multivalue", "kept", "probe stays", b.Address, other.Address), groupOf("simple", "removed", "probe goes\nlast_resort none", other.Address))))
	for _, name := range []string{"kept.example.org.", "removed.example.org."} {
		s.ask(name, dns.TypeA)
		s.ask(name, dns.TypeAAAA)
	}
	gone := []string{"=removed.example.org.", "record=127.0.0.2", "probe=goes", "target=127.0.0.2:" + b.Port}
	before := scrape(t)
	for _, part := range gone {
		if n := series(before, part); n == 0 {
			t.Errorf("Expected series with %s before the reload, got none", part)
		}
	}
	s.mustReload(listening("example.org", stanza(definition("stays"), kept)))
	s.ask("kept.example.org.", dns.TypeA)
	after := scrape(t)
	for _, part := range gone {
		if n := series(after, part); n > 0 {
			t.Errorf("Expected no series with %s after the reload, got %d", part, n)
		}
	}
	expectSamples(t, before, after, map[string]float64{
		"answers_total{group=kept.example.org.,record=127.0.0.1,server=dns://127.0.0.1:0}": 1,
		"attempts_total{outcome=pass,probe=stays}":                                         0,
		"transitions_total{probe=stays,target=127.0.0.1:" + b.Port + ",to=healthy}":        0,
	})
}

// series counts those whose name or labels hold the text.
func series(samples map[string]float64, text string) (n int) {
	for name := range samples {
		if strings.Contains(name, text) {
			n++
		}
	}
	return n
}

// TestProcessWideTwice refuses what is about the whole process in a second server block, and the running server goes on.
func TestProcessWideTwice(t *testing.T) {
	for _, option := range []string{"max_attempts 10", "canary gateway\nprobe gateway tcp {\ntarget 127.0.0.9\nport 9\ninterval 1h\n}"} {
		word, _, _ := strings.Cut(option, " ")
		_, err := caddy.Start(input(listening("example.org", stanza(option)) + listening("example.net", stanza(option))))
		want := `"` + word + `" is about the whole process and stands at Corefile:`
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Expected an error with %q, got: %v", want, err)
		}
	}
}

// TestCanary freezes the verdicts of a server whose canary fails, says so, and thaws with a reload that has none.
func TestCanary(t *testing.T) {
	log := captureLog(t)
	b := newBackend(t, "127.0.0.1", "0")
	canary := "max_attempts 50\ncanary gateway\nprobe gateway tcp {\ntarget 127.0.0.9\nport " + closedPort(t, "127.0.0.9") + "\ninterval 1h\nfall 1\n}"
	s := start(t, listening("example.org", stanza(canary, "probe web http {\nport "+b.Port+"\ninterval 1h\n}", groupOf("simple", "www", "probe web", b.Address))))
	eventually(t, "verdicts to be frozen", engine.Frozen)
	expectSamples(t, nil, scrape(t), map[string]float64{
		"verdicts_frozen{}": 1, "attempts_under_way{}": 0, "attempts_waiting{}": 0, "checks_untestable{}": 0,
		"check_healthy{host=,probe=gateway,target=127.0.0.9:" + checkOf(t, "127.0.0.9").TargetString()[len("127.0.0.9:"):] + "}": 0,
	})
	expectData(t, s.ask("www.example.org.", dns.TypeA), b.Address)
	s.mustReload(listening("example.org", hourly("/", b)))
	if engine.Frozen() {
		t.Error("Expected verdicts that move without canaries, got frozen ones")
	}
	for _, want := range []string{"all canaries fail (gateway@127.0.0.9:", "verdicts move again"} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("Expected one line with %q, got:\n%s", want, log)
		}
	}
}

// TestUntestable counts each attempt that could not tell by its cause, and logs where that begins and where it ends.
func TestUntestable(t *testing.T) {
	log := captureLog(t)
	b := newBackend(t, "127.0.0.1", "0")
	start(t, listening("example.org", hourly("/", b)))
	c := checkOf(t, b.Address)
	r := probe.Result{Outcome: probe.CannotTell, Cause: probe.NoDescriptors, Reason: "no file descriptors left in the process", Duration: time.Millisecond}
	before := scrape(t)
	o := observer{}
	o.AttemptEnded(c, r)
	o.Untestable(c, true, r)
	o.AttemptEnded(c, r)
	o.Untestable(c, false, probe.Result{})
	expectSamples(t, before, scrape(t), map[string]float64{"untestable_attempts_total{cause=no_descriptors,probe=web}": 2})
	for _, want := range []string{"cannot be tested, its state stands: no file descriptors left", "can be tested again"} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("Expected one line with %q, got:\n%s", want, log)
		}
	}
}

// TestDefaultMaxAttempts leaves half of the descriptors to others, but is no smaller than a small server needs.
func TestDefaultMaxAttempts(t *testing.T) {
	for descriptors, want := range map[int]int{64: 100, 1024: 512, 20_000: 10_000, 1 << 30: 1_000_000} {
		if got := defaultMaxAttempts(descriptors, true); got != want {
			t.Errorf("Expected %d attempts with %d descriptors, got %d", want, descriptors, got)
		}
	}
	if got := defaultMaxAttempts(0, false); got != 1000 {
		t.Errorf("Expected 1000 attempts where nothing is known, got %d", got)
	}
}
