package health

// Force gives a check a status as if its attempts had earned it: checking, healthy or unhealthy. Its counters begin anew, its
// attempts go on. Scenarios set their stage with it.
func (e *Engine) Force(c *Check, s Status) {
	c.mu.Lock()
	p := c.spec().Probe
	verdict := NoVerdict
	for _, v := range []Verdict{Up, Down} {
		if statusOf(v, p) == s {
			verdict = v
		}
	}
	was := c.state.Usable
	c.set(p, Counter{Verdict: verdict}, e.clock.Now())
	changed, holds := was != c.state.Usable, c.holds
	c.mu.Unlock()
	if changed {
		tell(c, holds)
	}
}
