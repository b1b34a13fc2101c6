package health

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestDrop stops the check that nobody else holds, and forgets it: one that comes later has nothing from it.
func TestDrop(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1), of(t, tcp(nil), 2))
	stage.clock.to(s(15))
	before := checks[0].State()
	l.Drop(checks[0])
	equal(t, "checks", stage.engine.Checks(), 1)
	same(t, "held", l.Checks(), checks[1])
	stage.clock.to(s(25))
	same(t, "starts", stage.starts, "0.00", "0.00", "10.00", "10.00", "20.00")
	equal(t, "state of what was dropped", checks[0].State(), before)
	equal(t, "its probe", l.Probe(checks[0]), checks[0].Probe())

	again := l.Check(of(t, tcp(nil), 1))
	if again == checks[0] {
		t.Fatal("Expected another check after the drop, got the same")
	}
	equal(t, "status of another one", again.State().Status, Checking)
	equal(t, "status of one with other options", l.Check(of(t, changed(s(20)), 1)).State().Status, Checking)
	l.Drop(checks[0]) // it is not held, though another one of its identity is
	equal(t, "checks", stage.engine.Checks(), 3)
	stage.clock.to(s(29))
	l.Start()
	stage.clock.to(s(45))
	same(t, "starts", stage.starts, "0.00", "0.00", "10.00", "10.00", "20.00", "29.00", "29.00", "30.00", "39.00", "40.00")
}

// TestDropOfLineage is forgotten for the next lease too, while that of what stays is not.
func TestDropOfLineage(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1), of(t, tcp(nil), 2))
	other, _ := stage.lease(t, of(t, tcp(nil), 1)) // it goes on, but ours knew its name as well
	stage.clock.to(s(5))
	l.Drop(checks[0])
	other.Release()
	_, after := stage.lease(t, of(t, changed(s(20)), 1), of(t, changed(s(20)), 2))
	equal(t, "status of the dropped one with other options", after[0].State().Status, Checking)
	equal(t, "status of the other one", after[1].State().Status, Unhealthy)
	equal(t, "lineages", len(l.lineages), 1)
}

// TestDropOfSiblings gives the place of one to the next, and keeps the others'.
func TestDropOfSiblings(t *testing.T) {
	with := func(value string) Spec {
		s := of(t, tcp(nil), 1)
		s.Target.Headers = []config.Header{{Name: "X-Record", Value: value}}
		return s
	}
	stage := newStage(always(probe.Pass, answer))
	l, checks := stage.lease(t, with("a"), with("b"), with("c"))
	l.Drop(checks[1])
	l.Check(with("c")) // known already: it does not take the second place as well
	equal(t, "lineages", len(l.lineages), 2)
	d := l.Check(with("d"))
	lineage := " " + of(t, tcp(nil), 1).lineage()
	equal(t, "first", l.lineages[lineage], checks[0])
	equal(t, "second", l.lineages[lineage+", number 2"], d)
	equal(t, "third", l.lineages[lineage+", number 3"], checks[2])
}

// TestDropOfShared gives a check back however often it was asked for.
func TestDropOfShared(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1), of(t, tcp(nil), 1))
	l.Drop(checks[0])
	l.Drop(checks[0])
	stage.clock.to(s(35))
	same(t, "starts", stage.starts)
	equal(t, "timers left", stage.clock.pending(), 0)
}

// TestDropOfOneLease leaves the check to the others, but pauses it if they want no attempts.
func TestDropOfOneLease(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1))
	other, _ := stage.lease(t, of(t, tcp(nil), 1))
	other.Want(checks[0], false)
	stage.clock.to(s(15))
	l.Drop(checks[0])
	stage.clock.to(s(35))
	same(t, "starts", stage.starts, "0.00", "10.00")
	other.Want(checks[0], true)
	stage.clock.to(s(46))
	same(t, "starts", stage.starts, "0.00", "10.00", "35.00", "45.00")
	other.Drop(checks[0])
	equal(t, "checks", stage.engine.Checks(), 0)
}

