package health

import (
	"fmt"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// changed returns the default probe with another interval, which is another identity.
func changed(interval time.Duration) *config.Probe {
	return tcp(func(p *config.Probe) { p.Interval = interval })
}

// TestIdentity is everything that is sent and compared, and nothing else (design, Probes).
func TestIdentity(t *testing.T) {
	base := of(t, tcp(nil), 1)
	for _, tc := range []struct {
		name   string
		change func(s *Spec)
		same   bool
	}{
		{"nothing", func(*Spec) {}, true},
		{"user", func(s *Spec) { s.User = "other.example.org." }, true},
		{"probe name", func(s *Spec) { *s = of(t, tcp(func(p *config.Probe) { p.Name = "other" }), 1) }, true},
		{"probe option", func(s *Spec) { *s = of(t, tcp(func(p *config.Probe) { p.Rise++ }), 1) }, false},
		{"address", func(s *Spec) { *s = of(t, tcp(nil), 2) }, false},
		{"port", func(s *Spec) { s.Target.Port++ }, false},
		{"name", func(s *Spec) { s.Target.Name = "a.example" }, false},
		{"host", func(s *Spec) { s.Target.Host = "a.example" }, false},
		{"SNI", func(s *Spec) { s.Target.SNI = "a.example" }, false},
		{"header", func(s *Spec) { s.Target.Headers = []config.Header{{Name: "A", Value: "1"}} }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			other := base
			tc.change(&other)
			equal(t, "the same identity", other.identity() == base.identity(), tc.same)
		})
	}
	a, b, c := base, base, base
	a.Target.Headers = []config.Header{{Name: "X-A", Value: "1"}}
	b.Target.Headers = []config.Header{{Name: "x-a", Value: "1"}}
	c.Target.Headers = []config.Header{{Name: "x-a", Value: "1\nx-b: 2"}}
	equal(t, "the same identity for header names in other case", a.identity() == b.identity(), true)
	equal(t, "the same identity for a value with a line end", b.identity() == c.identity(), false)
}

// TestReloadKeepsEverything of a check whose definition stays: no attempt more or less.
func TestReloadKeepsEverything(t *testing.T) {
	stage := newStage(hangs(s(5), forever, answer))
	old, checks := stage.lease(t, of(t, tcp(nil), 1))
	for reload := 1; reload <= 4; reload++ {
		stage.clock.to(s(10*float64(reload) + 5))
		before := checks[0].State()
		l, again := stage.lease(t, of(t, tcp(nil), 1))
		old.Release()
		old = l
		equal(t, "the very check", again[0], checks[0])
		equal(t, "the state", again[0].State(), before)
	}
	stage.clock.to(s(50))
	same(t, "starts", stage.starts, "0.00", "10.00", "20.00", "30.00", "40.00", "50.00")
	same(t, "changes", stage.changes,
		"0.05 healthy after 1, was checking for 0.05", "30.05 unhealthy after 3, was healthy for 30.00")
}

// TestReloadDuringAttempt neither abandons it nor makes another; its result counts.
func TestReloadDuringAttempt(t *testing.T) {
	stage := newStage(always(probe.Fail, s(4)))
	old, _ := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(2))
	_, checks := stage.lease(t, of(t, tcp(nil), 1))
	old.Release()
	stage.clock.to(s(4))
	equal(t, "status", checks[0].State().Status, Unhealthy)
	stage.clock.to(s(10))
	same(t, "starts", stage.starts, "0.00", "10.00")
}

// TestChangedOptions keep the verdict until the new definition earns another (design, Packages).
func TestChangedOptions(t *testing.T) {
	stage := newStage(hangs(s(14), forever, answer))
	old, before := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(15)) // two passes
	l, after := stage.lease(t, of(t, changed(s(20)), 1))
	old.Release()
	if after[0] == before[0] {
		t.Fatal("Expected another check, got the same")
	}
	got := after[0].State()
	equal(t, "counter", got.Counter, Counter{Verdict: Up})
	equal(t, "status", got.Status, Healthy)
	equal(t, "since", got.Since, before[0].State().Since)
	equal(t, "last", got.LastAt, before[0].State().LastAt)
	equal(t, "attempted", l.Attempted(), true)
	stage.clock.to(s(60))
	same(t, "starts", stage.starts, "0.00", "10.00", "15.00", "35.00", "55.00")
	same(t, "changes", stage.changes,
		"0.05 healthy after 1, was checking for 0.05", "55.05 unhealthy after 3, was healthy for 55.00")
}

