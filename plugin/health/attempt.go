package health

import (
	"context"
	"fmt"
	"time"

	"github.com/healthroute/healthroute/plugin/probe"
)

// begun is an attempt under way.
type begun struct {
	epoch int
	slow  bool          // the kind of place that it has taken
	at    time.Time     // when it began
	lag   time.Duration // since it was due
	turn  uint32        // of the canaries, when it began
}

// start makes an attempt, which has taken a place. The timer of the next one is set when everybody knows of its end, so that two never
// overlap and what follows from them is told in their order.
func (e *Engine) start(c *Check, epoch int, slow bool) {
	c.mu.Lock()
	if c.stopped || c.epoch != epoch {
		c.mu.Unlock()
		e.admit(e.slots.leave(slow))
		return
	}
	a := begun{epoch: epoch, slow: slow, at: e.clock.Now()}
	a.lag = a.at.Sub(c.state.Next)
	_, a.turn = e.canaries.frozen()
	ctx, cancel := e.context(c)
	c.abandon, c.queued = cancel, nil
	c.running++
	c.mu.Unlock()

	e.observer.AttemptStarted(c, a.lag)
	e.run(ctx, c, func(r probe.Result) {
		cancel()
		e.finish(c, a, r)
	})
}

// context is that of an attempt which begins now: abandoning it ends it, and so does the probe's timeout unless a Runner of the caller has its own
// idea of time. It is called with c.mu held.
func (e *Engine) context(c *Check) (context.Context, context.CancelFunc) {
	if e.own {
		return context.WithTimeout(context.Background(), c.spec().Probe.Timeout)
	}
	return context.WithCancel(context.Background())
}

// attempt is a server's Runner: it tests the target. A panic counts as an attempt that could not tell, and the check goes on.
func (e *Engine) attempt(ctx context.Context, c *Check, done func(probe.Result)) {
	spec := c.Spec()
	done(func() (r probe.Result) {
		defer func() {
			if v := recover(); v != nil {
				e.observer.ProbePanicked(c, v)
				r = probe.Result{Outcome: probe.CannotTell, Cause: probe.OtherCause, Reason: fmt.Sprintf("the probe panicked: %v", v)}
			}
		}()
		return spec.Prober.Attempt(ctx, spec.Target)
	}())
}

// finish counts the result of an attempt, tells everybody and sets the timer of the next one. The result of a check that was stopped or
// paused meanwhile is dropped.
func (e *Engine) finish(c *Check, a begun, r probe.Result) {
	defer c.over()
	e.admit(e.slots.leave(a.slow))
	c.mu.Lock()
	if c.stopped || c.epoch != a.epoch {
		c.mu.Unlock()
		return
	}
	c.abandon = nil
	now := e.clock.Now()
	before := c.state
	e.count(c, a, r, now)
	news := c.news(before)
	c.mu.Unlock()
	if before.Counter.turning() != news.after.Counter.turning() {
		e.changes.Add(1)
	}

	e.observer.AttemptEnded(c, r)
	if was := !before.LastAt.IsZero() && before.Last.Outcome == probe.CannotTell; was != (r.Outcome == probe.CannotTell) {
		e.observer.Untestable(c, !was, r)
	}
	run := max(news.after.Counter.Passes, news.after.Counter.Fails)
	e.tell(c, news, &Transition{At: now, Run: run, Reason: r.Reason})
	e.heed(c)

	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.Attempted() {
		close(c.first) // after the callbacks: whoever waited finds the views rebuilt, or about to be
	}
	if !c.stopped && c.epoch == a.epoch {
		e.arm(c)
	}
}

// over counts that an attempt has ended. The lease that stopped the check, if one has, waits for that.
func (c *Check) over() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if c.stopped {
		c.holds[0].lease.ending.Done()
	}
}

// count enters a result into the check's state. One of an attempt during which verdicts were frozen, if only for a part of it, moves no counter. It is
// called with c.mu held.
func (e *Engine) count(c *Check, a begun, r probe.Result, now time.Time) {
	p := c.spec().Probe
	frozen, turn := e.canaries.frozen()
	before := c.state
	if !frozen && turn == a.turn || c.canary.Load() {
		if r.Outcome != probe.CannotTell {
			c.told = now
		}
		c.set(p, before.Counter.Step(rulesOf(p), r.Outcome), now)
		c.recover(p, r.Outcome, before.Status, now)
	}
	c.slow = now.Sub(a.at) >= p.Timeout/2
	c.remember(now, r)
	c.state.Last, c.state.LastAt = r, now
	if r.Expires != 0 { // a server that is down has not lost its certificate
		c.state.Expires = r.Expires
	}
	turned := before.Counter.Verdict != NoVerdict && c.state.Counter.Verdict != before.Counter.Verdict
	c.state.Next = e.next(c, p, a, now, turned)
	c.foresee(p)
}
