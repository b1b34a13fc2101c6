package health

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// waits reports whether the check's first attempt is still to be scheduled.
func (c *Check) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.begun && c.spec.Probe.Assume == ""
}

// begin schedules the first attempt of a check, once.
func (e *Engine) begin(c *Check, delay time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun || c.stopped {
		return
	}
	c.begun = true
	e.schedule(c, e.clock.Now().Add(delay))
}

// schedule sets the timer of the next attempt; it is called with c.mu held.
func (e *Engine) schedule(c *Check, due time.Time) {
	c.due, c.state.Next = due, due
	c.unset = e.clock.AfterFunc(max(0, due.Sub(e.clock.Now())), func() { e.start(c) })
}

// start makes an attempt. The next one is scheduled when it has ended, so that two never overlap.
func (e *Engine) start(c *Check) {
	c.mu.Lock()
	if c.stopped || c.running {
		c.mu.Unlock()
		return
	}
	began := e.clock.Now()
	due := c.due
	ctx, cancel := context.WithCancel(context.Background())
	c.running, c.abandon = true, cancel
	c.attempts.Add(1)
	c.mu.Unlock()

	e.observer.AttemptStarted(c, began.Sub(due))
	e.run(ctx, c, func(r probe.Result) {
		cancel()
		e.finish(c, due, r)
	})
}

// attempt is a server's Runner: it tests the target within the probe's timeout. A panic counts as an attempt
// that could not tell, and the check goes on.
func (e *Engine) attempt(ctx context.Context, c *Check, done func(probe.Result)) {
	c.mu.Lock()
	spec := c.spec
	c.mu.Unlock()
	done(func() (r probe.Result) {
		defer func() {
			if v := recover(); v != nil {
				e.observer.ProbePanicked(c, v)
				r = probe.Result{Outcome: probe.CannotTell, Reason: fmt.Sprintf("the probe panicked: %v", v)}
			}
		}()
		ctx, cancel := context.WithTimeout(ctx, spec.Probe.Timeout)
		defer cancel()
		return spec.Prober.Attempt(ctx, spec.Target)
	}())
}

// finish counts the result of the attempt that was due at the given time, schedules the next one and tells
// everybody. The result of a check that was stopped meanwhile is dropped.
func (e *Engine) finish(c *Check, due time.Time, r probe.Result) {
	defer c.attempts.Done()
	c.mu.Lock()
	c.running, c.abandon = false, nil
	if c.stopped {
		c.mu.Unlock()
		return
	}
	now := e.clock.Now()
	before := c.state
	p := c.spec.Probe
	firstEver := !c.Attempted()
	c.set(before.Counter.Step(rulesOf(p), r.Outcome), now)
	c.state.Last, c.state.LastAt = r, now
	after := c.state
	e.schedule(c, e.next(p, due, now, firstEver))
	leases := c.leases
	c.mu.Unlock()

	e.observer.AttemptEnded(c, r)
	if after.Status != before.Status {
		e.observer.Transition(c, Transition{
			From: before.Status, To: after.Status, At: now, Lasted: now.Sub(before.Since),
			Run: max(after.Counter.Passes, after.Counter.Fails), Reason: r.Reason,
		})
	}
	if after.Usable != before.Usable {
		for _, l := range leases {
			if l.onChange != nil {
				l.onChange(c)
			}
		}
	}
	if firstEver {
		close(c.first) // last: whoever waited finds the views rebuilt
	}
}

// next is when the attempt after the one that was due at that time starts: an interval later, counted as
// the probe says. Jitter keeps checks of equal intervals apart: the wait after the very first attempt is
// between half and a whole interval, so that a common start does not become a herd; later waits differ by up to
// a twentieth either way.
func (e *Engine) next(p *config.Probe, due, now time.Time, first bool) time.Time {
	from := due
	if p.FromEnd {
		from = now
	}
	wait := p.Interval
	switch {
	case e.jitter && first:
		wait = wait/2 + rand.N(wait/2)
	case e.jitter:
		wait += rand.N(wait/10) - wait/20
	}
	if at := from.Add(wait); at.After(now) {
		return at
	}
	return now
}