// TestChangedWithoutVerdict starts as new: there is nothing to keep.
func TestChangedWithoutVerdict(t *testing.T) {
	stage := newStage(always(probe.Fail, s(4)))
	old, _ := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(2))
	l, checks := stage.lease(t, of(t, changed(s(20)), 1))
	old.Release()
	equal(t, "attempted", l.Attempted(), false)
	stage.clock.to(s(6))
	equal(t, "status", checks[0].State().Status, Unhealthy)
	same(t, "changes", stage.changes, "6.00 unhealthy after 1, was checking for 4.00")
}

// TestInheritChain hands a verdict through reloads between which nothing is attempted.
func TestInheritChain(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	old, checks := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(5))
	first := checks[0].State()
	for reload := range 5 {
		l := stage.engine.Lease(nil)
		c := l.Check(of(t, changed(s(20+float64(reload))), 1))
		old.Release()
		old = l
		equal(t, "status", c.State().Status, Unhealthy)
		equal(t, "usable", c.Usable(), false)
		equal(t, "since", c.State().Since, first.Since)
		equal(t, "counter", c.State().Counter, Counter{Verdict: Down})
	}
	old.Release()
	equal(t, "checks", stage.engine.Checks(), 0)
}

// TestInvertChanged turns the status over at the reload: it is since then.
func TestInvertChanged(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	old, _ := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(15))
	_, checks := stage.lease(t, of(t, tcp(func(p *config.Probe) { p.Invert = true }), 1))
	old.Release()
	got := checks[0].State()
	equal(t, "status", got.Status, Unhealthy)
	equal(t, "since", got.Since, stage.clock.epoch.Add(s(15)))
}

// TestAssumeChanged keeps the verdict beneath what is assumed, and how long the status has stood.
func TestAssumeChanged(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	old, _ := stage.lease(t, of(t, tcp(nil), 1))
	for _, tc := range []struct {
		assume config.Assume
		status Status
		since  time.Duration
	}{
		{config.AssumeHealthy, Healthy, answer},
		{config.AssumeUnhealthy, Unhealthy, s(30)},
		{"", Healthy, s(45)},
	} {
		stage.clock.to(stage.clock.at() + s(15))
		l, checks := stage.lease(t, of(t, tcp(func(p *config.Probe) { p.Assume = tc.assume }), 1))
		old.Release()
		old = l
		equal(t, "status", checks[0].State().Status, tc.status)
		equal(t, "since", seconds(checks[0].State().Since.Sub(stage.clock.epoch)), seconds(tc.since))
	}
	stage.clock.to(s(46))
	same(t, "starts", stage.starts, "0.00", "10.00", "45.00")
}

// TestSiblings are checks of one target that differ in their records' headers: each keeps its own verdict.
func TestSiblings(t *testing.T) {
	header := func(s Spec, value string) Spec {
		s.Target.Headers = []config.Header{{Name: "X-Record", Value: value}}
		return s
	}
	n := 0
	stage := newStage(func(time.Duration) (probe.Outcome, time.Duration) {
		n++
		return probe.Outcome((n + 1) % 2), answer // the first passes, the second fails, ...
	})
	p := tcp(nil)
	old, _ := stage.lease(t, header(of(t, p, 1), "a"), header(of(t, p, 1), "b"), header(of(t, p, 1), "a"))
	stage.clock.to(s(5))
	p = changed(s(20))
	_, checks := stage.lease(t,
		header(of(t, p, 1), "a"), header(of(t, p, 1), "b"), header(of(t, p, 1), "a"), header(of(t, p, 1), "new"))
	old.Release()
	var got []Status
	for _, c := range checks {
		got = append(got, c.State().Status)
	}
	same(t, "statuses", got, Healthy, Unhealthy, Healthy, Checking)
}

// TestRemovedChecks stop at the reload (report 21).
func TestRemovedChecks(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	p := tcp(nil)
	old, checks := stage.lease(t, of(t, p, 1), of(t, p, 2))
	stage.clock.to(s(5))
	stage.lease(t, of(t, p, 2))
	old.Release()
	before := checks[0].State()
	stage.clock.to(s(35))
	equal(t, "checks", stage.engine.Checks(), 1)
	equal(t, "the removed check's state", checks[0].State(), before)
	same(t, "starts", stage.starts, "0.00", "0.00", "10.00", "20.00", "30.00")
}

