package health

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestAttemptNow makes an attempt out of turn, one only however often it is asked for, and none of a check that makes none.
func TestAttemptNow(t *testing.T) {
	st := newStage(always(probe.Pass, s(1)))
	l, checks := st.lease(t, of(t, tcp(nil), 1))
	st.clock.to(s(4))
	for range 3 {
		equal(t, "an attempt", st.engine.AttemptNow(checks[0]), true)
	}
	st.clock.to(s(4.5))
	equal(t, "an attempt while one is under way", st.engine.AttemptNow(checks[0]), true)
	st.clock.to(s(15))
	same(t, "attempts", st.starts, "0.00", "4.00", "14.00")
	l.Want(checks[0], false)
	equal(t, "an attempt of a paused check", st.engine.AttemptNow(checks[0]), false)
	l.Want(checks[0], true)
	l.Release()
	equal(t, "an attempt of a stopped check", st.engine.AttemptNow(checks[0]), false)
	_, assumed := st.lease(t, of(t, tcp(func(p *config.Probe) { p.Assume = config.AssumeHealthy }), 2))
	equal(t, "an attempt of an assumed check", st.engine.AttemptNow(assumed[0]), false)
}

// TestAttemptNowOfMany: those that were asked for together do not march in step, and none is lost that is asked for while its last attempt is told.
func TestAttemptNowOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newDiary()
		e := NewEngine(Options{Observer: seen, Runner: instantly(probe.Pass)})
		l := e.Lease(nil)
		defer l.Release()
		for _, spec := range many(t, tcp(nil), 1000) {
			l.Check(spec)
		}
		l.Start()
		pass(time.Minute)
		for _, c := range l.Checks() {
			e.AttemptNow(c)
		}
		pass(time.Minute)
		tenths := make([]int, 100) // of the interval
		for _, c := range l.Checks() {
			attempts := seen.of(c)
			at := 0
			for attempts[at] < time.Minute {
				at++
			}
			if attempts[at] > time.Minute+time.Second {
				t.Fatalf("Expected an attempt at once, got one at %s", attempts[at])
			}
			tenths[(attempts[at+2]-time.Minute)%(10*time.Second)/(100*time.Millisecond)]++
		}
		for i, n := range tenths {
			if n > 40 { // of 10 that are to be expected
				t.Errorf("Expected the attempts to be spread, got %d in tenth %d of a second", n, i)
			}
		}
	})
}

// TestOnlooker sees the checks that there are, makes none, and keeps its latches to itself.
func TestOnlooker(t *testing.T) {
	st := newStage(always(probe.Pass, 0))
	l, checks := st.lease(t, of(t, tcp(nil), 1))
	l.SetLatch("www", 1)
	o := l.Onlooker()
	equal(t, "the check", o.Check(of(t, tcp(nil), 1)), checks[0])
	equal(t, "a check that nobody holds", o.Check(of(t, tcp(nil), 2)), nil)
	equal(t, "checks", st.engine.Checks(), 1)
	equal(t, "the latch", o.Latch("www"), 1)
	o.SetLatch("www", 2)
	equal(t, "its own latch", o.Latch("www"), 2)
	equal(t, "the lease's latch", l.Latch("www"), 1)
	o.Want(checks[0], false)
	o.After(0, func() { t.Error("Expected no call, got one") })()
	st.clock.to(s(10))
	same(t, "attempts", st.starts, "0.00", "10.00")
	equal(t, "the time", o.Now(), st.clock.Now())
}

// TestWhatIf: what is said in a copy holds there alone, and the other way round.
func TestWhatIf(t *testing.T) {
	clock := newVirtualClock(time.Unix(1_000_000, 0))
	a := NewAdmin(clock)
	one, two := GroupObject("www", "one"), GroupObject("www", "two")
	a.Set(one, Override{State: Always})
	a.Set(one, Override{State: Disabled, Until: clock.Now().Add(time.Minute)})
	w := a.WhatIf()
	w.Set(two, Override{State: Draining, Until: clock.Now().Add(time.Second)})
	a.Clear(one)
	clock.to(time.Hour)
	same(t, "the layer's objects", a.Objects())
	same(t, "the copy's objects", w.Objects(), one, two)
	w.Set(one, Override{State: Enabled})
	got, _ := w.Override(one)
	equal(t, "what stood under the disabling", got.State, Always)
}
