package health

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

const aged = 10 * time.Minute

// restart ends the stage's engine and begins another one, which has what the first one knew, after it was down for so long.
func (s *stage) restart(down time.Duration) *stage {
	kept := s.engine.Snapshot()
	for _, l := range s.engine.leases {
		l.Release()
	}
	next := newStageAt(s.clock.Now().Add(down), s.world)
	next.engine.Restore(kept, aged)
	return next
}

// TestRestart goes on where the check stopped, with an attempt at once, and asks for as many failures as were left.
func TestRestart(t *testing.T) {
	stage := newStage(hangs(s(14), forever, answer))
	_, checks := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(35)) // two failures of three
	before := checks[0].State()
	equal(t, "failures", before.Counter.Fails, 2)

	stage = stage.restart(time.Minute)
	stage.world = always(probe.Fail, answer)
	l, checks := stage.lease(t, of(t, tcp(nil), 1))
	got := checks[0].State()
	equal(t, "attempted", l.Attempted(), true)
	got.Next = before.Next
	equal(t, "state", got, before)
	stage.clock.to(s(1))
	same(t, "starts", stage.starts, "0.00")
	same(t, "changes", stage.changes, "0.05 unhealthy after 3, was healthy for 95.00")
}

// TestRestartWithoutVerdict keeps the run of a check that has none yet, and waits for its first attempt.
func TestRestartWithoutVerdict(t *testing.T) {
	excluded := tcp(func(p *config.Probe) { p.Initial = config.InitialExcluded })
	stage := newStage(always(probe.Fail, answer))
	stage.lease(t, of(t, excluded, 1))
	stage.clock.to(s(15))
	stage = stage.restart(s(5))
	l, checks := stage.lease(t, of(t, excluded, 1))
	equal(t, "failures", checks[0].State().Counter.Fails, 2)
	equal(t, "attempted", l.Attempted(), false)
	stage.clock.to(s(1))
	equal(t, "status", checks[0].State().Status, Unhealthy)
}

// TestRestartChanged takes the verdict over to a check whose options changed meanwhile, as a reload does.
func TestRestartChanged(t *testing.T) {
	stage := newStage(hangs(s(14), forever, answer))
	_, checks := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(55))
	before := checks[0].State()
	stage = stage.restart(time.Minute)
	l, checks := stage.lease(t, of(t, changed(s(20)), 1))
	got := checks[0].State()
	equal(t, "status", got.Status, Unhealthy)
	equal(t, "counter", got.Counter, Counter{Verdict: Down})
	equal(t, "since", got.Since, before.Since)
	equal(t, "attempted", l.Attempted(), true)

	other := stage.engine.Lease(nil)
	t.Cleanup(other.Release)
	other.Scope = "another block"
	equal(t, "status in another block", other.Check(of(t, changed(s(30)), 1)).State().Status, Checking)
}

// TestRestartTooLate knows nothing of what is older than the limit when it is asked for.
func TestRestartTooLate(t *testing.T) {
	for _, tc := range []struct {
		down, until time.Duration
		want        Status
	}{
		{aged, 0, Unhealthy},
		{aged + 1, 0, Checking},
		{aged / 2, aged / 2, Unhealthy},
		{aged / 2, aged/2 + 1, Checking},
		{-aged, 0, Unhealthy}, // the clock was set back
		{-aged - 1, 0, Checking},
	} {
		stage := newStage(always(probe.Fail, answer))
		stage.lease(t, of(t, tcp(nil), 1))
		stage.clock.to(s(55))
		stage = stage.restart(tc.down)
		stage.clock.to(tc.until)
		_, checks := stage.lease(t, of(t, tcp(nil), 1))
		got := checks[0].State()
		equal(t, fmt.Sprintf("status after %v and %v", tc.down, tc.until), got.Status, tc.want)
		if got.Since.After(stage.clock.Now()) || got.LastAt.After(stage.clock.Now()) {
			t.Errorf("Expected nothing to be of a time to come, got %+v", got)
		}
		equal(t, "checks kept", len(stage.engine.Snapshot().Checks), map[Status]int{Unhealthy: 1}[tc.want])
	}
}

// TestRestartOnce: what was adopted is not adopted again by a check that comes after that one was dropped.
func TestRestartOnce(t *testing.T) {
	for _, p := range []*config.Probe{tcp(nil), changed(s(20))} {
		stage := newStage(always(probe.Fail, answer))
		stage.lease(t, of(t, tcp(nil), 1))
		stage.clock.to(s(5))
		stage = stage.restart(s(5))
		l, checks := stage.lease(t, of(t, p, 1))
		equal(t, "status", checks[0].State().Status, Unhealthy)
		l.Drop(checks[0])
		equal(t, "status of the next", l.Check(of(t, p, 1)).State().Status, Checking)
	}
}

