package health

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/healthroute/healthroute/plugin/probe"
)

// Canaries are checks of what is always there: gateways, other sites. While all of them fail it is this server that is cut off, so that what its
// attempts say of others is worth nothing: verdicts are frozen. Attempts go on and are remembered, but count for nobody except the canaries.

// canaries are the canaries of an engine, and whether verdicts are frozen.
type canaries struct {
	turns atomic.Uint32 // grows whenever verdicts freeze or thaw: odd while they are frozen

	mu     sync.Mutex
	checks []*Check // guarded by mu; replaced, never changed
}

// frozen reports whether verdicts are frozen, and a number that changes whenever that does.
func (k *canaries) frozen() (bool, uint32) {
	turn := k.turns.Load()
	return turn%2 == 1, turn
}

// SetCanaries replaces the canaries; without any, verdicts are never frozen. A lease must hold each of them, and want it.
func (e *Engine) SetCanaries(checks []*Check) {
	e.canaries.mu.Lock()
	for _, c := range checks {
		c.canary.Store(true)
	}
	for _, c := range e.canaries.checks {
		if !slices.Contains(checks, c) { // what stays is one throughout: its attempts count while verdicts are frozen
			c.canary.Store(false)
		}
	}
	e.canaries.checks = slices.Clone(checks)
	e.canaries.mu.Unlock()
	e.judgeCanaries()
}

// Frozen reports whether verdicts are frozen now.
func (e *Engine) Frozen() bool {
	frozen, _ := e.canaries.frozen()
	return frozen
}

// Canaries returns the canaries, which must not be changed.
func (e *Engine) Canaries() []*Check {
	e.canaries.mu.Lock()
	defer e.canaries.mu.Unlock()
	return e.canaries.checks
}

// heed judges the canaries if the check, of which something is new, is one of them. It is called without a lock.
func (e *Engine) heed(c *Check) {
	if c.canary.Load() {
		e.judgeCanaries()
	}
}

// judgeCanaries freezes or thaws verdicts. Several that run at the same time come one after the other, and the last one has seen all.
func (e *Engine) judgeCanaries() {
	k := &e.canaries
	k.mu.Lock()
	defer k.mu.Unlock()
	all := len(k.checks) > 0 && !slices.ContainsFunc(k.checks, func(c *Check) bool { return !c.fails() })
	if was, _ := k.frozen(); was == all {
		return
	}
	k.turns.Add(1)
	if !all {
		e.clearRuns()
	}
	e.observer.Frozen(all, k.checks)
}

// fails reports whether the check is unhealthy or could not tell the last time.
func (c *Check) fails() bool {
	s := c.State()
	return s.Status == Unhealthy || !s.LastAt.IsZero() && s.Last.Outcome == probe.CannotTell
}

// clearRuns makes every check count anew, canaries aside: what a run began with when this server was about to be cut off proves nothing. Verdicts
// stay.
func (e *Engine) clearRuns() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.checks {
		if !c.canary.Load() {
			c.clearRun()
		}
	}
}

func (c *Check) clearRun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Counter.Passes, c.state.Counter.Fails = 0, 0
	c.foresee(c.spec().Probe)
}
