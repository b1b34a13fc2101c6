package health

import (
	"context"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// byTarget is a stage on which the checks of some targets hang.
func byTarget(hang func(n byte) bool, timeout time.Duration) *stage {
	s := newStage(nil)
	run := func(ctx context.Context, c *Check, done func(probe.Result)) {
		outcome, took := probe.Pass, answer
		if address := c.Target().Address.As4(); hang(address[3]) {
			outcome, took = probe.Fail, timeout
		}
		abandoned := context.AfterFunc(ctx, func() { done(probe.Result{Outcome: probe.CannotTell}) })
		s.clock.AfterFunc(took, func() {
			if abandoned() {
				done(probe.Result{Outcome: outcome, Duration: took})
			}
		})
	}
	s.engine = NewEngine(Options{Clock: s.clock, Observer: s, Runner: run, Exact: true})
	return s
}

// TestMaxAttempts lets attempts wait, in the order in which they are due, and counts that as lag and not as failure.
func TestMaxAttempts(t *testing.T) {
	stage := newStage(always(probe.Pass, s(2)))
	stage.engine.SetMaxAttempts(2)
	_, checks := stage.lease(t, many(t, tcp(nil), 6)...)
	stage.clock.to(0)
	equal(t, "load", stage.engine.Load(), Load{UnderWay: 2, Waiting: 4, Oldest: stage.clock.epoch})
	stage.clock.to(s(9))
	same(t, "starts", stage.starts, "0.00", "0.00", "2.00", "2.00", "4.00", "4.00")
	same(t, "lags", stage.lags, 0, 0, s(2), s(2), s(4), s(4))
	equal(t, "load", stage.engine.Load(), Load{})
	stage.clock.to(s(10)) // all are due at the same instant again, whatever they waited
	equal(t, "load", stage.engine.Load(), Load{UnderWay: 2, Waiting: 4, Oldest: stage.clock.Now()})
	for _, c := range checks {
		equal(t, "status", c.State().Status, Healthy)
	}
}

// TestRaisedMaxAttempts starts what waits as soon as there is room.
func TestRaisedMaxAttempts(t *testing.T) {
	stage := newStage(always(probe.Pass, s(2)))
	stage.engine.SetMaxAttempts(1)
	stage.lease(t, many(t, tcp(nil), 5)...)
	stage.clock.to(s(1))
	stage.engine.SetMaxAttempts(3)
	stage.clock.to(s(1))
	same(t, "starts", stage.starts, "0.00", "1.00", "1.00")
	stage.engine.SetMaxAttempts(0)
	stage.clock.to(s(1))
	equal(t, "attempts under way", stage.engine.Load().UnderWay, 5)
}

// TestStoppedWhileWaiting leaves no place taken and nobody waiting.
func TestStoppedWhileWaiting(t *testing.T) {
	stage := newStage(always(probe.Pass, s(2)))
	stage.engine.SetMaxAttempts(1)
	kept, _ := stage.lease(t, of(t, tcp(nil), 1))
	gone, _ := stage.lease(t, of(t, tcp(nil), 2), of(t, tcp(nil), 3))
	stage.clock.to(s(1))
	gone.Release()
	equal(t, "load", stage.engine.Load(), Load{UnderWay: 1})
	stage.clock.to(s(10))
	same(t, "starts", stage.starts, "0.00", "10.00")
	kept.Release()
	equal(t, "load", stage.engine.Load(), Load{})
}

// TestPausedWhileWaiting gives a place that was just handed over to the next one.
func TestPausedWhileWaiting(t *testing.T) {
	stage := newStage(always(probe.Pass, s(2)))
	stage.engine.SetMaxAttempts(1)
	l, checks := stage.lease(t, many(t, tcp(nil), 3)...)
	stage.clock.AfterFunc(s(2), func() { l.Want(checks[1], false) }) // between the handing over and the start
	stage.clock.to(s(3))
	same(t, "starts", stage.starts, "0.00", "2.00")
	equal(t, "attempts of the third", len(checks[2].History()), 0)
	stage.clock.to(s(5))
	equal(t, "attempts of the third", len(checks[2].History()), 1)
	equal(t, "load", stage.engine.Load(), Load{})
}

// TestHangingTargetsDelayNobody lets far more targets hang than there are places: those that answer are tested on time all the same, and those that
// hang wait for each other, all equally long.
func TestHangingTargetsDelayNobody(t *testing.T) {
	hangs := func(n byte) bool { return n < 50 }
	stage := byTarget(hangs, s(5))
	stage.engine.SetMaxAttempts(8)
	l, checks := stage.lease(t, many(t, tcp(func(p *config.Probe) { p.Initial = config.InitialIncluded }), 60)...)
	stage.clock.to(s(90)) // until all that hang are known to
	stage.lags = nil
	stage.clock.to(s(390))
	attempts := map[bool][]int{}
	for i, c := range checks {
		if hung := hangs(byte(i)); hung != (c.State().Status == Unhealthy) {
			t.Errorf("Expected check %d to be unhealthy %v, got %v", i, hung, c.State().Status)
		}
		h := c.History()
		wait := h[len(h)-1].EndedAt.Sub(h[len(h)-2].EndedAt)
		if hangs(byte(i)) {
			if wait < s(40) || wait > s(45) { // fifty of five seconds in six places
				t.Errorf("Expected about 42 s between attempts of a check that hangs, got %v", wait)
			}
		} else if wait > s(10.5) {
			t.Errorf("Expected 10 s between attempts of a check that answers, got %v", wait)
		}
		attempts[hangs(byte(i))] = append(attempts[hangs(byte(i))], len(h))
	}
	l.Release()
}

// TestLagIsNoFailure: an attempt that waited has its whole timeout still before it.
func TestLagIsNoFailure(t *testing.T) {
	stage := newStage(always(probe.Pass, s(4.9)))
	stage.engine.SetMaxAttempts(1)
	_, checks := stage.lease(t, many(t, tcp(func(p *config.Probe) { p.Interval = s(60) }), 10)...)
	stage.clock.to(s(50))
	for _, c := range checks {
		same(t, "outcomes", []probe.Outcome{c.State().Last.Outcome}, probe.Pass)
	}
}
