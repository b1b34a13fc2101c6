package health

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// crowd is many checks in virtual time, with jitter from a fixed seed. It counts when attempts start.
type crowd struct {
	stage
	took  time.Duration // how long attempts take that start from now on; from a second on they fail
	slots map[int]int   // starts, by tenth of a second since the epoch
	worst time.Duration // the longest lag since it was set to 0
	now   int           // attempts under way
	most  int           // the largest number of them since it was set to 0
}

func newCrowd(seed uint64) *crowd {
	w := &crowd{took: answer, slots: map[int]int{}}
	w.clock = newVirtualClock(time.Unix(1_000_000, 0))
	w.world = func(time.Duration) (probe.Outcome, time.Duration) {
		if w.took >= time.Second {
			return probe.Fail, w.took
		}
		return probe.Pass, w.took
	}
	random := rand.New(rand.NewPCG(seed, 0))
	w.engine = NewEngine(Options{Clock: w.clock, Observer: w, Runner: w.attempt, Random: random.Int64N})
	return w
}

func (w *crowd) attempt(ctx context.Context, c *Check, done func(probe.Result)) {
	w.now++
	w.most = max(w.most, w.now)
	w.run(ctx, c, func(r probe.Result) {
		if r.Outcome != probe.CannotTell { // those that are abandoned end on goroutines of their own
			w.now--
		}
		done(r)
	})
}

func (w *crowd) AttemptStarted(_ *Check, lag time.Duration) {
	w.slots[int(w.clock.at()/(100*time.Millisecond))]++
	w.worst = max(w.worst, lag)
}

// started is the number of checks that have begun an attempt.
func (w *crowd) started() (n int) {
	for _, c := range w.engine.checks {
		if !c.State().LastAt.IsZero() || c.abandon != nil {
			n++
		}
	}
	return n
}

// near expects the number of attempts in each tenth of a second to be that of attempts at random times: five standard deviations
// around the mean, which of ten thousand slots one in a hundred runs leaves.
func (w *crowd) near(t *testing.T, when string, from, until time.Duration, mean int) {
	t.Helper()
	deviation := 0
	for deviation*deviation < mean {
		deviation++
	}
	total, slots := 0, 0
	for slot := int(from / (100 * time.Millisecond)); slot < int(until/(100*time.Millisecond)); slot++ {
		got := w.slots[slot]
		total, slots = total+got, slots+1
		if got < mean-5*deviation || got > mean+5*deviation {
			t.Errorf("Expected about %d attempts in the tenth of a second at %.1f s, %s, got %d", mean, float64(slot)/10, when, got)
		}
	}
	if got := float64(total) / float64(slots); got < float64(mean)*0.97 || got > float64(mean)*1.03 {
		t.Errorf("Expected %d attempts a tenth of a second %s, got %.1f", mean, when, got)
	}
}

// TestNoHerd spreads 10,000 checks of 10 s evenly: after a start once the first round is over, after a reload that replaces all, after all
// fail at once by timeout, and after all of them had to wait because attempts were capped.
func TestNoHerd(t *testing.T) {
	if racing {
		t.Skip("everything happens on one goroutine, and takes minutes with the race detector")
	}
	const n, interval, timeout = 10_000, 10 * time.Second, 5 * time.Second
	for _, fromEnd := range []bool{false, true} {
		t.Run(fmt.Sprintf("from end %v", fromEnd), func(t *testing.T) {
			w := newCrowd(1)
			lease := func(fall int) *Lease {
				l := w.engine.Lease(nil)
				for _, spec := range many(t, tcp(func(p *config.Probe) { p.Fall, p.FromEnd = fall, fromEnd }), n) { // another fall is another definition
					l.Check(spec)
				}
				l.Start()
				return l
			}
			// mean is that of attempts which take so long, in a tenth of a second.
			mean := func(took time.Duration) int {
				if fromEnd {
					return int(n * 100 * time.Millisecond / (interval + took))
				}
				return int(n * 100 * time.Millisecond / interval)
			}
			old := lease(3)
			w.clock.to(s(2))
			for slot := range 20 { // the first round, which is quick and paced, and the second attempts that it brings
				if got := w.slots[slot]; got < 490 || got > 650 {
					t.Errorf("Expected about 500 attempts in tenth %d of the first round, got %d", slot, got)
				}
			}
			w.clock.to(s(60))
			w.near(t, "after the start", s(2), s(60), mean(answer))

			l := lease(2)
			old.Release()
			w.clock.to(s(120))
			w.near(t, "after the reload", s(61), s(120), mean(answer))

			w.took = timeout
			w.clock.to(s(260))
			w.near(t, "after all hung", s(180), s(260), mean(timeout))
			w.took = answer
			w.clock.to(s(360))
			w.near(t, "after all were back", s(310), s(360), mean(answer))

			w.engine.SetMaxAttempts(1000)
			w.took = 2 * time.Second // 1,000 at a time are too few
			w.clock.to(s(390))
			w.took = answer
			w.clock.to(s(480))
			w.near(t, "after all had waited", s(430), s(480), mean(answer))

			w.clock.stall(s(500))
			w.clock.to(s(560))
			w.near(t, "after a stall", s(520), s(560), mean(answer))
			l.Release()
		})
	}
}
