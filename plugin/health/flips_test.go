package health

import (
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestFlips counts what is left until a check could turn (spec 4.13; T-287, T-288): interval 10 s, next attempt in 4 s.
func TestFlips(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for _, tc := range []struct {
		name    string
		change  func(*config.Probe)
		counter Counter
		want    time.Duration // -1 for never
	}{
		{"T-287 long healthy", nil, Counter{Verdict: Up, Passes: 9}, s(24)},
		{"T-288 two failures", nil, Counter{Verdict: Up, Fails: 2}, s(4)},
		{"unhealthy", nil, Counter{Verdict: Down, Fails: 9}, s(14)},
		{"unhealthy, a pass", nil, Counter{Verdict: Down, Passes: 1}, s(4)},
		{"initial first", nil, Counter{}, s(4)},
		{"initial excluded: the first pass admits", func(p *config.Probe) { p.Initial = config.InitialExcluded }, Counter{Fails: 1}, s(4)},
		{"initial included: it can only be left out", func(p *config.Probe) { p.Initial = config.InitialIncluded }, Counter{Passes: 1}, s(24)},
		{"fall 1", func(p *config.Probe) { p.Fall = 1 }, Counter{Verdict: Up}, s(4)},
		{"inverted, passing", func(p *config.Probe) { p.Invert = true }, Counter{Verdict: Up}, s(24)},
		{"assumed", func(p *config.Probe) { p.Assume = config.AssumeHealthy }, Counter{Verdict: Up}, -1},
	} {
		state := State{Counter: tc.counter, Next: now.Add(s(4))}
		got := state.flips(tcp(tc.change))
		if tc.want < 0 {
			equal(t, tc.name, got.IsZero(), true)
			continue
		}
		equal(t, tc.name, got.Sub(now), tc.want)
	}
	equal(t, "paused", (State{}).flips(tcp(nil)).IsZero(), true)
}

// TestFlipsFollows goes with the attempts of a real check and of one that counts it.
func TestFlipsFollows(t *testing.T) {
	stage := newStage(hangs(s(25), forever, s(5)))
	l, checks := stage.lease(t, of(t, tcp(nil), 1), of(t, tcp(func(p *config.Probe) { p.Interval = s(60) }), 2))
	c := checks[0]
	parent := l.Check(calculatedOf(t, all, checks[:1], checks[1:], nil))
	at := func(now time.Duration, want string) {
		t.Helper()
		stage.clock.to(now)
		equal(t, "flips at "+seconds(now), seconds(c.Flips().Sub(stage.clock.epoch)), want)
		equal(t, "flips of the parent", parent.Flips(), c.Flips())
	}
	at(0, "0.00")
	at(s(6), "30.00")
	at(s(24), "50.00")
	at(s(36), "50.00") // the first failure ended at 35
	at(s(46), "50.00")
	at(s(56), "70.00") // unhealthy: two passes, at 60 and 70
	l.Want(c, false)
	if c.idle.Load() { // the parent wants it
		t.Error("Expected the check to go on, got a pause")
	}
	l.Want(parent, false)
	equal(t, "flips while nobody wants it", c.Flips().IsZero(), true)
	l.Want(c, true)
	at(s(56), "56.00")
	stage.engine.Force(c, Stopped)
	equal(t, "flips while it is stopped", c.Flips().IsZero(), true)
}
