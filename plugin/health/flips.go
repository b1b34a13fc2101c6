package health

import (
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Flips returns the earliest instant at which attempts could turn the check from usable to not, or back: if all of them went the
// other way from now on and took no time (spec 4.13, `ttl A-B`; T-287, T-288). It is zero if they never can, because there are
// none. It may have passed already while an attempt is under way. A calculated check can turn with the first of its children.
// It takes no lock.
func (c *Check) Flips() time.Time {
	var first time.Time
	for _, group := range c.children {
		for _, child := range group {
			if at := child.Flips(); !at.IsZero() && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
	}
	if nanos := c.flips.Load(); nanos != 0 {
		first = time.Unix(0, nanos)
	}
	return first
}

// foresee stores when the check could turn; it is called with mu held, after all that it depends on has changed.
func (c *Check) foresee(p *config.Probe) {
	c.flips.Store(0)
	if at := c.state.flips(p); !at.IsZero() {
		c.flips.Store(at.UnixNano())
	}
}

// flips is Check.Flips for a check that makes attempts or is pushed.
func (s State) flips(p *config.Probe) time.Time {
	if p.Type == config.ProbePush && p.Assume == "" && s.Status != Stopped {
		return time.Unix(0, 1) // somebody may tell at any moment: as soon as can be
	}
	if s.Next.IsZero() || s.Status == Stopped || !p.IsAttempted() {
		return time.Time{}
	}
	left := p.Fall - s.Counter.Fails
	switch {
	case s.Counter.Verdict == Down:
		left = p.Rise - s.Counter.Passes
	case s.Counter.Verdict == NoVerdict && (p.Initial == config.InitialFirst || p.Initial == config.InitialExcluded && !p.Invert):
		left = 1
	}
	return s.Next.Add(time.Duration(max(1, left)-1) * p.Interval)
}
