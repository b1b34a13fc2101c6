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
	return !c.begun && !c.paused && !c.halted && c.spec().Probe.IsAttempted()
}

// begin sets the timer of a check's first attempt, once.
func (e *Engine) begin(c *Check, delay time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun || c.stopped || c.paused || c.halted {
		return
	}
	c.begun = true
	c.state.Next = e.clock.Now().Add(delay)
	c.foresee(c.spec().Probe)
	e.arm(c)
}

// arm sets the timer of the next attempt; it is called with c.mu held.
func (e *Engine) arm(c *Check) {
	epoch := c.epoch
	c.unset = e.clock.AfterFunc(max(0, c.state.Next.Sub(e.clock.Now())), func() { e.start(c, epoch) })
}

// start makes an attempt. The timer of the next one is set when everybody knows of its end, so that two never overlap and
// what follows from them is told in their order.
func (e *Engine) start(c *Check, epoch int) {
	c.mu.Lock()
	if c.stopped || c.epoch != epoch {
		c.mu.Unlock()
		return
	}
	began := e.clock.Now()
	lag := began.Sub(c.state.Next)
	ctx, cancel := context.WithCancel(context.Background())
	c.abandon = cancel
	c.attempts.Add(1)
	c.mu.Unlock()

	e.observer.AttemptStarted(c, lag)
	e.run(ctx, c, func(r probe.Result) {
		cancel()
		e.finish(c, epoch, began, r)
	})
}

// attempt is a server's Runner: it tests the target within the probe's timeout. A panic counts as an attempt
// that could not tell, and the check goes on.
func (e *Engine) attempt(ctx context.Context, c *Check, done func(probe.Result)) {
	c.mu.Lock()
	spec := c.spec()
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

// finish counts the result of the attempt that began at the given time, tells everybody and sets the timer of the next
// one. The result of a check that was stopped or paused meanwhile is dropped.
func (e *Engine) finish(c *Check, epoch int, began time.Time, r probe.Result) {
	defer c.attempts.Done()
	c.mu.Lock()
	if c.stopped || c.epoch != epoch {
		c.mu.Unlock()
		return
	}
	c.abandon = nil
	now := e.clock.Now()
	before := c.state
	p := c.spec().Probe
	if r.Outcome != probe.CannotTell {
		c.told = now
	}
	c.set(p, before.Counter.Step(rulesOf(p), r.Outcome), now)
	c.recover(p, r.Outcome, before.Status, now)
	c.state.Last, c.state.LastAt = r, now
	if r.Expires != 0 { // a server that is down has not lost its certificate
		c.state.Expires = r.Expires
	}
	c.state.Next = e.next(c, p, began, now)
	c.foresee(p)
	news := c.news(before)
	c.mu.Unlock()

	e.observer.AttemptEnded(c, r)
	run := max(news.after.Counter.Passes, news.after.Counter.Fails)
	e.tell(c, news, &Transition{At: now, Run: run, Reason: r.Reason})

	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.Attempted() {
		close(c.first) // after the callbacks: whoever waited finds the views rebuilt
	}
	if !c.stopped && c.epoch == epoch {
		e.arm(c)
	}
}

// next is when the attempt after the one that began and ended then starts: an interval later, counted as the probe
// says, and never before now. Jitter keeps checks of equal intervals apart: the wait after a check's own first attempt
// is between half and a whole interval, so that a common start does not become a herd; later waits differ by up to a
// twentieth either way. It is called with c.mu held.
func (e *Engine) next(c *Check, p *config.Probe, began, ended time.Time) time.Time {
	from := began
	if p.FromEnd {
		from = ended
	}
	wait := p.Interval
	switch {
	case e.jitter && !c.apart:
		wait = wait/2 + rand.N(wait/2)
	case e.jitter:
		wait += rand.N(wait/10) - wait/20
	}
	c.apart = true
	if at := from.Add(wait); at.After(ended) {
		return at
	}
	return ended
}
