package health

import (
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestAnew is T-214: a target that is registered again is checking, is attempted at once, and the next single pass admits it.
func TestAnew(t *testing.T) {
	nlb := func(p *config.Probe) {
		d := config.DefaultProbe("web", config.ProbeTCP, config.PresetNLB)
		d.Port = 80
		*p = *d
	}
	stage := newStage(hangs(s(80), s(200), s(5)))
	told := 0
	l := stage.engine.Lease(func(*Check) { told++ })
	t.Cleanup(l.Release)
	c := l.Check(of(t, tcp(nlb), 1))
	l.Start()
	stage.clock.to(s(182)) // unhealthy, and an attempt is under way
	equal(t, "status before", c.State().Status, Unhealthy)
	stage.clock.to(s(200))
	before := told
	equal(t, "whether it began", l.Anew(c), true)
	equal(t, "status", c.State().Status, Checking)
	equal(t, "usable", c.Usable(), false)
	equal(t, "since", c.State().Since, stage.clock.Now())
	stage.clock.to(s(201))
	equal(t, "status after one pass", c.State().Status, Healthy)
	equal(t, "changes told", told, before+1)
	stage.clock.to(s(231))
	same(t, "starts", stage.starts, "0.00", "30.00", "60.00", "90.00", "120.00", "150.00", "180.00", "200.00", "230.00")
}

// TestAnewDropsTheAttemptUnderWay, whose outcome is of the time before.
func TestAnewDropsTheAttemptUnderWay(t *testing.T) {
	stage := newStage(always(probe.Fail, s(4)))
	l, checks := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(2))
	equal(t, "whether it began", l.Anew(checks[0]), true)
	stage.clock.to(s(10))
	same(t, "starts", stage.starts, "0.00", "2.00")
	same(t, "changes", stage.changes, "6.00 unhealthy after 1, was checking for 4.00")
}

// TestAnewIsNotForOthers: what another lease wants, or a calculated check counts, goes on. A lease that rests does not count.
func TestAnewIsNotForOthers(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1), of(t, tcp(nil), 2))
	other, _ := stage.lease(t, of(t, tcp(nil), 1))
	sum := l.Check(calculatedOf(t, all, []*Check{checks[1]}))
	stage.clock.to(s(5))
	for _, c := range checks {
		equal(t, "whether it began", l.Anew(c), false)
		equal(t, "status", c.State().Status, Unhealthy)
	}
	other.Want(checks[0], false)
	equal(t, "whether it began beside one that rests", l.Anew(checks[0]), true)
	l.Drop(sum)
	equal(t, "whether it began when nothing counts it", l.Anew(checks[1]), true)
	for _, c := range checks {
		equal(t, "status", c.State().Status, Checking)
	}
	equal(t, "of a check that the lease does not hold", other.Anew(checks[1]), false)
}

// TestAnewAfterAPause resumes, as Want does.
func TestAnewAfterAPause(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(5))
	l.Want(checks[0], false)
	stage.clock.to(s(20))
	equal(t, "whether it began", l.Anew(checks[0]), true)
	equal(t, "status", checks[0].State().Status, Checking)
	stage.clock.to(s(31))
	same(t, "starts", stage.starts, "0.00", "20.00", "30.00")
}

// TestAnewBeforeStart takes away what was taken over, and leaves the first attempt to Start.
func TestAnewBeforeStart(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	old, _ := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(5))
	l := stage.engine.Lease(nil)
	t.Cleanup(l.Release)
	c := l.Check(of(t, changed(s(20)), 1))
	equal(t, "status that was taken over", c.State().Status, Unhealthy)
	old.Release()
	equal(t, "whether it began", l.Anew(c), true)
	equal(t, "status", c.State().Status, Checking)
	equal(t, "next", c.State().Next, time.Time{})
	stage.clock.to(s(8))
	l.Start()
	stage.clock.to(s(9))
	same(t, "starts", stage.starts, "0.00", "8.00")
}

// TestAnewOfStopped stays stopped: it is not meant to work.
func TestAnewOfStopped(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(5))
	stage.engine.Force(checks[0], Stopped)
	l.Anew(checks[0])
	stage.clock.to(s(25))
	equal(t, "status", checks[0].State().Status, Stopped)
	same(t, "starts", stage.starts, "0.00")
}
