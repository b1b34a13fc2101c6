// Package health decides what works: it makes attempts on schedule, counts them into verdicts and keeps the
// checks over reloads.
//
// An Engine owns all checks of a process. Each configuration holds a Lease on the checks that it uses; a check
// lives as long as one lease holds it. There is no scheduling goroutine: a timer of the engine's clock fires for each check when its
// next attempt is due, and the attempt runs where the clock calls it, at once or when a place among those under way is free.
// Counting is a pure step. Every goroutine that an attempt runs on is waited for by the Release of the lease that stopped its check.
package health

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/healthroute/healthroute/plugin/probe"
)

// Engine owns checks and makes their attempts. It may be used from any number of goroutines.
type Engine struct {
	clock     Clock
	timers    Clock
	observer  Observer
	run       Runner
	own       bool // run is the engine's, which wants the timeout in its context
	jitter    bool
	random    func(n int64) int64
	observers atomic.Int32 // how many there are, ourselves included
	changes   atomic.Uint64
	latches   Latches
	slots     slots
	starts    pace
	canaries  canaries

	mu       sync.Mutex
	checks   map[string]*Check // guarded by mu; by identity
	leases   []*Lease          // guarded by mu; oldest first
	restored memory            // guarded by mu
}

// Runner makes one attempt of a check and calls done with its result, exactly once, then or later. The context ends
// when the attempt is abandoned; Release waits until done has been called, whatever the result.
type Runner func(ctx context.Context, c *Check, done func(probe.Result))

// Options change how an engine lives; the zero value is a server's.
type Options struct {
	Clock    Clock    // RealClock if nil
	Timers   Clock    // what Lease.After plans on; Clock if nil
	Observer Observer // nobody if nil
	Runner   Runner   // the check's own prober, within its probe's timeout, if nil
	Exact    bool     // no jitter and no spread: attempts start at exact times
	// Random draws for the jitter: from 0 to n-1, n above 0, from any number of goroutines; rand.Int64N if nil.
	Random func(n int64) int64
}

// NewEngine returns an engine without checks. It needs no end: without leases nothing runs.
func NewEngine(o Options) *Engine {
	e := &Engine{
		clock: o.Clock, timers: o.Timers, observer: o.Observer, run: o.Runner, jitter: !o.Exact, random: o.Random,
		checks: map[string]*Check{},
	}
	if e.random == nil {
		e.random = rand.Int64N
	}
	if e.clock == nil {
		e.clock = RealClock{}
	}
	if e.timers == nil {
		e.timers = e.clock
	}
	e.observers.Store(1)
	if e.observer == nil {
		e.observer = silent{}
	}
	if e.run == nil {
		e.run, e.own = e.attempt, true
	}
	return e
}

// Lease opens a hold on checks. onChange is called, from any goroutine and with no lock held, after a check of the
// lease became usable or ceased to be, was stopped or is no longer, or began to serve a hold (State.HeldUntil); it may be nil. It may use the engine and the lease, but must not call Release,
// which waits for it. A call that began before Release may end after it.
func (e *Engine) Lease(onChange func(*Check)) *Lease {
	l := &Lease{engine: e, onChange: onChange, lineages: map[string]*Check{}}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leases = append(e.leases, l)
	return l
}

// Latches returns the store of what `failback manual` keeps out.
func (e *Engine) Latches() *Latches { return &e.latches }

// Checks returns the number of checks that are held by any lease.
func (e *Engine) Checks() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.checks)
}

// Changes counts what changed so far of all that a restart should keep and nobody learns again: statuses, latches, and the runs of attempts that will
// turn a verdict when they are long enough. A pass more of what is up, or a failure of what is down, is no change.
func (e *Engine) Changes() uint64 { return e.changes.Load() + e.latches.changes.Load() }

// ancestor returns the newest check of the lineage that another lease than l holds, or nil; it is called with mu held.
func (e *Engine) ancestor(lineage string, l *Lease) *Check {
	for _, other := range slices.Backward(e.leases) {
		if c, ok := other.lineages[lineage]; ok && other != l {
			return c
		}
	}
	return nil
}

// Now returns the time of the engine's clock.
func (e *Engine) Now() time.Time { return e.clock.Now() }
