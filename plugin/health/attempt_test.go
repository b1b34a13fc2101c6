package health

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// panics keeps what probes panicked with.
type panics struct {
	diary
	values []any // used when no attempt is under way
}

func (p *panics) ProbePanicked(_ *Check, v any) { p.values = append(p.values, v) }

// TestPanic counts as an attempt that could not tell, and the check goes on.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := &panics{diary: *newDiary()}
		l := NewEngine(Options{Observer: seen, Exact: true}).Lease(nil)
		defer l.Release()
		broken := Spec{Probe: tcp(nil), Prober: new(probe.Prober), Target: probe.Target{Name: "a.example.", Port: 80}}
		c := l.Check(broken) // a prober that was not made by New has nothing to attempt with
		l.Start()
		pass(25 * time.Second)
		same(t, "starts", seen.of(c), 0, 10*time.Second, 20*time.Second)
		equal(t, "panics", len(seen.values), 3)
		got := c.State()
		equal(t, "status", got.Status, Checking)
		equal(t, "outcome", got.Last.Outcome, probe.CannotTell)
		if !strings.HasPrefix(got.Last.Reason, "the probe panicked: ") {
			t.Errorf("Expected a reason that tells of the panic, got %q", got.Last.Reason)
		}
		equal(t, "attempted", c.Attempted(), true)
	})
}

// TestSince is when the status began, whatever the attempts say later; also where time begins at zero.
func TestSince(t *testing.T) {
	for _, epoch := range []time.Time{{}, time.Unix(1_000_000, 0)} {
		result := probe.CannotTell
		stage := newStageAt(epoch, func(time.Duration) (probe.Outcome, time.Duration) { return result, answer })
		_, checks := stage.lease(t, of(t, tcp(nil), 1))
		stage.clock.to(s(15))
		equal(t, "since, checking", checks[0].State().Since, epoch)
		result = probe.Pass
		stage.clock.to(s(35))
		equal(t, "since, healthy", checks[0].State().Since, epoch.Add(s(20.05)))
		equal(t, "last", checks[0].State().LastAt, epoch.Add(s(30.05)))
		same(t, "changes", stage.changes, "20.05 healthy after 1, was checking for 20.05")
	}
}

// TestSlowCallback holds the next attempt back until everybody knows of the one before it, so that changes are told in
// their order, even where an attempt outlasts its interval.
func TestSlowCallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newDiary()
		e := NewEngine(Options{Observer: seen, Exact: true, Runner: during(probe.Fail, 12*time.Second)})
		l := e.Lease(func(*Check) { <-time.After(30 * time.Second) })
		defer l.Release()
		c := l.Check(of(t, tcp(nil), 1))
		l.Start()
		pass(60 * time.Second)
		same(t, "starts", seen.of(c), 0, 42*time.Second, 54*time.Second)
	})
}

// TestWaitFirst ends when all first attempts have ended and the callbacks are done.
func TestWaitFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told time.Duration
		began := time.Now()
		l := NewEngine(Options{Exact: true, Runner: during(probe.Fail, 2*time.Second)}).Lease(func(*Check) {
			<-time.After(time.Second)
			told = time.Since(began)
		})
		defer l.Release()
		l.Check(of(t, tcp(nil), 1))
		l.Check(of(t, tcp(func(p *config.Probe) { p.Assume = config.AssumeHealthy }), 2)) // never attempted
		l.Start()

		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		equal(t, "waited in a second", l.WaitFirst(short), false)
		equal(t, "attempted", l.Attempted(), false)
		equal(t, "waited", l.WaitFirst(t.Context()), true)
		equal(t, "attempted", l.Attempted(), true)
		equal(t, "end of the callback", told, 3*time.Second)
		equal(t, "end of the wait", time.Since(began), 3*time.Second)
	})
}

// TestAssumed makes no attempt (spec 2.9).
func TestAssumed(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	l, checks := stage.lease(t, of(t, tcp(func(p *config.Probe) { p.Assume = config.AssumeHealthy }), 1))
	stage.clock.to(time.Hour)
	same(t, "starts", stage.starts)
	equal(t, "status", checks[0].State().Status, Healthy)
	equal(t, "next", checks[0].State().Next, time.Time{})
	equal(t, "attempted", l.Attempted(), true)
}

// TestReleaseWaits until the attempt under way is over, which it abandons, and drops its result.
func TestReleaseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := 0
		ended := false
		slow := func(ctx context.Context, _ *Check, done func(probe.Result)) {
			<-ctx.Done()
			<-time.After(3 * time.Second) // it takes its time to clean up
			ended = true
			done(probe.Result{Outcome: probe.Fail})
		}
		l := NewEngine(Options{Runner: slow}).Lease(func(*Check) { changes++ })
		c := l.Check(of(t, tcp(nil), 1))
		l.Start()
		pass(time.Second)
		before := c.State()

		asked := time.Now()
		l.Release()
		equal(t, "ended", ended, true)
		equal(t, "time until the attempt is over", time.Since(asked), 3*time.Second)
		equal(t, "changes told", changes, 0)
		equal(t, "the state", c.State(), before)
		equal(t, "attempted", c.Attempted(), true) // nobody has anything to wait for

		l.Release() // does nothing
		l.Start()   // nor does this
		pass(time.Hour)
		equal(t, "the state", c.State(), before)
	})
}

