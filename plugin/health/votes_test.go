package health

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestVotes lets others outvote us, and be outvoted, while their verdicts are fresh.
func TestVotes(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	stage.engine.SetObservers(3)
	var told int
	l := stage.engine.Lease(func(*Check) { told++ })
	defer l.Release()
	c := l.Check(of(t, tcp(nil), 1)) // interval 10, timeout 5: fresh for 35 s
	l.Start()
	vote := func(observer string, v Verdict) {
		t.Helper()
		equal(t, "known", stage.engine.Vote(c.Identity(), observer, v, stage.clock.Now()), true)
	}
	stage.clock.to(s(1))
	equal(t, "status with one of three", c.State().Status, Checking)
	vote("b", Up)
	equal(t, "status with two of three", c.State().Status, Healthy)
	vote("b", Down)
	equal(t, "status with one of two up", c.State().Status, Healthy)
	vote("c", Down)
	equal(t, "status with one of three up", c.State().Status, Unhealthy)
	equal(t, "usable", c.Usable(), false)
	stage.clock.to(s(25))
	equal(t, "status after passes of our own", c.State().Status, Unhealthy)
	vote("b", Up)
	equal(t, "status with two of three up", c.State().Status, Healthy)
	vote("b", Down)
	stage.clock.to(s(41)) // c was fresh until 36
	equal(t, "status without c", c.State().Status, Healthy)
	equal(t, "votes kept", len(c.votes), 1)
	vote("b", NoVerdict)
	equal(t, "votes kept", len(c.votes), 0)
	vote("b", Down)
	stage.engine.Vote(c.Identity(), "b", Up, stage.clock.Now().Add(-time.Second)) // too late to count
	equal(t, "the newest vote", c.votes["b"].verdict, Down)
	equal(t, "whether another check is known", stage.engine.Vote("other", "b", Up, stage.clock.Now()), false)
	same(t, "changes", stage.changes,
		"1.00 healthy after 0, was checking for 1.00",
		"1.00 unhealthy after 0, was healthy for 0.00",
		"25.00 healthy after 0, was unhealthy for 24.00",
		"25.00 unhealthy after 0, was healthy for 0.00",
		"40.05 healthy after 5, was unhealthy for 15.05")
	equal(t, "changes told", told, 4) // usable already while checking
}

// TestNoFreshVotes keeps the last status when nobody says anything any more.
func TestNoFreshVotes(t *testing.T) {
	stage := newStage(always(probe.CannotTell, answer))
	stage.engine.SetObservers(2)
	_, checks := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(1))
	stage.engine.Vote(checks[0].Identity(), "b", Down, stage.clock.Now())
	equal(t, "status", checks[0].State().Status, Unhealthy)
	stage.clock.to(s(1000))
	equal(t, "status later", checks[0].State().Status, Unhealthy)
}

// TestVotesAndInvert turns the verdict of all, not each.
func TestVotesAndInvert(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	_, checks := stage.lease(t, of(t, tcp(func(p *config.Probe) { p.Invert, p.Quorum = true, majority }), 1))
	stage.engine.ForceVotes(checks[0], Up, map[string]Verdict{"b": Down})
	equal(t, "status of one of two", checks[0].State().Status, Healthy)
	stage.engine.ForceVotes(checks[0], Up, map[string]Verdict{"b": Up})
	equal(t, "status of two of two", checks[0].State().Status, Unhealthy)
	stage.engine.Force(checks[0], Healthy)
	equal(t, "status when it is forced", checks[0].State().Status, Healthy)
}

// TestOneObserver is as if there were no votes at all.
func TestOneObserver(t *testing.T) {
	stage := newStage(hangs(s(15), s(45), s(5)))
	_, checks := stage.lease(t, of(t, tcp(nil), 1))
	for at := time.Duration(0); at < s(100); at += s(1) {
		stage.clock.to(at)
		state := checks[0].State()
		equal(t, "the verdict of all", state.Verdict, state.Counter.Verdict)
		if checks[0].votes != nil {
			t.Fatal("Expected no votes to be kept, got some")
		}
	}
}

// TestVotesAtOnce votes from many goroutines while attempts go on and a calculated check counts; for the race detector.
func TestVotesAtOnce(t *testing.T) {
	e := NewEngine(Options{Runner: instantly(probe.Pass)})
	e.SetObservers(9)
	l := e.Lease(func(c *Check) { c.State().HeldUntil(time.Second); c.Flips() })
	child := l.Check(of(t, tcp(nil), 1))
	parent := l.Check(calculatedOf(t, all, []*Check{child}))
	l.Start()
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for n := range 200 {
				e.Vote(child.Identity(), fmt.Sprint(i), Up+Verdict(n%2), time.Now())
				parent.Flips()
			}
			e.Vote(child.Identity(), fmt.Sprint(i), Down, time.Now())
		})
	}
	wait.Wait()
	equal(t, "status", child.State().Status, Unhealthy)
	equal(t, "status of the parent", parent.State().Status, Unhealthy)
	l.Release()
}