// TestFailedReload leaves everything as it was, whether the new lease had started or not; also the names.
func TestFailedReload(t *testing.T) {
	for _, started := range []bool{false, true} {
		t.Run(fmt.Sprintf("started %v", started), func(t *testing.T) {
			stage := newStage(always(probe.Pass, answer))
			_, checks := stage.lease(t, of(t, tcp(nil), 1), of(t, tcp(nil), 2))
			stage.clock.to(s(15))
			before := checks[0].State()

			failed := stage.engine.Lease(func(*Check) { t.Error("Expected no call for the failed lease, got one") })
			renamed := of(t, tcp(func(p *config.Probe) { p.Name = "renamed" }), 1)
			equal(t, "the very check", failed.Check(renamed), checks[0])
			equal(t, "its new name", checks[0].String(), "renamed@10.0.0.1:80")
			failed.Check(of(t, changed(s(20)), 2))
			failed.Check(of(t, tcp(nil), 3))
			if started {
				failed.Start()
			}
			stage.clock.to(s(16))
			failed.Release()

			equal(t, "checks", stage.engine.Checks(), 2)
			equal(t, "its old name", checks[0].String(), "web@10.0.0.1:80")
			equal(t, "the state", checks[0].State(), before)
			stage.starts = nil
			stage.clock.to(s(30))
			same(t, "starts", stage.starts, "20.00", "20.00", "30.00", "30.00")
		})
	}
}

// TestTwoLeases hold one check: both are told, and it lives until both are released, in either order.
func TestTwoLeases(t *testing.T) {
	for _, first := range []int{0, 1} {
		t.Run(fmt.Sprintf("lease %d goes first", first), func(t *testing.T) {
			stage := newStage(hangs(s(15), s(35), answer))
			p := tcp(func(p *config.Probe) { p.Fall, p.Rise = 1, 1 })
			var told [2]int
			var leases [2]*Lease
			for i := range leases {
				leases[i] = stage.engine.Lease(func(*Check) { told[i]++ })
				leases[i].Check(of(t, p, 1))
				leases[i].Start()
			}
			stage.clock.to(s(25)) // down at 20.05
			equal(t, "calls", told, [2]int{1, 1})
			leases[first].Release()
			stage.clock.to(s(45)) // up at 40.05
			want := [2]int{2, 2}
			want[first] = 1
			equal(t, "calls", told, want)
			leases[1-first].Release()
			stage.clock.to(s(100))
			same(t, "starts", stage.starts, "0.00", "10.00", "20.00", "30.00", "40.00")
		})
	}
}

// TestNeverStarted makes no attempt, can be released, and may leave its check to a lease that starts it.
func TestNeverStarted(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	idle := stage.engine.Lease(nil)
	c := idle.Check(of(t, tcp(nil), 1))
	alone := idle.Check(of(t, tcp(nil), 2))
	stage.clock.to(s(100))
	same(t, "starts", stage.starts)
	_, checks := stage.lease(t, of(t, tcp(nil), 1))
	equal(t, "the very check", checks[0], c)
	idle.Release()
	stage.clock.to(s(115))
	same(t, "starts", stage.starts, "100.00", "110.00")
	equal(t, "status of the check that nobody started", alone.State().Status, Checking)
	equal(t, "checks", stage.engine.Checks(), 1)
}

// TestStartTwice begins what is new and leaves the rest on its schedule.
func TestStartTwice(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l, _ := stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(5))
	c := l.Check(of(t, tcp(nil), 2))
	stage.clock.to(s(7))
	equal(t, "next before the start", c.State().Next, time.Time{})
	l.Start()
	stage.clock.to(s(20))
	same(t, "starts", stage.starts, "0.00", "7.00", "10.00", "17.00", "20.00")
}

// TestScope hands a verdict on within one server block only: another block may know the same probe, target and group with other options.
func TestScope(t *testing.T) {
	s := newStage(always(probe.Pass, answer))
	changed := func(path int) *config.Probe { return tcp(func(p *config.Probe) { p.Fall = path }) }
	take := func(scope string, fall int) *Check {
		l := s.engine.Lease(nil)
		t.Cleanup(l.Release)
		l.Scope = scope
		c := l.Check(of(t, changed(fall), 1))
		l.Start()
		return c
	}
	dead, live := take("inside", 4), take("outside", 5)
	s.engine.Force(dead, Unhealthy)
	s.engine.Force(live, Healthy)
	equal(t, "status inside after a change", take("inside", 6).State().Status, Unhealthy)
	equal(t, "status outside after a change", take("outside", 7).State().Status, Healthy)
	equal(t, "status of a new block", take("elsewhere", 8).State().Status, Checking)
}
