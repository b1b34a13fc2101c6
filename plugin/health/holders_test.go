package health

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// holders is the plain model of who holds what: for each lease, what it asked for, in that order.
type holders struct {
	order [][]int        // by lease: the check numbers that it holds
	idle  []map[int]bool // by lease: what it wants no attempts on
	fresh [][]int        // by lease: asked for since its last start
	gone  []bool         // by lease: released
	runs  map[int]bool   // check numbers that are attempted
	rests map[int]bool   // check numbers that were found to be wanted by nobody when that was looked at last
}

func newHolders(leases int) *holders {
	m := &holders{gone: make([]bool, leases), order: make([][]int, leases), fresh: make([][]int, leases), runs: map[int]bool{}, rests: map[int]bool{}}
	for range leases {
		m.idle = append(m.idle, map[int]bool{})
	}
	return m
}

func (m *holders) check(l, c int) {
	if !m.gone[l] && !m.has(l, c) {
		m.order[l] = append(m.order[l], c)
		m.fresh[l] = append(m.fresh[l], c)
	}
}

func (m *holders) start(l int) {
	for _, c := range m.fresh[l] {
		if m.has(l, c) {
			m.look(c)
			m.runs[c] = m.runs[c] || !m.rests[c]
		}
	}
	m.fresh[l] = nil
}

func (m *holders) want(l, c int, wanted bool) {
	if m.has(l, c) {
		m.idle[l][c] = !wanted
	}
	m.look(c)
}

// look finds out whether anybody wants attempts; one that is wanted again begins.
func (m *holders) look(c int) {
	if rests := !m.wanted(c); rests != m.rests[c] {
		m.rests[c], m.runs[c] = rests, !rests
	}
}

func (m *holders) drop(l, c int) {
	if !m.has(l, c) {
		return
	}
	m.order[l] = slices.DeleteFunc(m.order[l], func(other int) bool { return other == c })
	delete(m.idle[l], c)
	if m.held(c) {
		m.look(c)
		return
	}
	delete(m.runs, c)
	delete(m.rests, c)
}

func (m *holders) release(l int) {
	for _, c := range slices.Clone(m.order[l]) {
		m.drop(l, c)
	}
	m.gone[l], m.fresh[l] = true, nil
}

func (m *holders) has(l, c int) bool { return slices.Contains(m.order[l], c) }

func (m *holders) held(c int) bool {
	return slices.ContainsFunc(m.order, func(held []int) bool { return slices.Contains(held, c) })
}

func (m *holders) wanted(c int) bool {
	for l := range m.order {
		if m.has(l, c) && !m.idle[l][c] {
			return true
		}
	}
	return false
}

// TestHolders does whatever can be done with leases, in any order, and compares with the model: who holds what, that a check stays the
// same one as long as anybody holds it and never comes back, and that exactly those are attempted which somebody holds, wants and has started.
func TestHolders(t *testing.T) {
	const leases, checks, steps = 4, 6, 400
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			stage := newStage(always(probe.Pass, answer))
			attempts := map[*Check]int{}
			stage.engine = NewEngine(Options{Clock: stage.clock, Exact: true, Runner: func(ctx context.Context, c *Check, done func(probe.Result)) {
				attempts[c]++
				stage.run(ctx, c, done)
			}})
			m := newHolders(leases)
			var ours []*Lease
			for range leases {
				l := stage.engine.Lease(nil)
				t.Cleanup(l.Release)
				ours = append(ours, l)
			}
			current, ever := map[int]*Check{}, map[*Check]int{}
			for step := range steps {
				l, c := random.IntN(leases), random.IntN(checks)
				did := ""
				switch do := random.IntN(20); {
				case do < 7:
					did = "check"
					got := ours[l].Check(of(t, tcp(nil), c))
					if m.held(c) && got != current[c] {
						t.Fatalf("Expected check %d at step %d to be the one that is held, got another", c, step)
					}
					if was, known := ever[got]; !m.gone[l] && !m.held(c) && known {
						t.Fatalf("Expected a new check at step %d, got that of %d again", step, was)
					}
					ever[got] = c
					m.check(l, c)
					if m.held(c) {
						current[c] = got
					}
				case do < 10:
					did = "start"
					ours[l].Start()
					m.start(l)
				case do < 15:
					did = "drop"
					if known := current[c]; known != nil {
						ours[l].Drop(known)
						m.drop(l, c)
					}
				case do < 19:
					did = "want"
					if known := current[c]; known != nil {
						wanted := random.IntN(2) == 0
						ours[l].Want(known, wanted)
						m.want(l, c, wanted)
					}
				case random.IntN(8) == 0:
					did = "release"
					ours[l].Release()
					m.release(l)
				}
				for c := range checks {
					if !m.held(c) {
						delete(current, c)
					}
				}
				compare(t, fmt.Sprintf("step %d, %s of %d by %d", step, did, c, l), m, stage.engine, ours, current)
				if step%10 == 0 { // a whole interval: each check that runs has one attempt
					clear(attempts)
					stage.clock.to(stage.clock.at() + s(10))
					for c, known := range current {
						if got := attempts[known] > 0; got != m.runs[c] {
							t.Fatalf("Expected check %d to be attempted after step %d: %v, got %v", c, step, m.runs[c], got)
						}
						delete(attempts, known)
					}
					equal(t, "checks that are attempted and that nobody holds", len(attempts), 0)
				}
			}
		})
	}
}