// TestDropAbandons the attempt under way, which counts for nothing. Drop does not wait for its end, but Release does.
func TestDropAbandons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := 0
		slow := func(ctx context.Context, _ *Check, done func(probe.Result)) {
			<-ctx.Done()
			<-time.After(3 * time.Second) // it takes its time to clean up
			ended++
			done(probe.Result{Outcome: probe.Fail})
		}
		e := NewEngine(Options{Runner: slow})
		l := e.Lease(func(*Check) { t.Error("Expected no change to be told, got one") })
		c := l.Check(of(t, tcp(nil), 1))
		l.Start()
		pass(time.Second)
		equal(t, "attempted", l.Attempted(), false)
		before, asked := c.State(), time.Now()
		l.Drop(c)
		equal(t, "time that Drop took", time.Since(asked), 0)
		equal(t, "attempted", c.Attempted(), true) // nobody has anything to wait for
		pass(time.Second)
		l.Release()
		equal(t, "attempts ended", ended, 1)
		equal(t, "time until Release was over", time.Since(asked), 3*time.Second)
		equal(t, "the state", c.State(), before)
	})
}

// TestDropEndsWaitFirst of what is dropped meanwhile.
func TestDropEndsWaitFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewEngine(Options{Runner: during(probe.Pass, time.Hour)}).Lease(nil)
		defer l.Release()
		c := l.Check(of(t, tcp(nil), 1))
		l.Start()
		l.After(time.Minute, func() { l.Drop(c) })
		began := time.Now()
		equal(t, "waited", l.WaitFirst(t.Context()), true)
		equal(t, "time of the wait", time.Since(began), time.Minute)
	})
}

// TestDropFromCallbacks is called where everything is told: by the observer, the lease and its timers. Nothing hangs.
func TestDropFromCallbacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dropper{}
		e := NewEngine(Options{Observer: d, Runner: instantly(probe.Fail)})
		var l *Lease
		l = e.Lease(func(c *Check) { l.Drop(c) })
		d.lease = l
		l.Check(of(t, tcp(nil), 1)) // dropped when it is told
		d.check = l.Check(of(t, tcp(nil), 2))
		timed := l.Check(of(t, tcp(nil), 3))
		l.After(0, func() { l.Drop(timed) })
		l.Start()
		pass(time.Second)
		equal(t, "checks", e.Checks(), 0)
		pass(time.Minute)
		equal(t, "attempts", d.attempts.Load(), 2)
		l.Release()
	})
}

// dropper drops a check when an attempt of it ends.
type dropper struct {
	silent
	lease    *Lease
	check    *Check
	attempts atomic.Int64
}

func (d *dropper) AttemptEnded(c *Check, _ probe.Result) {
	d.attempts.Add(1)
	if c == d.check {
		d.lease.Drop(c)
	}
}

// TestDropOfCalculated lets what it counted rest, if nobody else wants it.
func TestDropOfCalculated(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l := stage.engine.Lease(nil)
	t.Cleanup(l.Release)
	child := l.Check(of(t, tcp(nil), 1))
	sum := l.Check(calculatedOf(t, all, []*Check{child}))
	l.Want(child, false)
	l.Start()
	stage.clock.to(s(15))
	same(t, "starts", stage.starts, "0.00", "10.00")
	l.Drop(sum)
	stage.clock.to(s(35))
	same(t, "starts", stage.starts, "0.00", "10.00")
	equal(t, "parents", len(child.parents), 0)
}

// TestAfterRelease does nothing: what still runs elsewhere when a lease is released may call it.
func TestAfterRelease(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l, checks := stage.lease(t, of(t, tcp(nil), 1))
	keeper, _ := stage.lease(t, of(t, tcp(nil), 2))
	stage.clock.to(s(5))
	l.SetLatch("www A", 1)
	l.TakeOver()
	l.Release()
	never := stage.engine.Lease(nil)
	never.SetLatch("www A", 2)
	never.Release()

	never.Start()
	never.TakeOver()
	equal(t, "latch", keeper.Latch("www A"), 1)
	equal(t, "a check that runs", l.Check(of(t, tcp(nil), 2)), keeper.Checks()[0])
	child := keeper.Checks()[0]
	for _, c := range []*Check{l.Check(of(t, tcp(nil), 3)), l.Check(calculatedOf(t, all, []*Check{child})), checks[0]} {
		l.Start()
		l.Want(c, false)
		l.Want(c, true)
		equal(t, "begun anew", l.Anew(c), false)
		l.Drop(c)
		equal(t, "attempted", c.Attempted(), true)
	}
	equal(t, "parents of a running check", len(child.parents), 0)
	equal(t, "waited", l.WaitFirst(t.Context()), true)
	l.Drop(keeper.Checks()[0])
	l.After(0, func() { t.Error("Expected no call after Release, got one") })
	same(t, "held at the release", l.Checks(), checks[0])
	equal(t, "checks", stage.engine.Checks(), 1)
	stage.clock.to(s(25))
	same(t, "starts", stage.starts, "0.00", "0.00", "10.00", "20.00")
}
