package health

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// pass lets time go by in a bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// runFor starts checks on a bubble's clock, lets time go by, stops them, and returns them with when their attempts began.
func runFor(t *testing.T, o Options, d time.Duration, specs ...Spec) ([]*Check, *diary) {
	t.Helper()
	seen := newDiary()
	o.Observer = seen
	l := NewEngine(o).Lease(nil)
	defer l.Release()
	for _, s := range specs {
		l.Check(s)
	}
	l.Start()
	pass(d)
	return l.Checks(), seen
}

// many asks for that many checks.
func many(t *testing.T, p *config.Probe, n int) []Spec {
	specs := make([]Spec, n)
	for i := range specs {
		specs[i] = of(t, p, i)
	}
	return specs
}

// TestFirstAttempt is made at once, by the start and not before.
func TestFirstAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newDiary()
		l := NewEngine(Options{Observer: seen, Runner: instantly(probe.Pass)}).Lease(nil)
		defer l.Release()
		c := l.Check(of(t, tcp(nil), 1))
		pass(time.Hour)
		same(t, "attempts before the start", seen.of(c))
		l.Start()
		synctest.Wait()
		same(t, "attempts", seen.of(c), time.Hour)
	})
}

// TestFirstRound begins checks without a verdict one by one, in the order in which they were asked for, for all leases together.
func TestFirstRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newDiary()
		e := NewEngine(Options{Observer: seen, Runner: instantly(probe.Pass)})
		specs := many(t, tcp(nil), 2000)
		for part := range 2 {
			l := e.Lease(nil)
			defer l.Release()
			for _, s := range specs[1000*part:][:1000] {
				l.Check(s)
			}
			l.Start()
		}
		pass(time.Second)
		for n, lease := range e.leases {
			for i, c := range lease.Checks() {
				if got, want := seen.of(c)[0], time.Duration(1000*n+i)*startGap; got != want {
					t.Fatalf("Expected first attempt %d at %v, got %v", 1000*n+i, want, got)
				}
			}
		}
	})
}

// TestFirstRoundWithinInterval begins nobody later than an interval after the start, however many there are.
func TestFirstRoundWithinInterval(t *testing.T) {
	w := newCrowd(1)
	l := w.engine.Lease(nil)
	for _, spec := range many(t, tcp(func(p *config.Probe) { p.Interval, p.Timeout = time.Second, s(0.5) }), 8000) {
		l.Check(spec)
	}
	l.Start()
	w.clock.to(s(1))
	equal(t, "first attempts after an interval", w.started(), 8000)
	l.Release()
}

// TestExactStart has no spread.
func TestExactStart(t *testing.T) {
	stage := newStage(always(probe.Pass, 0))
	stage.lease(t, many(t, tcp(nil), 100)...)
	stage.clock.to(0)
	equal(t, "attempts at 0.00", len(stage.starts), 100)
}

// TestInterval counts from start or end, and never lets two attempts of a check overlap.
func TestInterval(t *testing.T) {
	for _, tc := range []struct {
		name    string
		fromEnd bool
		takes   time.Duration
		want    []string
	}{
		{"from start", false, s(4), []string{"0.00", "10.00", "20.00", "30.00"}},
		{"from end", true, s(4), []string{"0.00", "14.00", "28.00"}},
		{"from start, as long as the interval", false, s(10), []string{"0.00", "10.00", "20.00", "30.00"}},
		{"from start, longer than the interval", false, s(12), []string{"0.00", "12.00", "24.00"}},
		{"from end, longer than the interval", true, s(12), []string{"0.00", "22.00"}},
	} {
		for _, outcome := range outcomes("PF?") { // the pace is the same whatever comes out
			t.Run(tc.name+" "+outcome.String(), func(t *testing.T) {
				stage := newStage(always(outcome, tc.takes))
				stage.lease(t, of(t, tcp(func(p *config.Probe) { p.FromEnd = tc.fromEnd }), 1))
				stage.clock.to(s(35))
				same(t, "starts", stage.starts, tc.want...)
			})
		}
	}
}

// TestQuestionsMakeNoAttempt asks a lot, and not at all: the attempts are the same (spec I-1; report 20).
func TestQuestionsMakeNoAttempt(t *testing.T) {
	for _, asked := range []bool{false, true} {
		stage := newStage(always(probe.Pass, answer))
		l, checks := stage.lease(t, of(t, tcp(nil), 1))
		for at := range 3600 {
			stage.clock.to(s(float64(at)))
			if asked {
				_, _, _ = checks[0].State(), checks[0].Usable(), l.Attempted()
			}
		}
		equal(t, fmt.Sprintf("attempts in an hour, asked %v,", asked), len(stage.starts), 360)
	}
}

// TestStall follows a process that was held up with one attempt, not with all that it missed, and goes on from there.
func TestStall(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	stage.lease(t, of(t, tcp(nil), 1))
	stage.clock.to(s(5))
	stage.clock.stall(s(97))
	stage.clock.to(s(120))
	same(t, "starts", stage.starts, "0.00", "97.00", "107.00", "117.00")
	same(t, "lags", stage.lags, 0, s(87), 0, 0)
}

// TestJitter keeps the waits in their bounds: up to an interval after the first attempt, a twentieth either way later.
func TestJitter(t *testing.T) {
	const interval, takes = 10 * time.Second, time.Second
	for _, fromEnd := range []bool{false, true} {
		t.Run(fmt.Sprintf("from end %v", fromEnd), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := tcp(func(p *config.Probe) { p.FromEnd = fromEnd })
				checks, seen := runFor(t, Options{Runner: during(probe.Pass, takes)}, time.Hour, many(t, p, 20)...)
				least, most := 2*interval, time.Duration(0)
				for _, c := range checks {
					starts := seen.of(c)
					for i := range starts[1:] {
						wait := starts[i+1] - starts[i]
						if fromEnd {
							wait -= takes
						}
						low, high := interval-interval/20, interval+interval/20
						if i == 0 {
							low, high = 0, interval+1
						} else {
							least, most = min(least, wait), max(most, wait)
						}
						if wait < low || wait >= high {
							t.Fatalf("Expected a wait from %v to less than %v after attempt %d, got %v", low, high, i+1, wait)
						}
					}
				}
				if most-least < interval/20 {
					t.Errorf("Expected waits that differ, got %v to %v", least, most)
				}
			})
		})
	}
}

// TestSharedCheck makes one attempt an interval, however many records ask for the same (report 22).
func TestSharedCheck(t *testing.T) {
	stage := newStage(always(probe.Pass, answer))
	l := stage.engine.Lease(nil)
	defer l.Release()
	one := of(t, tcp(nil), 1)
	first := l.Check(one)
	for i := range 1000 {
		one.User = fmt.Sprintf("group%d.example.org.", i)
		if got := l.Check(one); got != first {
			t.Fatalf("Expected one check for all, got another for %s", one.User)
		}
	}
	l.Start()
	stage.clock.to(s(59.99))
	equal(t, "checks of the engine", stage.engine.Checks(), 1)
	equal(t, "checks of the lease", len(l.Checks()), 1)
	equal(t, "attempts in a minute", len(stage.starts), 6)
}
