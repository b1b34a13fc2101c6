package route

import (
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// State is the roll-up of a group's members, for people (spec 3.6); it decides nothing.
type State string

// The states of a group.
const (
	GroupOnline   State = "online"   // something is healthy or unmonitored, nothing unhealthy
	GroupDegraded State = "degraded" // something is unhealthy
	GroupChecking State = "checking" // something has no verdict yet, nothing is healthy or unhealthy
	GroupInactive State = "inactive" // nothing is eligible
	GroupDisabled State = "disabled" // an operator said so of the group
)

// State returns the group's state now: the first row of the table in spec 3.6 that fits.
func (t *Table) State(g *Group) State {
	if t.said(health.GroupObject(g.Name, ""), config.AdminState("")) == health.Disabled ||
		g.disabled && t.said(health.GroupObject(g.Name, ""), health.Disabled) == health.Disabled {
		return GroupDisabled
	}
	seen := map[health.Status]bool{}
	for _, r := range g.Records {
		if c, ok := newJudge(g).candidate(r, dns.TypeANY); ok && c.eligible() {
			seen[c.Status(dns.TypeANY)] = true
		}
	}
	switch {
	case seen[health.Unhealthy]:
		return GroupDegraded
	case seen[health.Healthy], seen[health.Unmonitored]:
		return GroupOnline
	case seen[health.Checking]:
		return GroupChecking
	}
	return GroupInactive
}

// Health is the record's health now, whatever type is asked for, for people (spec 3.1, 3.7).
func (g *Group) Health(r *Record) health.Status {
	c, ok := newJudge(g).candidate(r, dns.TypeANY)
	if !ok {
		return health.Unmonitored
	}
	return c.Status(dns.TypeANY)
}

// Status is the candidate's health now, read for people after the fact.
func (c *Candidate) Status(qtype uint16) health.Status {
	switch {
	case c.Standing == Stopped:
		return health.Stopped
	case c.Record.Admin() == health.Always:
		return health.Unmonitored
	case c.Target == nil:
		return health.Best(checksOf(c.of(qtype)))
	}
	return c.aliasStatus(qtype)
}

// aliasStatus is the table of spec 3.7: enough members that work, or enough with those that have no verdict yet.
func (c *Candidate) aliasStatus(qtype uint16) health.Status {
	a := c.Record.alias
	if a == nil {
		return health.Unmonitored // what a last resort stands for
	}
	if a.check != nil && !a.check.Usable() {
		return health.Unhealthy // a hold of it is no status of its own
	}
	if !a.evaluate {
		return health.Best(a.checks())
	}
	set := a.behind(c.Target, qtype)
	if set == nil || !c.Target.healthy(set, a.min) {
		return health.Unhealthy
	}
	working := 0
	if set.Balance != nil {
		return set.Balance.status()
	}
	for _, member := range set.Candidates {
		if member.Standing == Usable && member.Status(qtype) != health.Checking {
			working++
		}
	}
	if working < max(needed(a.min, set.eligible), needed(c.Target.Group.minHealthy, set.eligible)) {
		return health.Checking
	}
	return health.Healthy
}
