package health

import (
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestPause makes no attempt while no lease wants one, and starts anew when one does (spec 3.2).
func TestPause(t *testing.T) {
	s := newStage(always(probe.Pass, answer))
	l, checks := s.lease(t, of(t, tcp(nil), 1))
	c := checks[0]
	s.clock.to(15 * time.Second)
	same(t, "attempts", s.starts, "0.00", "10.00")
	l.Want(c, false)
	s.clock.to(40 * time.Second)
	same(t, "attempts while paused", s.starts, "0.00", "10.00")
	equal(t, "status while paused", c.State().Status, Healthy)
	equal(t, "next attempt while paused", c.State().Next, time.Time{})
	l.Want(c, true)
	equal(t, "status when resumed", c.State().Status, Checking)
	s.clock.to(51 * time.Second)
	same(t, "attempts when resumed", s.starts, "0.00", "10.00", "40.00", "50.00")
	equal(t, "status after that", c.State().Status, Healthy)
}

// TestPauseDropsTheAttemptUnderWay is V-7: the probe in flight is discarded.
func TestPauseDropsTheAttemptUnderWay(t *testing.T) {
	s := newStage(always(probe.Fail, 3*time.Second))
	l, checks := s.lease(t, of(t, tcp(nil), 1))
	s.clock.to(time.Second)
	l.Want(checks[0], false)
	s.clock.to(20 * time.Second)
	equal(t, "status", checks[0].State().Status, Checking)
	same(t, "transitions", s.changes)
	l.Want(checks[0], true)
	s.clock.to(24 * time.Second)
	same(t, "transitions", s.changes, "23.00 unhealthy after 1, was checking for 3.00")
}

// TestPauseIsForAllLeases goes on while any lease wants attempts, whichever comes or goes first.
func TestPauseIsForAllLeases(t *testing.T) {
	s := newStage(always(probe.Pass, answer))
	older, checks := s.lease(t, of(t, tcp(nil), 1))
	c := checks[0]
	newer := s.engine.Lease(nil)
	t.Cleanup(newer.Release)
	newer.Check(of(t, tcp(nil), 1))
	newer.Want(c, false)
	newer.Start()
	s.clock.to(25 * time.Second)
	same(t, "attempts that the older lease wants", s.starts, "0.00", "10.00", "20.00")
	older.Release()
	s.clock.to(55 * time.Second)
	same(t, "attempts that nobody wants", s.starts, "0.00", "10.00", "20.00")
	newest, _ := s.lease(t, of(t, tcp(nil), 1))
	s.clock.to(56 * time.Second)
	same(t, "attempts that the newest wants", s.starts, "0.00", "10.00", "20.00", "55.00")
	newest.Release()
	s.clock.to(90 * time.Second)
	same(t, "attempts that nobody wants again", s.starts, "0.00", "10.00", "20.00", "55.00")
}

// TestPausedFromTheStart keeps no start waiting.
func TestPausedFromTheStart(t *testing.T) {
	s := newStage(always(probe.Pass, answer))
	l := s.engine.Lease(nil)
	t.Cleanup(l.Release)
	c := l.Check(of(t, tcp(nil), 1))
	l.Want(c, false)
	l.Start()
	equal(t, "whether the start has nothing to wait for", l.Attempted(), true)
	s.clock.to(time.Minute)
	same(t, "attempts", s.starts)
}

// TestPauseTellsOfUsability rebuilds the views of a record that begins anew.
func TestPauseTellsOfUsability(t *testing.T) {
	s := newStage(always(probe.Fail, answer))
	told := 0
	l := s.engine.Lease(func(*Check) { told++ })
	t.Cleanup(l.Release)
	c := l.Check(of(t, tcp(nil), 1))
	l.Start()
	s.clock.to(time.Second)
	equal(t, "changes after the first verdict", told, 1)
	l.Want(c, false)
	equal(t, "changes after a pause", told, 1)
	l.Want(c, true)
	equal(t, "changes after a new start", told, 2)
	equal(t, "usability at a new start", c.Usable(), true)
}

// TestForce gives a status at once, through inversion too, and lets attempts go on from there.
func TestForce(t *testing.T) {
	for _, invert := range []bool{false, true} {
		s := newStage(always(probe.Pass, answer))
		_, checks := s.lease(t, of(t, tcp(func(p *config.Probe) { p.Invert = invert }), 1))
		for _, status := range []Status{Unhealthy, Healthy, Checking, Unhealthy} {
			s.engine.Force(checks[0], status)
			state := checks[0].State()
			equal(t, "status", state.Status, status)
			equal(t, "passes", state.Counter.Passes, 0)
		}
		s.clock.to(time.Minute)
		want := Healthy
		if invert {
			want = Unhealthy
		}
		equal(t, "status after a minute of passes", checks[0].State().Status, want)
	}
}