// compare looks at all that leases and engine say of who holds what.
func compare(t *testing.T, when string, m *holders, e *Engine, leases []*Lease, current map[int]*Check) {
	t.Helper()
	if e.Checks() != len(current) {
		t.Fatalf("Expected %d checks after %s, got %d", len(current), when, e.Checks())
	}
	for i, l := range leases {
		if m.gone[i] {
			continue
		}
		var want []*Check
		for _, c := range m.order[i] {
			want = append(want, current[c])
		}
		if got := l.Checks(); !slices.Equal(got, want) {
			t.Fatalf("Expected lease %d to hold %v after %s, got %v", i, want, when, got)
		}
		if len(l.lineages) != len(want) {
			t.Fatalf("Expected lease %d to know %d lineages after %s, got %d", i, len(want), when, len(l.lineages))
		}
	}
}

// TestManyHands takes, starts, drops and reads checks from many goroutines and timers at once, and releases the lease in the midst of it. The
// race detector looks on, and what is left over shows at the end of the tests.
func TestManyHands(t *testing.T) {
	for range 5 {
		var underWay atomic.Int64
		e := NewEngine(Options{Runner: func(ctx context.Context, _ *Check, done func(probe.Result)) {
			underWay.Add(1)
			select {
			case <-ctx.Done():
			case <-time.After(rand.N(2 * time.Millisecond)):
			}
			underWay.Add(-1)
			done(probe.Result{Outcome: probe.Outcome(rand.N(3))})
		}})
		quick := tcp(func(p *config.Probe) { p.Interval, p.Fall, p.Rise = time.Millisecond, 1, 1 })
		keeper := e.Lease(nil)
		var l *Lease
		l = e.Lease(func(c *Check) {
			if rand.N(10) == 0 {
				l.Drop(c)
			}
		})
		var hands sync.WaitGroup
		for hand := range 6 {
			hands.Go(func() {
				for range 300 {
					lease := l
					if hand == 0 {
						lease = keeper
					}
					c := lease.Check(of(t, quick, rand.N(20)))
					lease.Start()
					switch rand.N(6) {
					case 0:
						lease.Anew(c)
					case 1:
						lease.Want(c, false)
						lease.Want(c, true)
					case 2:
						lease.After(rand.N(time.Millisecond), func() { lease.Drop(c) })
					case 3:
						ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
						lease.WaitFirst(ctx)
						cancel()
					case 4:
						lease.Attempted()
						for _, held := range lease.Checks() {
							lease.Probe(held)
						}
					}
					lease.Drop(c)
					if hand == 1 && rand.N(200) == 0 {
						l.Release()
					}
				}
			})
		}
		hands.Wait()
		l.Release()
		keeper.Release()
		equal(t, "checks", e.Checks(), 0)
		equal(t, "attempts under way", underWay.Load(), 0)
	}
}
