package health

import (
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Force gives a check a status as if it had earned it: checking, healthy or unhealthy. Its counters begin anew, its attempts go on, and
// what other observers said is forgotten. Stopped ends its attempts until it is forced to another status, which begins with an
// attempt at once. A status that the check cannot have, because of `assume` or because it is calculated, changes nothing.
func (e *Engine) Force(c *Check, s Status) {
	if s == Stopped {
		e.halt(c)
		return
	}
	c.force(e, func(time.Time) Verdict {
		c.votes = nil
		p := c.spec().Probe
		for _, v := range []Verdict{Up, Down} {
			if statusOf(v, p) == s {
				return v
			}
		}
		return NoVerdict
	})
}

// force gives the check the verdict that settle returns; that is called with mu held.
func (c *Check) force(e *Engine, settle func(now time.Time) Verdict) {
	c.mu.Lock()
	before, now, p := c.state, e.clock.Now(), c.spec().Probe
	v := settle(now)
	c.told, c.state.Verdict = now, v
	if p.Type == config.ProbePush {
		e.pretend(c, v, now)
	}
	resumes := c.halted
	c.halted = false
	c.set(p, Counter{Verdict: v}, now)
	if resumes && !c.stopped && !c.paused && p.IsAttempted() {
		c.begun = true
		e.rejoin(c, now)
	}
	c.foresee(p)
	news := c.news(before)
	c.mu.Unlock()
	e.tell(c, news, nil)
	e.heed(c)
}

// halt makes the check stopped (spec 3.1): whatever it tests is not meant to work, so that nobody tries.
func (e *Engine) halt(c *Check) {
	c.mu.Lock()
	before, p := c.state, c.spec().Probe
	c.halted = true
	c.disarm()
	c.state.Next = time.Time{}
	c.set(p, Counter{}, e.clock.Now())
	c.foresee(p)
	if !c.Attempted() {
		close(c.first) // there is nothing to wait for
	}
	news := c.news(before)
	c.mu.Unlock()
	e.tell(c, news, nil)
}
