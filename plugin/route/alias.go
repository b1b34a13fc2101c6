package route

import (
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// alias is where a record without values of its own takes them from: a group, or several of one name and different types.
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

// alias judges an alias (spec 4.1, recordHealthy; 3.7): what an operator says, then whether anything behind it is eligible, then its own
// check and, if it evaluates its target, the target's health.
func (j *judge) alias(r *Record, qtype uint16) (Candidate, bool) {
	target := r.alias.target(qtype)
	if target == nil {
		return Candidate{}, false
	}
	view := target.View()
	set := view.setOf(qtype)
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
	case !j.usable(r.alias.check), r.alias.evaluate && !view.healthy(set, r.alias.min):
		c.Standing = Unusable
	default:
		c.recovered = set.recovered()
	}
	return c, true
}

// healthy is targetHealthy of spec 4.1 and the minimum children of 3.7: the alias's minimum and the group's own both hold.
func (v *View) healthy(s *Set, min config.MinHealthy) bool {
	return v.meets(s, min) && v.meets(s, v.Group.minHealthy)
}

// meets reports whether so many records of the set, and so many with an address of each family, are usable (spec 4.13).
func (v *View) meets(s *Set, min config.MinHealthy) bool {
	return s.usable >= needed(min, s.eligible) &&
		(min.IPv4 == 0 || v.usableOf(dns.TypeA) >= min.IPv4) &&
		(min.IPv6 == 0 || v.usableOf(dns.TypeAAAA) >= min.IPv6)
}

// usableOf counts the usable records that have an address of the family.
func (v *View) usableOf(family uint16) int {
	n := 0
	if s := v.typed(family); s != nil && s.Type == family {
		for _, c := range s.Candidates {
			if c.Standing == Usable && (c.Target != nil || c.values[0].rrType == family) {
				n++
			}
		}
	}
	return n
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
