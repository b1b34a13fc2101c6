package health

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// story is a world whose attempts pass but in the given seconds, when they fail at once; all take no time.
func story(fails ...float64) world {
	return func(at time.Duration) (probe.Outcome, time.Duration) {
		for _, f := range fails {
			if at == s(f) {
				return probe.Fail, 0
			}
		}
		return probe.Pass, 0
	}
}

// usableFrom plays the stage until a time and returns from when the check was usable with that hold, "" if it was not: by asking
// each second, and as HeldUntil foretells.
func usableFrom(t *testing.T, stage *stage, c *Check, until, hold time.Duration) string {
	t.Helper()
	from := ""
	for at := stage.clock.at(); at <= until; at += s(1) {
		stage.clock.to(at)
		held := c.State().HeldUntil(hold)
		usable := c.Usable() && !held.After(stage.clock.Now())
		switch {
		case usable && from == "":
			from = seconds(at)
		case !usable:
			from = ""
		}
	}
	return from
}

// TestHold is T-280 and T-281: rise 2, attempts each 10 s.
func TestHold(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fails []float64
		hold  time.Duration
		want  string
	}{
		{"T-280 usable from 170", []float64{70, 80, 90}, s(60), "170.00"},
		{"T-281 a failure at 140, usable from 220", []float64{70, 80, 90, 140}, s(60), "220.00"},
		{"a failure after the hold does nothing", []float64{70, 80, 90, 180}, s(60), "170.00"},
		{"a failure when the hold is over does nothing", []float64{70, 80, 90, 170}, s(60), "170.00"},
		{"a failure each time but the last", []float64{70, 80, 90, 140, 200, 220}, s(60), "300.00"},
		{"no hold", []float64{70, 80, 90, 140}, 0, "110.00"},
		{"a first verdict is never held", nil, s(60), "0.00"},
		{"one that was unhealthy first recovers", []float64{0}, s(60), "80.00"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stage := newStage(story(tc.fails...))
			_, checks := stage.lease(t, of(t, tcp(nil), 1))
			equal(t, "usable from", usableFrom(t, stage, checks[0], s(320), tc.hold), tc.want)
		})
	}
}

// TestHoldTells calls the lease when a hold begins to run, so that it need not ask again and again.
func TestHoldTells(t *testing.T) {
	stage := newStage(story(70, 80, 90, 140))
	var told []string
	l := stage.engine.Lease(func(c *Check) {
		until := "later"
		if held := c.State().HeldUntil(s(60)); held != Later {
			until = seconds(held.Sub(stage.clock.epoch))
		}
		told = append(told, seconds(stage.clock.at())+" "+until)
	})
	defer l.Release()
	c := l.Check(of(t, tcp(nil), 1))
	l.Start()
	stage.clock.to(s(145))
	equal(t, "held", c.State().HeldUntil(s(60)), Later)
	stage.clock.to(s(300))
	zero := seconds(time.Time{}.Sub(stage.clock.epoch))
	same(t, "what was told", told, "90.00 "+zero, "110.00 170.00", "160.00 220.00")
}

// TestHoldInverted holds a check that recovers by failing.
func TestHoldInverted(t *testing.T) {
	stage := newStage(story(20, 30, 40, 50, 60, 70, 80, 90, 100))
	_, checks := stage.lease(t, of(t, tcp(func(p *config.Probe) { p.Invert = true }), 1))
	stage.clock.to(s(45))
	equal(t, "held until", checks[0].State().HeldUntil(s(30)).Sub(stage.clock.epoch), s(70))
}

