package health

import (
	"fmt"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// A calculated check makes no attempts: its raw status is counted from its children's, whenever one of them becomes usable or ceases to
// be (spec 2.7). Children are never calculated themselves.

// Children returns what a calculated check counts, nil for another one. It must not be changed.
func (c *Check) Children() [][]*Check { return c.children }

// attach makes the check hear of its children; it is called before anybody else knows c.
func (c *Check) attach() {
	for _, group := range c.children {
		for _, child := range group {
			child.mu.Lock()
			if !slices.Contains(child.parents, c) {
				child.parents = append(slices.Clone(child.parents), c) // a copy: somebody may be telling them
			}
			child.mu.Unlock()
		}
	}
}

// detach ends that, after the check has stopped.
func (c *Check) detach() {
	for _, group := range c.children {
		for _, child := range group {
			child.mu.Lock()
			child.parents = slices.DeleteFunc(slices.Clone(child.parents), func(p *Check) bool { return p == c })
			child.mu.Unlock()
		}
	}
}

// count is the verdict of the children. A child without checks is healthy, as nobody looks; one with several is if one of them is usable.
func (c *Check) count(p *config.Probe) (v Verdict, healthy, needed int) {
	for _, group := range c.children {
		if len(group) == 0 || slices.ContainsFunc(group, (*Check).Usable) {
			healthy++
		}
	}
	if needed = p.Children.Needed(len(c.children)); healthy >= needed {
		return Up, healthy, needed
	}
	return Down, healthy, needed
}

// counted is what a count looks like among attempts.
func (c *Check) counted(p *config.Probe) probe.Result {
	v, healthy, needed := c.count(p)
	r := probe.Result{Outcome: probe.Pass, Reason: fmt.Sprintf("%d of %d healthy, %d needed", healthy, len(c.children), needed)}
	if v == Down {
		r.Outcome = probe.Fail
	}
	return r
}

// recount brings a calculated check up to date, and tells. Of several that run at the same time the last one has seen all.
func (e *Engine) recount(c *Check) {
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		return
	}
	before, now, p := c.state, e.clock.Now(), c.spec().Probe
	c.judge(p, now)
	c.state.Last, c.state.LastAt = c.counted(p), now
	news, reason := c.news(before), c.state.Last.Reason
	c.mu.Unlock()
	e.tell(c, news, &Transition{At: now, Reason: reason})
}

// wakeChildren lets the children of a calculated check be attempted, or not, as it is wanted or not. It is called without a lock.
func (e *Engine) wakeChildren(c *Check) {
	for _, group := range c.children {
		for _, child := range group {
			e.settle(child)
		}
	}
}

// wantedAbove reports whether a calculated check that is wanted counts this one; it is called with mu held.
func (c *Check) wantedAbove() bool {
	return slices.ContainsFunc(c.parents, func(p *Check) bool { return !p.idle.Load() })
}
