package health

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/probe"
)

// TestAfter calls what was planned, once and in time, unless it is called off.
func TestAfter(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l := stage.engine.Lease(nil)
	var got []string
	note := func(name string) func() { return func() { got = append(got, seconds(stage.clock.at())+" "+name) } }
	l.After(s(2), note("b"))
	l.After(s(1), note("a"))
	stop := l.After(s(3), note("never"))
	l.After(-s(1), note("at once"))
	stop()
	stop()
	stage.clock.to(s(5))
	same(t, "calls", got, "0.00 at once", "1.00 a", "2.00 b")
	equal(t, "now", l.Now(), stage.clock.Now())
	l.After(s(1), func() { note("again")(); l.After(s(1), note("and again")) })
	stage.clock.to(s(10))
	l.After(s(1), note("never"))
	l.Release()
	l.After(s(1), note("never"))()
	stage.clock.to(s(20))
	same(t, "calls", got[3:], "6.00 again", "7.00 and again")
	equal(t, "timers left", stage.clock.pending(), 0)
}

// TestReleaseWaitsForTimers that are under way, and lets none begin after it.
func TestReleaseWaitsForTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewEngine(Options{}).Lease(nil)
		var ended bool
		l.After(time.Second, func() { time.Sleep(3 * time.Second); ended = true })
		for i := range 100 {
			l.After(time.Duration(i)*time.Hour+time.Minute, func() { t.Error("Expected no call, got one") })
		}
		time.Sleep(2 * time.Second)
		began := time.Now()
		l.Release()
		equal(t, "ended", ended, true)
		equal(t, "time waited", time.Since(began), 2*time.Second)
		time.Sleep(1000 * time.Hour)
	})
}

// TestLatches keeps ranks, for many goroutines at once.
func TestLatches(t *testing.T) {
	e := NewEngine(Options{})
	l := e.Latches()
	equal(t, "unset", l.Get("www A"), 0)
	l.Set("www A", 2)
	l.Set("www AAAA", 1)
	equal(t, "set", e.Latches().Get("www A"), 2)
	same(t, "keys", l.Keys(), "www A", "www AAAA")
	equal(t, "cleared", l.Clear("www A"), true)
	equal(t, "cleared again", l.Clear("www A"), false)
	l.Set("www AAAA", 0)
	same(t, "keys", l.Keys())
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			l.Set(fmt.Sprint(i), i+1)
			equal(t, "own", l.Get(fmt.Sprint(i)), i+1)
		})
	}
	wait.Wait()
	equal(t, "keys", len(l.Keys()), 8)
	l.ClearAll()
	same(t, "keys", l.Keys())
}
