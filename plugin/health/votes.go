package health

import (
	"fmt"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// vote is another observer's verdict on a check.
type vote struct {
	verdict Verdict
	at      time.Time
}

// SetObservers says how many observers there are, ourselves included. A check is checking until at least half of them have a
// verdict on it (spec 2.5, P-3). It is 1 until told otherwise.
func (e *Engine) SetObservers(n int) { e.observers.Store(int32(n)) }

// Vote notes what another observer says of the check with the identity, and since when it has been known; NoVerdict takes its
// verdict back. A verdict counts as long as it is fresh: three intervals and a timeout, so an observer repeats it after each
// attempt. An earlier one than that which is known is ignored. It reports whether there is such a check; nothing is kept for
// others. The check's status follows at once: our own verdict is one among all (spec 2.6).
func (e *Engine) Vote(identity, observer string, v Verdict, at time.Time) bool {
	e.mu.Lock()
	c := e.checks[identity]
	e.mu.Unlock()
	if c == nil {
		return false
	}
	c.mu.Lock()
	if at.Before(c.votes[observer].at) || c.stopped {
		c.mu.Unlock()
		return true
	}
	before, now, p := c.state, e.clock.Now(), c.spec().Probe
	if c.votes == nil {
		c.votes = map[string]vote{}
	}
	if c.votes[observer] = (vote{v, at}); v == NoVerdict {
		delete(c.votes, observer)
	}
	c.judge(p, now)
	n, h := c.tally(p, now)
	news := c.news(before)
	c.mu.Unlock()
	e.tell(c, news, &Transition{At: now, Reason: fmt.Sprintf("%d of %d observers say up", h, n)})
	return true
}

// ForceVotes is Force for a check with several observers: our own verdict, as if attempts had earned it, and those of the others by
// name. What was known of others before is forgotten.
func (e *Engine) ForceVotes(c *Check, own Verdict, others map[string]Verdict) {
	c.force(e, func(now time.Time) Verdict {
		c.votes = make(map[string]vote, len(others))
		for observer, v := range others {
			c.votes[observer] = vote{v, now}
		}
		return own
	})
}

// Identity names the check among observers: it is the same wherever the same is sent and compared.
func (c *Check) Identity() string { return c.identity }

// Spec returns what the check was asked for with, the newest time.
func (c *Check) Spec() Spec {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spec()
}

// window is how long a verdict counts (spec 2.6).
func window(p *config.Probe) time.Duration { return 3*p.Interval + p.Timeout }

// together is the verdict of all observers: our own if there are no others. Without a fresh one the last verdict stays, and the
// first one takes at least half of the observers (spec 2.5, 2.6). It is called with mu held.
func (c *Check) together(p *config.Probe, now time.Time) Verdict {
	observers := int(c.engine.observers.Load())
	if observers <= 1 && len(c.votes) == 0 {
		return c.state.Counter.Verdict
	}
	n, h := c.tally(p, now)
	if n == 0 || c.state.Verdict == NoVerdict && 2*n < observers {
		return c.state.Verdict
	}
	return Quorum(p.Quorum, n, h)
}

// tally counts the observers with a fresh verdict, and those that say up; stale ones are forgotten. It is called with mu held.
func (c *Check) tally(p *config.Probe, now time.Time) (n, h int) {
	count := func(v vote) bool {
		if v.verdict == NoVerdict || now.Sub(v.at) > window(p) {
			return false
		}
		n++
		if v.verdict == Up {
			h++
		}
		return true
	}
	count(vote{c.state.Counter.Verdict, c.told})
	for observer, v := range c.votes {
		if !count(v) {
			delete(c.votes, observer)
		}
	}
	return n, h
}
