package health

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/probe"
)

// TestStopped is spec 3.1, C-5: not usable whatever it was, no attempts, and checking with an attempt at once when it runs again.
func TestStopped(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	told := 0
	l := stage.engine.Lease(func(*Check) { told++ })
	t.Cleanup(l.Release)
	c := l.Check(of(t, tcp(nil), 1))
	l.Start()
	stage.clock.to(s(10)) // an attempt is under way
	stage.engine.Force(c, Stopped)
	stage.clock.to(s(100))
	equal(t, "status", c.State().Status, Stopped)
	equal(t, "usable", c.Usable(), false)
	same(t, "attempts", stage.starts, "0.00", "10.00")
	stage.engine.Force(c, Unhealthy) // it matters: it is eligible again
	equal(t, "changes told", told, 2)
	stage.engine.Force(c, Stopped)
	l.Want(c, false)
	l.Want(c, true)
	stage.clock.to(s(200))
	equal(t, "status", c.State().Status, Stopped)
	stage.engine.Force(c, Checking)
	stage.clock.to(s(205))
	equal(t, "status", c.State().Status, Healthy)
	same(t, "attempts", stage.starts, "0.00", "10.00", "200.00")
}

// TestStoppedBeforeStart makes no attempt, and does not let anybody wait for one.
func TestStoppedBeforeStart(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l := stage.engine.Lease(nil)
	t.Cleanup(l.Release)
	c := l.Check(of(t, tcp(nil), 1))
	stage.engine.Force(c, Stopped)
	l.Start()
	stage.clock.to(s(50))
	equal(t, "attempts", len(stage.starts), 0)
	equal(t, "attempted", l.Attempted(), true)
}

// TestBest is healthy before checking before unhealthy before stopped.
func TestBest(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l := stage.engine.Lease(nil)
	t.Cleanup(l.Release)
	byStatus := map[Status]*Check{}
	for i, status := range []Status{Checking, Healthy, Unhealthy, Stopped} {
		byStatus[status] = l.Check(of(t, tcp(nil), i))
		stage.engine.Force(byStatus[status], status)
	}
	best := func(want Status, statuses ...Status) {
		t.Helper()
		var checks []*Check
		for _, status := range statuses {
			checks = append(checks, byStatus[status])
		}
		equal(t, "best", Best(checks), want)
	}
	best(Unmonitored)
	best(Stopped, Stopped)
	best(Unhealthy, Stopped, Unhealthy)
	best(Checking, Stopped, Checking, Unhealthy)
	best(Healthy, Stopped, Checking, Healthy, Unhealthy)
}