// TestRecoveredAt is when the weight of a record begins to rise: never for one that has worked from the start (T-286).
func TestRecoveredAt(t *testing.T) {
	stage := newStage(story(70, 80, 90, 140, 300))
	_, checks := stage.lease(t, of(t, tcp(nil), 1))
	at := func(now, hold time.Duration) string {
		stage.clock.to(now)
		r := checks[0].State().RecoveredAt(hold)
		if r.IsZero() {
			return "never"
		}
		return seconds(r.Sub(stage.clock.epoch))
	}
	equal(t, "recovered at the start", at(s(50), 0), "never")
	equal(t, "recovered while unhealthy", at(s(95), 0), "never")
	equal(t, "recovered", at(s(115), 0), "110.00")
	equal(t, "recovered, with a hold to come", at(s(115), s(60)), "170.00")
	equal(t, "recovered, with a hold", at(s(250), s(60)), "220.00")
	equal(t, "recovered, after a failure that did nothing", at(s(400), s(60)), "220.00")
	equal(t, "recovered, without a hold", at(s(400), 0), "110.00")
}

// TestHoldAndForce lets a forced recovery be one, and a check that begins anew have none.
func TestHoldAndForce(t *testing.T) {
	stage := newStage(always(probe.Pass, 0))
	l, checks := stage.lease(t, of(t, tcp(nil), 1))
	c := checks[0]
	stage.clock.to(s(1))
	stage.engine.Force(c, Unhealthy)
	stage.engine.Force(c, Healthy)
	equal(t, "held until", c.State().HeldUntil(s(60)).Sub(stage.clock.epoch), s(61))
	l.Want(c, false)
	l.Want(c, true)
	stage.clock.to(s(2))
	equal(t, "status", c.State().Status, Healthy)
	equal(t, "held", c.State().HeldUntil(s(60)).IsZero(), true)
}

// TestHoldModel compares HeldUntil, after each of many attempts, with the rule applied to all that ever happened.
func TestHoldModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := tcp(func(p *config.Probe) {
			p.Fall = rapid.IntRange(1, 3).Draw(t, "fall")
			p.Rise = rapid.IntRange(1, 3).Draw(t, "rise")
			p.Initial = config.InitialIncluded
		})
		history := rapid.SliceOfN(outcomeGenerator, 1, 80).Draw(t, "outcomes")
		hold := time.Duration(rapid.IntRange(1, 60).Draw(t, "hold")) * time.Second
		clock := newVirtualClock(time.Unix(1_000_000, 0))
		i := 0
		e := NewEngine(Options{Clock: clock, Exact: true, Runner: func(_ context.Context, _ *Check, done func(probe.Result)) {
			done(probe.Result{Outcome: history[i]})
		}})
		l := e.Lease(nil)
		defer l.Release()
		c := l.Check(Spec{Probe: p, Prober: &probe.Prober{}})
		l.Start()
		for i = range history {
			clock.to(time.Duration(i) * p.Interval)
			held := c.State().HeldUntil(hold).After(clock.Now())
			if want := modelHeld(p, history[:i+1], hold); held != want {
				t.Fatalf("Expected held %v after %v, got %v", want, history[:i+1], held)
			}
		}
	})
}

// modelHeld tells by the words of spec 4.13 whether a check that is up is held after the attempts: it was down, and no time of
// `hold` without a failure has passed since passes reached `rise` after that.
func modelHeld(p *config.Probe, history []probe.Outcome, hold time.Duration) bool {
	fell := -1 // the last attempt after which it was down
	c := Counter{}
	for i, o := range history {
		if c = c.Step(rulesOf(p), o); c.Verdict == Down {
			fell = i
		}
	}
	if c.Verdict != Up || fell < 0 {
		return false
	}
	for from := fell + 1; from < len(history); from++ {
		if history[from] != probe.Pass || runOf(history[:from+1]) < p.Rise {
			continue
		}
		end := from + 1 // the attempt that ends the clean time, or now
		for end < len(history) && history[end] != probe.Fail {
			end++
		}
		if end == len(history) {
			end--
		}
		if time.Duration(end-from)*p.Interval >= hold {
			return false
		}
	}
	return true
}

// runOf is the number of passes at the end; attempts that cannot tell do not count.
func runOf(history []probe.Outcome) int {
	var told []probe.Outcome
	for _, o := range history {
		if o != probe.CannotTell {
			told = append(told, o)
		}
	}
	return run(told, probe.Pass)
}
