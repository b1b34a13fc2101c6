package route

import (
	"time"

	"github.com/healthroute/healthroute/plugin/health"
)

// Flips returns the earliest instant at which the usability of any candidate could change, here or behind an alias, if all attempts from now on
// went the other way (spec 4.13, `ttl A-B`). Zero if none can. It takes locks for groups with `hold` alone.
func (s *Set) Flips() time.Time {
	var first time.Time
	note := func(at time.Time) {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	candidates := s.Candidates
	if s.Balance != nil { // targets decide about their sites' addresses too
		candidates = append(candidates[:len(candidates):len(candidates)], s.Balance.targets...)
		for _, site := range s.Balance.Sites {
			for _, check := range s.Group.balancer.watch(site.Site, s.Type) {
				note(s.Group.flips(check))
			}
		}
	}
	for _, c := range candidates {
		if !c.eligible() || c.Record.Admin() == health.Always {
			continue
		}
		if c.Target != nil {
			if behind := c.Target.setOf(s.Type); behind != nil {
				note(behind.Flips())
			}
		}
		for _, check := range c.Record.ChecksFor(s.Type) {
			note(s.Group.flips(check))
		}
	}
	return first
}

// flips is when the check could begin or cease to let a record of the group answer.
func (g *Group) flips(c *health.Check) time.Time {
	at := c.Flips()
	if g.hold == 0 || at.IsZero() {
		return at
	}
	state := c.State()
	if until := state.HeldUntil(g.hold); until.After(g.now()) {
		return until // a failure would only make it longer
	}
	if state.Status == health.Unhealthy {
		return at.Add(g.hold)
	}
	return at
}

// TTL is how long an answer with the record may be kept, in whole seconds: what it has, or within its `ttl A-B` until something among the
// sets that led to it could change.
func (r *Record) TTL(fixed uint32, now time.Time, sets ...*Set) uint32 {
	return adaptive(r.Config.MinTTL, r.Config.TTL, fixed, now, sets)
}

// TTLNow is the same for an answer of the group without a record.
func (g *Group) TTLNow(now time.Time, sets ...*Set) uint32 {
	return adaptive(g.minTTL, time.Duration(g.TTL)*time.Second, g.TTL, now, sets)
}

func adaptive(lowest, highest time.Duration, fixed uint32, now time.Time, sets []*Set) uint32 {
	if lowest == 0 {
		return fixed
	}
	left := highest
	for _, s := range sets {
		if at := s.Flips(); !at.IsZero() {
			left = min(left, at.Sub(now))
		}
	}
	return uint32(max(lowest, left) / time.Second)
}
