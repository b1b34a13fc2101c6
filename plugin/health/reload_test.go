package health

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// watch is the runner and observer of an engine under stress. It says what must never happen.
type watch struct {
	silent
	t      *testing.T
	checks sync.Map // *Check to *watched
}

type watched struct {
	mu     sync.Mutex
	under  bool // an attempt is under way
	gone   bool // the check was released
	status Status
	known  bool // status is, from a transition
}

func (w *watch) of(c *Check) *watched {
	v, _ := w.checks.LoadOrStore(c, &watched{})
	return v.(*watched)
}

func (w *watch) run(ctx context.Context, c *Check, done func(probe.Result)) {
	of := w.of(c)
	of.mu.Lock()
	if of.gone || of.under {
		w.t.Errorf("Expected no attempt of %s, got one with gone %v, under way %v", c, of.gone, of.under)
	}
	of.under = true
	of.mu.Unlock()
	if rand.N(4) == 0 {
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(2 * time.Millisecond)):
		}
	}
	of.mu.Lock()
	of.under = false
	of.mu.Unlock()
	done(probe.Result{Outcome: probe.Outcome(rand.N(3))})
}

func (w *watch) AttemptStarted(*Check, time.Duration) {}
func (w *watch) AttemptEnded(*Check, probe.Result)    {}
func (w *watch) ProbePanicked(*Check, any)            {}

func (w *watch) Transition(c *Check, t Transition) {
	of := w.of(c)
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.known && of.status != t.From || t.From == t.To || t.Lasted < 0 {
		w.t.Errorf("Expected a change of %s from %s, got %+v", c, of.status, t)
	}
	of.status, of.known = t.To, true
}

// TestReloads reloads fifty times while attempts are made and everybody reads: a third of the checks stays, a third has
// its options changed and a third is replaced (report 21).
func TestReloads(t *testing.T) {
	const reloads, third = 50, 10
	w := &watch{t: t}
	e := NewEngine(Options{Observer: w, Runner: w.run})
	var current atomic.Pointer[Lease]
	current.Store(e.Lease(nil))

	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				for _, c := range current.Load().Checks() {
					got := c.State()
					if got.Usable != usable(got.Status, c.Probe()) || statusOf(got.Counter.Verdict, c.Probe()) != got.Status {
						t.Errorf("Expected a consistent state of %s, got %+v", c, got)
					}
					_, _, _ = c.Usable(), c.Target(), c.Attempted()
				}
				e.Checks()
			}
		})
	}

	var told atomic.Int64
	var kept []*Check
	for reload := range reloads {
		l := e.Lease(func(c *Check) { c.Usable(); told.Add(1) })
		var asked []*Check
		for i := range third {
			quick := func(p *config.Probe) { p.Interval, p.Fall, p.Rise = time.Millisecond, 1, 1 }
			asked = append(asked,
				l.Check(of(t, tcp(quick), i)),
				l.Check(of(t, tcp(func(p *config.Probe) { quick(p); p.Fall = 1 + reload%9 }), 100+i)),
				l.Check(of(t, tcp(quick), 1000+reload*third+i)))
		}
		l.Start()
		if !l.WaitFirst(t.Context()) {
			t.Fatal("Expected first attempts, got none")
		}
		old := current.Swap(l)
		old.Release()
		for _, c := range old.Checks() {
			if !holds(l, c) {
				of := w.of(c)
				of.mu.Lock()
				of.gone = true
				of.mu.Unlock()
			}
		}
		if got := e.Checks(); got != 3*third {
			t.Fatalf("Expected %d checks after reload %d, got %d", 3*third, reload, got)
		}
		for i := range third {
			if reload > 0 && asked[3*i] != kept[3*i] {
				t.Fatalf("Expected check %s to stay over reload %d, got another", kept[3*i], reload)
			}
		}
		kept = asked
	}
	current.Load().Release()
	cancel()
	readers.Wait()
	equal(t, "checks", e.Checks(), 0)
	if told.Load() == 0 {
		t.Error("Expected changes to be told, got none")
	}
}

// holds reports whether the lease holds the check.
func holds(l *Lease, c *Check) bool {
	for _, other := range l.Checks() {
		if other == c {
			return true
		}
	}
	return false
}
