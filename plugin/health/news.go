package health

// news is what changed of a check, and who wants to know.
type news struct {
	before, after State
	holds         []hold
	parents       []*Check
}

// news compares the state with the one before; it is called with mu held.
func (c *Check) news(before State) news {
	return news{before: before, after: c.state, holds: c.holds, parents: c.parents}
}

// matters reports whether something could be answered differently: the check became usable or ceased to be, became eligible or
// ceased to be, or a hold began to run (State.HeldUntil).
func (n news) matters() bool {
	stops := (n.before.Status == Stopped) != (n.after.Status == Stopped)
	earned := n.before.Recovery.clean.IsZero() && !n.after.Recovery.clean.IsZero()
	return n.before.Usable != n.after.Usable || stops || earned
}

// tell tells the observer of a transition, if t is not nil and there is one, and whoever uses the check that it matters. At and Reason of
// t are set. It is called without a lock.
func (e *Engine) tell(c *Check, n news, t *Transition) {
	if n.before.Status != n.after.Status {
		e.changes.Add(1)
	}
	if t != nil && n.before.Status != n.after.Status {
		t.From, t.To, t.Lasted = n.before.Status, n.after.Status, t.At.Sub(n.before.Since)
		e.observer.Transition(c, *t)
	}
	if !n.matters() {
		return
	}
	for _, h := range n.holds {
		if h.lease.onChange != nil {
			h.lease.onChange(c)
		}
	}
	for _, p := range n.parents {
		e.recount(p)
	}
}
