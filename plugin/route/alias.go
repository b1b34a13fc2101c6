package route

import (
	"slices"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// alias is where a record without values of its own takes them from: a group, several of one name and different types, or one that stands for
// a pool or a balancer.
type alias struct {
	groups   []*Group
	evaluate bool
	min      config.MinHealthy
	check    *health.Check // the record's own; nil if it has none
}

// checks returns the alias's own check, if it has one.
func (a *alias) checks() []*health.Check {
	if a.check == nil {
		return nil
	}
	return []*health.Check{a.check}
}

// target returns the group behind the alias that answers the type. For ANY it is the one with addresses, if there is one: that is
// what a choice that does not look at the type is about.
func (a *alias) target(qtype uint16) *Group {
	if qtype == dns.TypeANY {
		if g := a.target(dns.TypeA); g != nil {
			return g
		}
		return a.groups[0]
	}
	for _, g := range a.groups {
		if g.Owns(qtype) {
			return g
		}
	}
	return nil
}

// setOf returns the choice of the view that answers the type. For ANY it is the records as wholes or, where nobody chooses so, the first type
// that has something usable.
func (v *View) setOf(qtype uint16) *Set {
	if qtype != dns.TypeANY {
		return v.Set(qtype)
	}
	if v.whole != nil {
		return v.whole.unlessEmpty()
	}
	if v.Group.balancer != nil {
		return v.bestFamily(config.MinHealthy{})
	}
	for _, s := range v.sets {
		if s.Usable() {
			return s
		}
	}
	if len(v.sets) == 0 {
		return nil
	}
	return v.sets[0].unlessEmpty()
}

// behind returns the choice of the view that answers the type through the alias.
func (a *alias) behind(v *View, qtype uint16) *Set {
	if qtype == dns.TypeANY && v.Group.balancer != nil {
		return v.bestFamily(a.min)
	}
	return v.setOf(qtype)
}

// bestFamily returns the choice of the family that a balancer is healthiest for: where nobody looks at the type first (spec 4.11), one is enough.
// It always has one.
func (v *View) bestFamily(min config.MinHealthy) *Set {
	rank := func(s *Set) int {
		switch {
		case s.eligible == 0:
			return 3
		case v.healthy(s, min):
			return 0
		case s.usable > 0:
			return 1
		}
		return 2
	}
	return slices.MinFunc(v.sets, func(a, b *Set) int { return rank(a) - rank(b) })
}

// alias judges an alias (spec 4.1, recordHealthy; 3.7): what an operator says, then whether anything behind it is eligible, then its own
// check and, if it evaluates its target, the target's health.
func (j *judge) alias(r *Record, qtype uint16) (Candidate, bool) {
	target := r.alias.target(qtype)
	if target == nil {
		return Candidate{}, false
	}
	view := target.View()
	set := r.alias.behind(view, qtype)
	if set == nil {
		return Candidate{}, false
	}
	c := Candidate{Record: r, Target: view, whole: qtype == dns.TypeANY}
	admin := r.Admin()
	switch {
	case admin == health.Disabled || admin == health.Draining:
		c.Standing = Removed
	case set.eligible == 0:
		c.Standing = Stopped
	case !j.usable(r.alias.check), r.alias.evaluate && !(view.healthy(set, r.alias.min) && j.healthyForEveryFamily(r)):
		c.Standing = Unusable
	default:
		c.recovered = set.recovered()
	}
	return c, true
}

// healthyForEveryFamily is the rule of `families together` for an alias: its target is healthy for each family that anything behind it has.
func (j *judge) healthyForEveryFamily(r *Record) bool {
	if !j.group.together {
		return true
	}
	for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
		target := r.alias.target(family)
		if target == nil {
			continue
		}
		if s := target.View().setOf(family); s != nil && s.eligible > 0 && !target.View().healthy(s, r.alias.min) {
			return false
		}
	}
	return true
}

// healthy is targetHealthy of spec 4.1 and the minimum children of 3.7: the alias's minimum and the group's own both hold.
func (v *View) healthy(s *Set, min config.MinHealthy) bool {
	if s.Balance != nil {
		return s.Balance.Healthy && (min == (config.MinHealthy{}) || v.meets(s, min))
	}
	return v.meets(s, min) && v.meets(s, v.Group.minHealthy)
}

// meets reports whether so many records of the set, and so many with an address of each family, are usable (spec 4.13).
func (v *View) meets(s *Set, min config.MinHealthy) bool {
	usable, eligible := s.members()
	return usable >= needed(min, eligible) &&
		(min.IPv4 == 0 || v.usableOf(dns.TypeA) >= min.IPv4) &&
		(min.IPv6 == 0 || v.usableOf(dns.TypeAAAA) >= min.IPv6)
}

// members counts the usable and the eligible records, or targets of a pool or a balancer whatever stands in front of them.
func (s *Set) members() (usable, eligible int) {
	if s.Balance != nil {
		return s.Balance.usable, s.Balance.registered
	}
	return s.usable, s.eligible
}

// usableOf counts the usable records that have an address of the family.
func (v *View) usableOf(family uint16) int {
	n := 0
	if s := v.typed(family); s != nil && s.Balance != nil {
		return s.Balance.usable
	} else if s != nil && s.Type == family {
		for _, c := range s.Candidates {
			if c.Standing == Usable && c.hasFamily(family) {
				n++
			}
		}
	}
	return n
}

// hasFamily reports whether the candidate has an address of the family or, an alias, leads to an eligible record that has one.
func (c *Candidate) hasFamily(family uint16) bool {
	if c.Target == nil {
		return c.values[0].rrType == family
	}
	s := c.Target.typed(family)
	return s != nil && s.eligible > 0
}

// needed is the number of usable records that a minimum asks for: percent are rounded up (spec 4.13).
func needed(min config.MinHealthy, eligible int) int {
	if min.Percent {
		return max(1, (eligible*min.Count+99)/100)
	}
	return max(1, min.Count)
}

// recovered is when the set came back from having nothing usable; zero if it has not.
func (s *Set) recovered() time.Time {
	var first time.Time
	for _, c := range s.Candidates {
		switch {
		case c.Standing != Usable:
		case c.recovered.IsZero():
			return time.Time{}
		case first.IsZero() || c.recovered.Before(first):
			first = c.recovered
		}
	}
	return first
}

// sorryFor returns what `last_resort alias` answers the type with, or nil.
func (g *Group) sorryFor(qtype uint16) *Candidate {
	if g.sorry == nil {
		return nil
	}
	target := g.sorry.alias.target(qtype)
	if target == nil {
		return nil
	}
	return &Candidate{Record: g.sorry, Standing: Usable, Target: target.View(), whole: qtype == dns.TypeANY}
}
