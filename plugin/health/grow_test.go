package health

import (
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// grown is a crowd whose lease has started with nothing.
func grown(t *testing.T) (*crowd, *Lease) {
	w := newCrowd(1)
	l := w.engine.Lease(nil)
	t.Cleanup(l.Release)
	l.Start()
	w.clock.to(s(5))
	return w, l
}

// TestGrow spreads 1,000 checks that come at once, or one after the other, while the lease runs: the first attempts by the engine's pace,
// the following ones over their interval.
func TestGrow(t *testing.T) {
	const n = 1000
	for _, single := range []bool{false, true} {
		w, l := grown(t)
		for _, spec := range many(t, tcp(nil), n) {
			l.Check(spec)
			if single {
				l.Start()
			}
		}
		l.Start()
		for _, part := range []time.Duration{20, 100, 200} { // thousandths of a second
			w.clock.to(s(5) + part*time.Millisecond)
			if got, want := w.started(), int(part*time.Millisecond/startGap)+1; got != min(want, n) {
				t.Errorf("Expected %d first attempts in %d ms, got %d", min(want, n), part, got)
			}
		}
		w.clock.to(s(60))
		w.near(t, "after many came", s(15), s(60), n/100)
		w.clock.to(s(61))
	}
}

// TestGrowCalmly: checks that come one after the other with a verdict of their own keep the pace as well.
func TestGrowCalmly(t *testing.T) {
	const n = 1000
	w, l := grown(t)
	specs := many(t, tcp(nil), n)
	for _, spec := range specs {
		l.Check(spec)
	}
	l.Start()
	w.clock.to(s(30))
	next := w.engine.Lease(nil)
	t.Cleanup(next.Release)
	for i := range specs {
		next.Check(of(t, tcp(func(p *config.Probe) { p.Fall = 9 }), i))
		next.Start()
	}
	l.Release()
	w.slots = map[int]int{}
	w.clock.to(s(30) + 100*time.Millisecond - 1)
	if got, most := w.slots[300], int(100*time.Millisecond/startGap)+20; got > most { // the 20 are second attempts
		t.Errorf("Expected at most %d attempts in a tenth of a second, got %d", most, got)
	}
}

// TestGrowOneByOne adds and drops 10,000 checks one by one; it took minutes if that were quadratic.
func TestGrowOneByOne(t *testing.T) {
	const n = 10_000
	stage := newStage(always(probe.Pass, answer))
	l, _ := stage.lease(t)
	spec := of(t, tcp(nil), 0)
	var checks []*Check
	for i := range n {
		one := of(t, spec.Probe, i)
		one.Prober = spec.Prober
		checks = append(checks, l.Check(one))
		l.Start()
	}
	stage.clock.to(s(1))
	equal(t, "attempts", len(stage.starts), n)
	for _, c := range checks[:n-1] {
		l.Drop(c)
	}
	same(t, "held", l.Checks(), checks[n-1])
	equal(t, "timers", stage.clock.pending(), 1)
}

// BenchmarkGrow is what one check more costs in a lease of many: 100 and 10,000 should cost the same.
func BenchmarkGrow(b *testing.B) {
	for name, n := range map[string]int{"100": 100, "10000": 10_000} {
		b.Run(name, func(b *testing.B) {
			l := NewEngine(Options{Runner: instantly(probe.Pass)}).Lease(nil)
			defer l.Release()
			p := tcp(func(p *config.Probe) { p.Interval = time.Hour })
			spec := of(b, p, 0)
			take := func(i int) *Check {
				one := of(b, p, i)
				one.Prober = spec.Prober
				return l.Check(one)
			}
			for i := range n {
				take(i)
			}
			l.Start()
			b.ReportAllocs()
			for b.Loop() {
				c := take(n)
				l.Start()
				l.Drop(c)
			}
		})
	}
}
