package health

// AttemptNow makes the next attempt of the check due at once, when somebody wants to know. It reports whether one is about to be made or under way: not
// of a check that makes none, is paused or has stopped. The check gets another phase by it, as after any attempt out of its turn, so that many that are
// asked for together do not march in step.
func (e *Engine) AttemptNow(c *Check) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.spec().Probe
	if c.stopped || c.paused || c.halted || !p.IsAttempted() {
		return false
	}
	switch {
	case c.unset == nil, c.abandon != nil, c.queued != nil: // it is about to begin, under way, or waits for its turn
		return true
	case c.unset():
		e.rejoin(c, e.clock.Now())
	default: // its timer has fired just now, or will be set as soon as everybody knows how the last attempt ended
		c.apart = false
		c.state.Next = e.turn(e.clock.Now(), p.Interval)
	}
	c.foresee(p)
	return true
}
