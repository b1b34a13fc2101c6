package health

import (
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// A pushed check makes no attempts: somebody tells whether it is healthy (spec 2.8). What was told last stands in State.Last and its time
// in State.LastAt; it counts for the probe's max_age, and then what the probe says of missing data does. So it always has a verdict.

// Push tells the checks of the push probes with the name what they are: Pass is healthy and Fail is not, at once; CannotTell tells
// nothing. at is when that was so; a time to come counts as now. What is older than what was told before is ignored. reason is one line
// for people. Push returns the number of checks that it reached.
func (e *Engine) Push(name string, o probe.Outcome, at time.Time, reason string) int {
	reached := 0
	for _, c := range e.pushed(name) {
		e.pushTo(c, o, at, reason)
		reached++
	}
	return reached
}

// pushed are the checks of the push probes with the name, which several stanzas may have.
func (e *Engine) pushed(name string) []*Check {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []*Check
	for _, c := range e.checks {
		if p := c.Probe(); p.Type == config.ProbePush && strings.EqualFold(p.Name, name) {
			out = append(out, c)
		}
	}
	return out
}

func (e *Engine) pushTo(c *Check, o probe.Outcome, at time.Time, reason string) {
	c.mu.Lock()
	now := e.clock.Now()
	if at.After(now) {
		at = now
	}
	if c.stopped || o == probe.CannotTell || at.Before(c.state.LastAt) {
		c.mu.Unlock()
		return
	}
	before := c.state
	c.state.Last, c.state.LastAt = probe.Result{Outcome: o, Reason: reason}, at
	c.judge(c.spec().Probe, now)
	e.expire(c)
	news := c.news(before)
	c.mu.Unlock()
	e.tell(c, news, &Transition{At: now, Reason: reason})
}

// expire plans what happens when what was told gets too old. It is called with c.mu held, or before anybody else knows c.
func (e *Engine) expire(c *Check) {
	if c.unexpire != nil {
		c.unexpire()
		c.unexpire = nil
	}
	p := c.spec().Probe
	c.foresee(p)
	if c.state.LastAt.IsZero() || c.stopped {
		return
	}
	told := c.state.LastAt
	left := told.Add(p.Push.MaxAge).Sub(e.clock.Now())
	if left > 0 {
		c.unexpire = e.timers.AfterFunc(left, func() { e.expired(c, told) })
	}
}

// expireAnew plans it for a check that took over what an earlier definition was told.
func (e *Engine) expireAnew(c *Check) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.expire(c)
}

// pretend is what Force tells a pushed check; without a verdict all that was told is forgotten. It is called with c.mu held.
func (e *Engine) pretend(c *Check, v Verdict, now time.Time) {
	c.state.Last, c.state.LastAt = probe.Result{}, time.Time{}
	if v != NoVerdict {
		c.state.LastAt = now
	}
	if v == Down {
		c.state.Last.Outcome = probe.Fail
	}
	e.expire(c)
}

// expired judges a check whose data was told at the time, if nothing newer was.
func (e *Engine) expired(c *Check, told time.Time) {
	c.mu.Lock()
	if c.stopped || !c.state.LastAt.Equal(told) {
		c.mu.Unlock()
		return
	}
	before, now := c.state, e.clock.Now()
	c.judge(c.spec().Probe, now)
	news := c.news(before)
	c.mu.Unlock()
	e.tell(c, news, &Transition{At: now, Reason: "nothing was pushed for " + config.FormatDuration(now.Sub(told).Round(time.Millisecond))})
}

// pushedVerdict is the verdict on a pushed check: what was told last while it is fresh, and what the probe says of missing data then. It is called
// with mu held, or before anybody else knows c.
func (c *Check) pushedVerdict(p *config.Probe, now time.Time) Verdict {
	known := !c.state.LastAt.IsZero()
	fresh := known && now.Sub(c.state.LastAt) < p.Push.MaxAge
	switch {
	case fresh, known && p.Push.Missing == config.MissingLast:
		if c.state.Last.Outcome == probe.Pass {
			return Up
		}
		return Down
	case p.Push.Missing == config.MissingUnhealthy:
		return Down
	}
	return Up // spec 2.8: so it is also where the last state counts and there is none
}
