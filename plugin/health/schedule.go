package health

import (
	"sync"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// When attempts are due. Checks of equal intervals must not march in step, neither after a start nor after whatever made many of them wait or
// begin together: each has a phase of its own on the circle of its interval, all phases equally likely, and keeps it.
//
//   - A check without a verdict begins as soon as it is its turn: startGap apart, for the whole process. Nobody knows whether
//     it works, so this round is quick: it is the one time at which there are more attempts than the intervals ask for.
//   - A check that took a verdict over from an earlier definition is in no hurry: such checks begin evenly over their interval, or calmGap apart
//     if they are few. One whose verdict is from before a restart is: it may be wrong by now.
//   - The second attempt of a check that began in a round comes at any time within an interval, so that the round leaves no trace.
//   - From then on an attempt is due an interval after the one before it was due (or, counted from the end, would have ended), up to
//     a twentieth sooner or later. An attempt that had to wait for its turn does not lose its phase by that, or a crowd that
//     waited together would stay one.
//   - An attempt that is later than half of its interval (the process stood still, or many wait) has lost its phase; it gets another one.
//   - Counted from the end, attempts that time out go round a larger circle than those that pass. Checks that all begin or cease to hang at once would
//     crowd in a part of it, so each gets another phase when its verdict turns: not before, when the next attempts are wanted soon.

// startGap is the time between first attempts: 5,000 begin in a second.
const startGap = 200 * time.Microsecond

// calmGap is the longest time between first attempts of checks that took a verdict over.
const calmGap = 100 * time.Millisecond

// pace deals out the turns of first attempts.
type pace struct {
	mu   sync.Mutex
	last time.Time // guarded by mu
}

// turn is the next free turn from now on, or false if that comes later than a length of time from now.
func (p *pace) turn(now time.Time, within time.Duration) (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.last.Add(startGap)
	switch {
	case !at.After(now):
		at = now
	case at.After(now.Add(within)):
		return at, false
	}
	p.last = at
	return at, true
}

// turn is when a first attempt is due that may begin now. Where more checks begin than fit into their interval, the rest begins at any
// time in it, so that nobody waits longer for a first attempt than for a second one.
func (e *Engine) turn(now time.Time, interval time.Duration) time.Time {
	if !e.jitter {
		return now
	}
	if at, ok := e.starts.turn(now, interval); ok {
		return at
	}
	return now.Add(e.drawn(interval))
}

// waits reports whether the check's first attempt is still to be scheduled.
func (c *Check) waits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.begun && !c.paused && !c.halted && c.spec().Probe.IsAttempted()
}

// circle is the time from one attempt to the next for a check that took a verdict over, if attempts take as long as the last one
// did; 0 for a check without a verdict, or with an old one.
func (c *Check) circle() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.spec().Probe
	switch {
	case c.state.Counter.Verdict == NoVerdict, c.stale:
		return 0
	case p.FromEnd:
		return p.Interval + c.state.Last.Duration
	}
	return p.Interval
}

// beginAll schedules the first attempts of checks.
func (e *Engine) beginAll(fresh []*Check) {
	now := e.clock.Now()
	calm := map[time.Duration][]*Check{} // by interval
	for _, c := range fresh {
		interval := c.Probe().Interval
		if c.circle() > 0 && e.jitter {
			calm[interval] = append(calm[interval], c)
			continue
		}
		e.begin(c, e.turn(now, interval), false)
	}
	for interval, checks := range calm {
		for i, c := range checks {
			gap := c.circle() / time.Duration(len(checks))
			if gap > calmGap { // so few that they are no crowd: soon, in a round
				e.begin(c, e.turn(now, interval).Add(calmGap*time.Duration(i)), false)
				continue
			}
			// As much blurred as what follows, so that the end of the first turn and the begin of the second one fit together.
			e.begin(c, now.Add(gap*time.Duration(i)+e.drawn(interval/10)), true)
		}
	}
}

// begin sets the timer of a check's first attempt, once.
func (e *Engine) begin(c *Check, at time.Time, apart bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun || c.stopped || c.paused || c.halted {
		return
	}
	c.begun, c.apart = true, apart
	c.state.Next = at
	c.foresee(c.spec().Probe)
	e.arm(c)
}

// rejoin schedules an attempt of a check that made none for a while, at once. It is called with c.mu held.
func (e *Engine) rejoin(c *Check, now time.Time) {
	c.apart = false
	c.state.Next = e.turn(now, c.spec().Probe.Interval)
	e.arm(c)
}

// arm sets the timer of the next attempt; it is called with c.mu held.
func (e *Engine) arm(c *Check) {
	epoch := c.epoch
	c.unset = e.clock.AfterFunc(max(0, c.state.Next.Sub(e.clock.Now())), func() { e.due(c, epoch) })
}

// next is when the attempt after the given one, which ended now, is due: never before now. Turned means that it changed the verdict. It is
// called with c.mu held.
func (e *Engine) next(c *Check, p *config.Probe, a begun, ended time.Time, turned bool) time.Time {
	from, wait := a.at, p.Interval
	if p.FromEnd {
		from = ended
	}
	late := a.lag > p.Interval/2
	turned = turned && p.FromEnd
	switch {
	case e.jitter && (late || !c.apart || turned && c.state.Counter.Verdict == Up):
		wait = e.drawn(wait) + 1 // never longer than the interval, which the bound of *check* on when a dead target is noticed relies on
	case late:
	case e.jitter && turned:
		circle := p.Interval + ended.Sub(a.at)
		wait += e.drawn(circle) - circle/2
	default:
		from = from.Add(-a.lag)
		if e.jitter {
			wait += e.drawn(wait/10) - wait/20
		}
	}
	c.apart = true
	if at := from.Add(wait); at.After(ended) {
		return at
	}
	return ended
}

// drawn is a length of time from 0 to below the limit.
func (e *Engine) drawn(limit time.Duration) time.Duration {
	return time.Duration(e.random(int64(limit)))
}
