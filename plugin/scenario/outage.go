package scenario

import (
	"slices"

	"github.com/healthroute/healthroute/plugin/health"
)

// outage is an Outage while it is watched.
type outage struct {
	Outage
	targets []string
	dead    bool   // answers have a dead value now
	ttl     uint32 // of those
}

func newOutage(f waiting, at Seconds) *outage {
	return &outage{
		Outage:  Outage{Object: f.Object, Behaviour: f.Behaviour, At: at, Checks: []string{}, Answered: new(Seconds), Held: new(Seconds)},
		targets: f.targets,
	}
}

// judge takes note of an instant: what is asked about, what it answers, how the targets behave.
func (o *outage) judge(at Seconds, asked []*health.Check, now Distribution, behaviours map[string]BehaviourKind) {
	if o.Back != nil {
		return
	}
	since := at - o.At
	isDown := func(c *health.Check) bool { return o.isDown(c, behaviours) }
	o.detect(since, asked, isDown)

	dead, ttl := false, uint32(0)
	for _, p := range now.Possible {
		if d, t := p.dead(isDown); d {
			dead, ttl = true, max(ttl, t)
		}
	}
	switch {
	case dead:
		o.Answered, o.Held = nil, nil
		o.ttl = max(o.ttl, ttl)
		o.TTL = max(o.TTL, ttl)
	case o.dead:
		o.Answered, o.Held = new(since), new(since+o.left())
		o.ttl = 0
	}
	o.dead = dead

	if !slices.ContainsFunc(o.targets, func(t string) bool { return behaviours[t] != Up }) {
		o.Back = new(since)
		*o.Held = min(*o.Held, since)
	}
}

// isDown reports whether the outage makes attempts of the check fail, or takes too many of those that a calculated one counts.
func (o *outage) isDown(c *health.Check, behaviours map[string]BehaviourKind) bool {
	if children := c.Children(); children != nil {
		left := 0
		for _, child := range children {
			if len(child) == 0 || slices.ContainsFunc(child, func(c *health.Check) bool { return !o.isDown(c, behaviours) }) {
				left++
			}
		}
		return left < c.Probe().Children.Needed(len(children))
	}
	_, target := targetKeys(c.Target())
	return slices.Contains(o.targets, target) && behaviours[target] != Up
}

// left is how long clients may keep the last answer with a dead value.
func (o *outage) left() Seconds { return Seconds(o.ttl) * 1e9 }

// detect notes when all checks of the outage are unhealthy.
func (o *outage) detect(since Seconds, asked []*health.Check, isDown func(*health.Check) bool) {
	down, all := false, true
	for _, c := range asked {
		if !isDown(c) {
			continue
		}
		if name := c.String(); !slices.Contains(o.Checks, name) {
			o.Checks = append(o.Checks, name)
		}
		down, all = true, all && c.State().Status == health.Unhealthy
	}
	if down && all && o.Detection == nil {
		o.Detection = &since
	}
}
