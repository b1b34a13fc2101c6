package health

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestReport23 is targets that are down for good: through an outage of a day, whatever it looks like, attempts come as often as before it, also beside
// others that hang in all places, and the verdict turns with as many passes as `rise` says.
func TestReport23(t *testing.T) {
	const outage, until = time.Hour, 25 * time.Hour
	for name, dead := range map[string]struct {
		outcome probe.Outcome
		takes   time.Duration
	}{"refused": {probe.Fail, 0}, "hanging": {probe.Fail, 5 * time.Second}, "slow to refuse": {probe.Fail, 3 * time.Second}} {
		for _, crowded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, crowded %v", name, crowded), func(t *testing.T) {
				stage := newStage(nil)
				var of1 []time.Duration
				run := func(ctx context.Context, c *Check, done func(probe.Result)) {
					outcome, takes, at := probe.Pass, answer, stage.clock.at()
					switch target := c.Target().Address.As4()[3]; {
					case target != 1:
						outcome, takes = probe.Fail, 5*time.Second // another one, which always hangs
					case at >= outage && at < until:
						outcome, takes = dead.outcome, dead.takes
					}
					if c.Target().Address.As4()[3] == 1 {
						of1 = append(of1, at)
					}
					abandoned := context.AfterFunc(ctx, func() { done(probe.Result{Outcome: probe.CannotTell}) })
					stage.clock.AfterFunc(takes, func() {
						if abandoned() {
							done(probe.Result{Outcome: outcome, Duration: takes})
						}
					})
				}
				stage.engine = NewEngine(Options{Clock: stage.clock, Runner: run, Exact: true})
				specs := []Spec{of(t, tcp(nil), 1)}
				if crowded {
					for n := 2; n < 6; n++ {
						specs = append(specs, of(t, tcp(nil), n))
					}
					stage.engine.SetMaxAttempts(4)
				}
				_, checks := stage.lease(t, specs...)
				stage.clock.to(until - 1)
				equal(t, "status in the outage", checks[0].State().Status, Unhealthy)
				p := checks[0].Probe()
				if want := int(until / p.Interval); len(of1) < want-1 {
					t.Errorf("Expected %d attempts, got %d", want, len(of1))
				}
				before := len(of1)
				stage.clock.to(until + time.Duration(p.Rise)*p.Interval + p.Timeout)
				equal(t, "status after the outage", checks[0].State().Status, Healthy)
				if passes := len(of1) - before; passes > p.Rise+1 {
					t.Errorf("Expected to be healthy after %d passes, got %d attempts", p.Rise, passes)
				}
				for i := range of1[1:] {
					if wait := of1[i+1] - of1[i]; wait > p.Interval+p.Timeout {
						t.Fatalf("Expected no wait longer than the interval, got %s at %s", wait, of1[i])
					}
				}
			})
		}
	}
}

// TestReport24 is a line that loses one attempt in twenty, for ten minutes: how many of many targets fall is what chance says of `fall` losses in a
// row, which is next to none with the default of 3. A verdict that fell needs `rise` passes in a row.
func TestReport24(t *testing.T) {
	const targets, loss, attempts = 2000, 0.05, 60
	for _, fall := range []int{1, 2, 3, 4} {
		t.Run(fmt.Sprint("fall ", fall), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(24, uint64(fall)))
			stage := newStage(nil)
			run := func(_ context.Context, _ *Check, done func(probe.Result)) {
				outcome := probe.Pass
				if stage.clock.at() > 0 && rnd.Float64() < loss { // they work when it begins
					outcome = probe.Fail
				}
				done(probe.Result{Outcome: outcome})
			}
			seen := &flips{fell: map[*Check]bool{}}
			stage.engine = NewEngine(Options{Clock: stage.clock, Observer: seen, Runner: run, Exact: true})
			_, checks := stage.lease(t, many(t, tcp(func(p *config.Probe) { p.Fall = fall }), targets)...)
			stage.clock.to(time.Duration(attempts) * checks[0].Probe().Interval)

			chance := runs(attempts, fall, loss)
			want, deviation := targets*chance, math.Sqrt(targets*chance*(1-chance))
			if got := float64(len(seen.fell)); math.Abs(got-want) > 5*deviation+1 {
				t.Errorf("Expected %.1f of %d targets to fall, plus or minus %.1f, got %.0f", want, targets, deviation, got)
			}
			if fall == config.DefaultProbe("web", config.ProbeTCP, "").Fall && chance > 0.01 {
				t.Errorf("Expected less than one flip in a hundred by default, got %.4f", chance)
			}
		})
	}
}

// runs is the chance that of so many attempts, each lost with a chance, at least once so many are lost in a row.
func runs(attempts, row int, loss float64) float64 {
	state := make([]float64, row+1) // by the length of the run of losses now; the last is for good
	state[0] = 1
	for range attempts {
		next := make([]float64, row+1)
		next[row] = state[row]
		for run, p := range state[:row] {
			next[0] += p * (1 - loss)
			next[run+1] += p * loss
		}
		state = next
	}
	return state[row]
}

// flips notes who fell.
type flips struct {
	silent
	fell map[*Check]bool
}

// Transition is Observer's.
func (f *flips) Transition(c *Check, t Transition) {
	if t.To == Unhealthy {
		f.fell[c] = true
	}
}
