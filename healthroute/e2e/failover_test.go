//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// quick is the fastest schedule that there is.
const quick = "interval 1s\ntimeout 900ms"

// rarely makes one attempt, at the start, and none while a test runs.
const rarely = "interval 1h\ntimeout 900ms"

// probe declares a probe of the backend's port.
func probe(name, kind string, b *backend, options ...string) string {
	return fmt.Sprintf("probe %s %s {\nport %s\n%s\n}\n", name, kind, b.port, strings.Join(options, "\n"))
}

// turn is a change of the answer that a number of attempts of one outcome must cause, no more and no fewer.
type turn struct {
	s              *server
	b              *backend
	probe, outcome string
	base           int // as many attempts ended so before
	after          int // as many more must
}

// turn changes the backend's mode and notes what was before.
func (s *server) turn(b *backend, m mode, probe, outcome string, after int) turn {
	s.t.Helper()
	base := s.attempts(probe, outcome)
	b.set(m)
	return turn{s, b, probe, outcome, base, after}
}

// expect asks www until the answer changes. Each answer is held against the attempts that had surely been counted before the
// question, and those that might have been before the answer.
func (c turn) expect(network, from, to string) {
	t := c.s.t
	t.Helper()
	eventually(t, "an answer of "+to, func() bool {
		// The next attempt begins when everybody knows of the last one's end: all but the newest have had their effect.
		had := max(c.s.attempts(c.probe, c.outcome)-c.base, int(c.b.arrived.Load())) - 1
		got := c.s.ask(network, "www")
		have := c.s.attempts(c.probe, c.outcome) - c.base
		switch {
		case got != from && got != to:
			t.Fatalf("Expected %s or %s, got %s", from, to, got)
		case got == from && had >= c.after:
			t.Fatalf("Expected %s after %d attempts (%s), got %s after %d", to, c.after, c.outcome, got, had)
		case got == to && have < c.after:
			t.Fatalf("Expected %s until %d attempts (%s), got %s after %d", from, c.after, c.outcome, got, have)
		}
		return got == to
	})
}

// TestFailover kills the primary in each way: the secondary answers after `fall` attempts, the primary again after
// `rise`, and the log says why.
func TestFailover(t *testing.T) {
	t.Parallel()
	const fall, rise = 2, 2
	for _, c := range []struct {
		name, kind string
		dead       mode
		reason     string
		network    string
	}{
		{"refused", "http", modeRefuse, "connection refused", "udp"},
		{"hanging", "http", modeHang, "timed out after connecting, waiting for the status line", "tcp"},
		{"status 500", "http", modeError, "status 500, expected 200-399", "udp"},
		{"full accept queue", "tcp", modeFull, "timed out while connecting", "tcp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			backends := newBackends(t, 2)
			first, second := backends[0], backends[1]
			s := start(t, "healthroute {\n"+
				probe("first", c.kind, first, quick, fmt.Sprint("fall ", fall), fmt.Sprint("rise ", rise))+
				probe("second", c.kind, second, rarely)+
				"group www failover {\nrecord "+first.host+" primary probe first\nrecord "+second.host+" secondary probe second\n}\n}")
			s.expect(c.network, "www", first.host)

			s.turn(first, c.dead, "first", "fail", fall).expect(c.network, first.host, second.host)
			s.awaitLog(fmt.Sprintf("check first@%s is unhealthy after %d attempts: %s (was healthy", first.address, fall, c.reason), 1)
			s.turn(first, modeUp, "first", "pass", rise).expect(c.network, second.host, first.host)
			s.awaitLog(fmt.Sprintf("check first@%s is healthy after %d attempts (was unhealthy", first.address, rise), 1)

			for to, want := range map[string]int{"healthy": 2, "unhealthy": 1} { // healthy at the start, too
				if got := s.transitions("first", to); got != want {
					t.Errorf("Expected %d transitions to %s, got %d", want, to, got)
				}
			}
			if got := second.total(); got != 1 {
				t.Errorf("Expected no attempt but the first at the secondary, got %d", got)
			}
			if c.dead == modeHang || c.dead == modeError { // the backend sees all attempts
				expectAttempts(t, s, "first", first)
			}
		})
	}
}

// TestLastResort kills primary and secondary: health is ignored then, and the primary answers.
func TestLastResort(t *testing.T) {
	t.Parallel()
	backends := newBackends(t, 2)
	first, second := backends[0], backends[1]
	s := start(t, "healthroute {\n"+probe("web", "http", first, quick, "fall 1", "rise 1")+
		"group www failover {\nprobe web\nrecord "+first.host+" primary\nrecord "+second.host+" secondary\n}\n}")
	inLastResort := func(want int) func() bool {
		return func() bool { return s.metric("group_last_resort", `group="www.example.org."`, `type="A"`) == want }
	}
	if !inLastResort(0)() {
		t.Error("Expected no last resort at the start, got one")
	}
	answered := func() int { return s.metric("last_resort_answers_total", `group="www.example.org."`) }

	first.set(modeHang)
	second.set(modeRefuse)
	eventually(t, "the last resort", inLastResort(1))
	s.expect("udp", "www", first.host)
	s.expect("tcp", "www", first.host)
	if got := answered(); got != 2 {
		t.Errorf("Expected 2 answers from the last resort, got %d", got)
	}
	s.awaitLog("group www.example.org. has no usable record for A: last_resort all answers", 1)

	second.set(modeUp)
	eventually(t, "the end of the last resort", inLastResort(0))
	s.expect("udp", "www", second.host)
	s.awaitLog("group www.example.org. has a usable record for A again", 1)
	first.set(modeUp)
	eventually(t, "the primary's return", func() bool { return s.ask("udp", "www") == first.host })
	if got := answered(); got != 2 || !inLastResort(0)() {
		t.Errorf("Expected the last resort to be over after 2 answers, got %d", got)
	}
	for _, line := range []string{"has no usable record", "has a usable record"} {
		if got := s.log.count(line); got != 1 {
			t.Errorf("Expected one line %q, got %d", line, got)
		}
	}
}