// TestRestartsInARow keep what finds no check in between, for as long as it is not too old, and lose no lineage.
func TestRestartsInARow(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	stage.lease(t, of(t, tcp(nil), 1), of(t, tcp(nil), 2))
	stage.clock.to(s(5))
	for range 3 {
		stage = stage.restart(3 * time.Minute)
		_, checks := stage.lease(t, of(t, tcp(nil), 1))
		equal(t, "status", checks[0].State().Status, Unhealthy)
		equal(t, "checks kept", len(stage.engine.Snapshot().Checks), 2)
	}
	once := stage.restart(s(60))
	_, checks := once.lease(t, of(t, changed(s(20)), 2))
	equal(t, "status of what came late", checks[0].State().Status, Unhealthy)
	equal(t, "checks kept", len(once.engine.Snapshot().Checks), 3) // the second one also as it was
	once = once.restart(s(1))
	equal(t, "checks kept after the limit of the first time", len(once.engine.Snapshot().Checks), 2)
	_, checks = once.lease(t, of(t, changed(s(30)), 2))
	equal(t, "status with other options again", checks[0].State().Status, Unhealthy)
}

// TestRestartHold: a hold goes on, with all that it is made of.
func TestRestartHold(t *testing.T) {
	quick := tcp(func(p *config.Probe) { p.Fall, p.Rise = 2, 1 })
	fails := map[time.Duration]bool{s(10): true, s(20): true, s(50): true}
	stage := newStage(func(at time.Duration) (probe.Outcome, time.Duration) {
		if fails[at] {
			return probe.Fail, answer
		}
		return probe.Pass, answer
	})
	_, checks := stage.lease(t, of(t, quick, 1))
	stage.clock.to(s(65))
	before := checks[0].State()
	stage = stage.restart(s(5))
	_, checks = stage.lease(t, of(t, quick, 1))
	for _, hold := range []time.Duration{s(1), s(19), s(20), s(100)} {
		equal(t, "end of the hold", checks[0].State().HeldUntil(hold), before.HeldUntil(hold))
		equal(t, "recovery", checks[0].State().RecoveredAt(hold), before.RecoveredAt(hold))
	}
}

// TestRestartCalculated is counted anew, and keeps since when it stands.
func TestRestartCalculated(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	take := func(l *Lease) *Check {
		child := l.Check(of(t, tcp(nil), 1))
		return l.Check(calculatedOf(t, all, []*Check{child}))
	}
	l, _ := stage.lease(t)
	before := take(l)
	l.Start()
	stage.clock.to(s(35))
	stage = stage.restart(s(5))
	l, _ = stage.lease(t)
	sum := take(l)
	equal(t, "status", sum.State().Status, Unhealthy)
	equal(t, "since", sum.State().Since, before.State().Since)
	equal(t, "counter", sum.State().Counter, Counter{})
}

// TestRestartPushed keeps what was told, for as long as it counts from when it was told.
func TestRestartPushed(t *testing.T) {
	stage := newStage(nil)
	_, checks := stage.lease(t, pushes(t, func(p *config.Probe) { p.Push.MaxAge, p.Push.Missing = s(60), config.MissingHealthy }))
	name := checks[0].Probe().Name
	stage.engine.Push(name, probe.Fail, stage.clock.Now(), "alarm")
	stage.clock.to(s(20))
	stage = stage.restart(s(20))
	_, checks = stage.lease(t, checks[0].Spec())
	got := checks[0].State()
	equal(t, "status", got.Status, Unhealthy)
	equal(t, "reason", got.Last.Reason, "alarm")
	stage.clock.to(s(21))
	equal(t, "status when that is too old", checks[0].State().Status, Healthy)
}

// TestRestartPushedLongAgo: what was told counts for the probe's max_age, however long the server was down and whatever was looked for meanwhile.
func TestRestartPushedLongAgo(t *testing.T) {
	for down, want := range map[time.Duration]Status{2 * aged: Unhealthy, 6*aged + 1: Healthy} {
		stage := newStage(nil)
		_, checks := stage.lease(t, pushes(t, func(p *config.Probe) { p.Push.MaxAge, p.Push.Missing = 6*aged, config.MissingHealthy }))
		stage.engine.Push(checks[0].Probe().Name, probe.Fail, stage.clock.Now(), "alarm")
		stage = stage.restart(down)
		equal(t, "checks kept", len(stage.engine.Snapshot().Checks), 1)
		_, checks = stage.lease(t, checks[0].Spec())
		equal(t, fmt.Sprintf("status after %v", down), checks[0].State().Status, want)
	}
}

