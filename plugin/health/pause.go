package health

import (
	"slices"
	"time"
)

// Want says whether the lease's configuration wants attempts on the check; it does until told otherwise. A check that no lease
// wants is paused: no attempt is made, and one under way is dropped. When one wants it again it starts anew, without a verdict
// and with an attempt at once (spec 3.2, 4.15), even if the one that was dropped has not quite ended. What a calculated check counts is
// attempted as long as that one is wanted.
func (l *Lease) Want(c *Check, wanted bool) {
	c.mu.Lock()
	holds := slices.Clone(c.holds) // a copy: the attempt under way may be reading
	if i := slices.IndexFunc(holds, l.has); i >= 0 {
		holds[i].idle = !wanted
		c.holds = holds
	}
	c.mu.Unlock()
	l.engine.settle(c)
}

// settle pauses or resumes the check as its leases want.
func (e *Engine) settle(c *Check) {
	c.mu.Lock()
	wanted := slices.ContainsFunc(c.holds, func(h hold) bool { return !h.idle }) || c.wantedAbove()
	if wanted != c.paused || c.stopped {
		c.mu.Unlock()
		return
	}
	c.paused = !wanted
	c.disarm()
	c.state.Next = time.Time{}
	before, now, p := c.state, e.clock.Now(), c.spec().Probe
	c.idle.Store(c.paused)
	if wanted {
		c.state.Verdict, c.votes = NoVerdict, nil
		c.set(p, Counter{}, now)
		c.state.Since = now
		c.begun = p.IsAttempted() && !c.halted
		if c.begun {
			e.rejoin(c, now)
		}
	} else if !c.Attempted() {
		close(c.first) // there is nothing to wait for
	}
	c.foresee(p)
	news := c.news(before)
	c.mu.Unlock()
	e.tell(c, news, nil)
	e.wakeChildren(c)
}

// disarm calls the next attempt off and drops one that is under way: what belongs to an earlier epoch does not count.
// It is called with mu held.
func (c *Check) disarm() {
	c.epoch++
	if c.unset != nil {
		c.unset()
	}
	if c.abandon != nil {
		c.abandon()
	}
	if c.queued != nil {
		c.engine.slots.remove(c.queued)
	}
	c.unset, c.abandon, c.queued = nil, nil, nil
}
