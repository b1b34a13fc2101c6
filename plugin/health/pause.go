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
	c.want(l, wanted)
	c.mu.Unlock()
	l.engine.settle(c)
}

// Anew lets the check begin anew, as Want does after a pause, if no other lease wants attempts on it and no calculated check that is wanted counts
// it; it reports whether it did. This lease wants attempts on it from then on. A target that is registered again takes this way (spec 3.2, T-214):
// nothing that was known of it counts, and its first pass admits it where it would admit a new one. A check that was not started yet just loses
// what it took over. All users of this lease share the check, so the caller asks first whether another of them uses it.
func (l *Lease) Anew(c *Check) bool {
	e := l.engine
	c.mu.Lock()
	if c.stopped || !slices.ContainsFunc(c.holds, l.has) {
		c.mu.Unlock()
		return false
	}
	others := slices.ContainsFunc(c.holds, func(h hold) bool { return h.lease != l && !h.idle })
	if c.paused || others || c.wantedAbove() {
		paused := c.paused
		c.mu.Unlock()
		l.Want(c, true)
		return paused
	}
	c.want(l, true)
	before, now := c.state, e.clock.Now()
	if c.begun {
		c.disarm()
	}
	e.restart(c, now, c.begun)
	c.foresee(c.spec().Probe)
	news := c.news(before)
	c.mu.Unlock()
	e.tell(c, news, nil)
	return true
}

// want notes whether the lease wants attempts; it is called with mu held.
func (c *Check) want(l *Lease, wanted bool) {
	holds := slices.Clone(c.holds) // a copy: the attempt under way may be reading
	if i := slices.IndexFunc(holds, l.has); i >= 0 {
		holds[i].idle = !wanted
		c.holds = holds
	}
}

// restart takes the verdict away, and begins with an attempt at once if the check is to be attempted. It is called with c.mu held.
func (e *Engine) restart(c *Check, now time.Time, attempted bool) {
	p := c.spec().Probe
	c.state.Verdict, c.votes = NoVerdict, nil
	c.set(p, Counter{}, now)
	c.state.Since = now
	if c.begun = attempted && p.IsAttempted() && !c.halted; c.begun {
		e.rejoin(c, now)
	}
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
		e.restart(c, now, true)
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