// TestReleaseIsQuick where no attempt is under way: the timer is called off.
func TestReleaseIsQuick(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l, _ := stage.lease(t, many(t, tcp(nil), 10)...)
	stage.clock.to(s(5))
	equal(t, "timers", stage.clock.pending(), 10)
	l.Release()
	equal(t, "timers", stage.clock.pending(), 0)
	equal(t, "checks", stage.engine.Checks(), 0)
	stage.clock.to(time.Hour)
	equal(t, "attempts", len(stage.starts), 10)
}

// TestReleaseInEveryPhase of an attempt: before it, during it, during its callbacks, between two.
func TestReleaseInEveryPhase(t *testing.T) {
	for at := time.Duration(0); at <= 14*time.Second; at += time.Second / 2 {
		t.Run(seconds(at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := NewEngine(Options{Exact: true, Runner: during(probe.Fail, 2*time.Second)}).Lease(func(*Check) {
					<-time.After(3 * time.Second)
				})
				l.Check(of(t, tcp(nil), 1))
				l.Start()
				<-time.After(at)
				var wg sync.WaitGroup
				for range 3 {
					wg.Go(l.Release)
				}
				wg.Wait()
			})
		})
	}
}

// TestCallbackUsesEngine calls back into everything but Release of the same lease.
func TestCallbackUsesEngine(t *testing.T) {
	stage := newStage(hangs(0, s(5), answer))
	p := tcp(nil)
	var l *Lease
	var got []string
	l = stage.engine.Lease(func(c *Check) {
		got = append(got, fmt.Sprint(c.Usable(), c.State().Status, c, c.Attempted(), l.Attempted(), stage.engine.Checks()))
		other := stage.engine.Lease(nil)
		other.Check(of(t, p, 1))
		other.Check(of(t, p, 2))
		other.Start()
		other.Release()
	})
	t.Cleanup(l.Release)
	l.Check(of(t, p, 1))
	l.Start()
	stage.clock.to(s(25))
	same(t, "calls", got, "false unhealthy web@10.0.0.1:80 false false 1", "true healthy web@10.0.0.1:80 true true 1")
}

// TestCallbackPauses and resumes a check while its own change is told: it has one schedule afterwards, the new one.
func TestCallbackPauses(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	var l *Lease
	calls := 0
	l = stage.engine.Lease(func(c *Check) {
		if calls++; calls == 1 { // down; begun anew it is usable again, which is told as well
			l.Want(c, false)
			l.Want(c, true)
		}
	})
	t.Cleanup(l.Release)
	l.Check(of(t, tcp(func(p *config.Probe) { p.Fall, p.Initial = 2, config.InitialIncluded }), 1))
	l.Start()
	stage.clock.to(s(15))
	same(t, "starts", stage.starts, "0.00", "10.00", "10.05")
	equal(t, "calls", calls, 2)
}

// TestTransitionsAlternate for real goroutines and several leases: none is lost, doubled or told out of order.
func TestTransitionsAlternate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		flapping := func(_ context.Context, _ *Check, done func(probe.Result)) {
			n++
			done(probe.Result{Outcome: probe.Outcome(n % 2)}) // fail first
		}
		seen := &chain{}
		e := NewEngine(Options{Observer: seen, Runner: flapping})
		var told [2][]bool
		var leases [2]*Lease
		for i := range leases {
			leases[i] = e.Lease(func(c *Check) { told[i] = append(told[i], c.Usable()) })
			leases[i].Check(of(t, tcp(func(p *config.Probe) { p.Fall, p.Rise = 1, 1 }), 1))
		}
		for _, l := range leases {
			l.Start()
		}
		pass(time.Hour)
		for _, l := range leases {
			l.Release()
		}
		if seen.transitions < 300 {
			t.Errorf("Expected a transition at each attempt of an hour, got %d", seen.transitions)
		}
		for i, usable := range told {
			for j, got := range usable {
				if got != (j%2 == 1) {
					t.Fatalf("Expected callbacks of lease %d to alternate, got %v at %d", i, got, j)
				}
			}
			equal(t, "callbacks", len(usable), seen.transitions)
		}
		same(t, "gaps", seen.gaps)
	})
}

// chain notes transitions that do not follow from the one before.
type chain struct {
	silent
	transitions int
	at          Status
	gaps        []string
}

func (c *chain) Transition(_ *Check, t Transition) {
	if t.From != c.at || t.To == t.From {
		c.gaps = append(c.gaps, fmt.Sprintf("%s to %s after %s", t.From, t.To, c.at))
	}
	c.at = t.To
	c.transitions++
}