// TestRestartLeavesOut what rests or is stopped: it begins anew when it is wanted, however long after.
func TestRestartLeavesOut(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1), of(t, tcp(nil), 2), of(t, tcp(nil), 3))
	equal(t, "checks kept before anything is known", len(stage.engine.Snapshot().Checks), 0)
	stage.clock.to(s(5))
	l.Want(checks[0], false)
	stage.engine.Force(checks[1], Stopped)
	got := stage.engine.Snapshot()
	equal(t, "checks kept", len(got.Checks), 1)
	equal(t, "name", got.Checks[0].Name, "web@10.0.0.3:80")
	equal(t, "time", got.Checks[0].At, stage.clock.Now())
}

// TestRestartLatches are set for good, and stand back behind what is set already.
func TestRestartLatches(t *testing.T) {
	stage := newStage(nil)
	stage.engine.Latches().Set("block www A", 2)
	stage.engine.Latches().Set("block www AAAA", 1)
	stage = stage.restart(365 * 24 * time.Hour)
	same(t, "keys", stage.engine.Latches().Keys(), "block www A", "block www AAAA")
	stage.engine.Latches().Set("block www A", 3)
	stage.engine.Restore(Snapshot{Latches: map[string]int{"block www A": 1, "block a A": 4}}, aged)
	equal(t, "latch that was set", stage.engine.Latches().Get("block www A"), 3)
	equal(t, "latch that was not", stage.engine.Latches().Get("block a A"), 4)
}

// TestRestartPace: old verdicts are looked after as quickly as none, for they may be wrong by now.
func TestRestartPace(t *testing.T) {
	const n = 1000
	before, l := grown(t)
	specs := many(t, tcp(nil), n)
	for _, spec := range specs {
		l.Check(spec)
	}
	l.Start()
	before.clock.to(s(30))
	after, l := grown(t)
	after.engine.Restore(before.engine.Snapshot(), aged)
	for _, spec := range specs {
		l.Check(spec)
	}
	l.Start()
	after.clock.to(s(5) + 200*time.Millisecond)
	if got := after.slots[50] + after.slots[51]; got < n {
		t.Errorf("Expected %d attempts at once, got %d", n, got)
	}
	after.clock.to(s(60))
	after.near(t, "after a restart", s(15), s(60), n/100)
}

// TestChanges grows with what a restart should keep, and not with each attempt.
func TestChanges(t *testing.T) {
	stage := newStage(hangs(s(15), forever, answer))
	count := func(what string, want uint64, do func()) {
		t.Helper()
		before := stage.engine.Changes()
		do()
		equal(t, "changes by "+what, stage.engine.Changes()-before, want)
	}
	latches := stage.engine.Latches()
	count("a first verdict", 1, func() { stage.lease(t, of(t, tcp(nil), 1)); stage.clock.to(s(5)) })
	count("an attempt that passes", 0, func() { stage.clock.to(s(15)) })
	count("a failure", 1, func() { stage.clock.to(s(25)) })
	count("two more, of which the last turns the status and ends the run", 3, func() { stage.clock.to(s(45)) })
	count("failures of what is down", 0, func() { stage.clock.to(s(75)) })
	count("a latch", 1, func() { latches.Set("a", 1) })
	count("the same again", 0, func() { latches.Set("a", 1) })
	count("clearing it", 1, func() { latches.Clear("a") })
	count("clearing nothing", 0, func() { latches.Clear("a"); latches.Set("b", 0) })
}

// TestSnapshotRoundTrip: an engine that was restored knows, of all that comes again, what the one before it knew.
func TestSnapshotRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		outcomes := rapid.SliceOfN(rapid.SampledFrom([]probe.Outcome{probe.Pass, probe.Fail, probe.Fail, probe.CannotTell}), 1, 40).Draw(rt, "outcomes")
		n := 0
		stage := newStage(func(time.Duration) (probe.Outcome, time.Duration) {
			n++
			return outcomes[n%len(outcomes)], answer
		})
		probes := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) *config.Probe {
			return tcp(func(p *config.Probe) {
				p.Fall, p.Rise = rapid.IntRange(1, 4).Draw(rt, "fall"), rapid.IntRange(1, 4).Draw(rt, "rise")
				p.Invert = rapid.Bool().Draw(rt, "invert")
				p.Initial = rapid.SampledFrom([]config.Initial{config.InitialFirst, config.InitialIncluded, config.InitialExcluded}).Draw(rt, "initial")
			})
		}), 1, 5).Draw(rt, "probes")
		l := stage.engine.Lease(nil)
		for i, p := range probes {
			l.Check(of(t, p, i))
		}
		l.Start()
		stage.clock.to(time.Duration(rapid.IntRange(0, 400).Draw(rt, "seconds")) * time.Second)
		before := stage.engine.Snapshot()
		stage = stage.restart(0)
		l = stage.engine.Lease(nil)
		defer l.Release()
		for i, p := range probes {
			l.Check(of(t, p, i))
		}
		if after := stage.engine.Snapshot(); !reflect.DeepEqual(after, before) {
			rt.Fatalf("Expected %+v, got %+v", before, after)
		}
	})
}
