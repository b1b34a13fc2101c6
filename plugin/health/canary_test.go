package health

import (
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// cutOff is a world in which everything answers, but for some time when this server is cut off.
func cutOff(from, until time.Duration, o probe.Outcome, timeout time.Duration) world {
	return func(at time.Duration) (probe.Outcome, time.Duration) {
		if from <= at && at < until {
			return o, timeout
		}
		return probe.Pass, answer
	}
}

// quick is the probe of a canary: faster than tcp's to notice.
func quick(p *config.Probe) { p.Interval, p.Timeout, p.Fall, p.Rise, p.Port = s(2), s(1), 1, 1, 7 }

// TestFrozen keeps the verdicts of a server that is cut off, whether its attempts fail or cannot tell, and counts anew when it is back.
func TestFrozen(t *testing.T) {
	for _, outcome := range outcomes("F?") {
		t.Run(outcome.String(), func(t *testing.T) {
			stage := newStage(cutOff(s(21), s(301), outcome, s(1)))
			l, checks := stage.lease(t, of(t, tcp(quick), 1), of(t, tcp(quick), 2), of(t, tcp(nil), 3))
			stage.engine.SetCanaries(checks[:2])
			stage.clock.to(s(22))
			equal(t, "frozen", stage.engine.Frozen(), false)
			stage.clock.to(s(300))
			equal(t, "frozen", stage.engine.Frozen(), true)
			equal(t, "status", checks[2].State().Status, Healthy)
			equal(t, "failures", checks[2].State().Counter.Fails, 0)
			equal(t, "last outcome", checks[2].State().Last.Outcome, outcome) // attempts go on, and are seen
			stage.clock.to(s(400))
			equal(t, "frozen", stage.engine.Frozen(), false)
			equal(t, "status", checks[2].State().Status, Healthy)
			same(t, "changes of the check", changesOf(stage, 3), "0.05 healthy after 1, was checking for 0.05")
			l.Release()
		})
	}
}

// changesOf counts the canaries' changes out: those come in pairs.
func changesOf(s *stage, total int) []string {
	var out []string
	for i, change := range s.changes {
		if i == total-1 {
			out = append(out, change)
		}
	}
	return out
}

// TestOneCanaryIsEnough: as long as one of them works, failures are the targets' own.
func TestOneCanaryIsEnough(t *testing.T) {
	stage := byTarget(func(n byte) bool { return n != 2 }, s(1))
	_, checks := stage.lease(t, of(t, tcp(quick), 1), of(t, tcp(quick), 2), of(t, tcp(nil), 3))
	stage.engine.SetCanaries(checks[:2])
	stage.clock.to(s(60))
	equal(t, "frozen", stage.engine.Frozen(), false)
	equal(t, "status", checks[2].State().Status, Unhealthy)
}

// TestThaw clears the run that the cut-off had begun, and drops an attempt that began before its end.
func TestThaw(t *testing.T) {
	stage := newStage(nil)
	down := false
	stage.world = func(time.Duration) (probe.Outcome, time.Duration) {
		if down {
			return probe.Fail, s(4)
		}
		return probe.Pass, answer
	}
	canary := of(t, tcp(quick), 1)
	_, checks := stage.lease(t, canary, of(t, tcp(func(p *config.Probe) { p.Fall = 2 }), 3))
	stage.engine.SetCanaries(checks[:1])
	stage.clock.to(s(9))
	down = true
	stage.clock.to(s(10)) // both begin to fail; the check's ends at 14, the canary's too
	stage.clock.to(s(15))
	equal(t, "frozen", stage.engine.Frozen(), true)
	stage.clock.to(s(21)) // the check's next one began at 20
	stage.engine.Force(checks[0], Healthy)
	equal(t, "frozen", stage.engine.Frozen(), false)
	equal(t, "failures", checks[1].State().Counter.Fails, 0)
	stage.clock.to(s(24.5))
	equal(t, "failures after the attempt that began frozen", checks[1].State().Counter.Fails, 0)
	equal(t, "status", checks[1].State().Status, Healthy)
}

// TestFrozenStart leaves checks without a verdict when the server starts cut off; that round counts as attempted.
func TestFrozenStart(t *testing.T) {
	stage := newStage(cutOff(0, s(25), probe.CannotTell, 0))
	l, checks := stage.lease(t, of(t, tcp(quick), 1), of(t, tcp(nil), 3))
	stage.engine.SetCanaries(checks[:1])
	stage.clock.to(s(15))
	equal(t, "attempted", l.Attempted(), true)
	equal(t, "status", checks[1].State().Status, Checking)
	equal(t, "usable", checks[1].Usable(), true)
	stage.clock.to(s(31))
	equal(t, "status", checks[1].State().Status, Healthy)
	same(t, "notes", stage.notes, "0.00 untestable true ", "0.00 frozen true", "0.00 untestable true ",
		"26.05 untestable false ", "26.05 frozen false", "30.05 untestable false ")
}

// TestNoCanaries thaws when the configuration has none any more.
func TestNoCanaries(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	_, checks := stage.lease(t, of(t, tcp(quick), 1))
	stage.engine.SetCanaries(checks)
	stage.clock.to(s(1))
	equal(t, "frozen", stage.engine.Frozen(), true)
	stage.engine.SetCanaries(nil)
	equal(t, "frozen", stage.engine.Frozen(), false)
	same(t, "notes", stage.notes, "0.05 frozen true", "1.00 frozen false")
}
