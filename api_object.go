package healthroute

import (
	"fmt"
	"slices"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// subject is what an admin state is about in the end: a record of a group, a target of a pool, or a site of a balancer.
type subject struct {
	object health.Object // a record or a target; of a site what shifts it
	record *route.Record // nil for a site
	why    func() string // whose word its admin state is
	site   string        // of a balancer, "BALANCER/SITE"; "" for others
}

// String names it for people.
func (s subject) String() string {
	if s.record == nil {
		return "balancer " + s.site
	}
	return s.object.String()
}

// isAlias reports whether it is an alias of a group, a pool or a balancer, whose health is that of what stands behind it.
func (s subject) isAlias() bool {
	return s.record != nil && s.record.Config.Alias != nil && s.record.Config.Alias.Name == ""
}

// subjectOf is the record as one.
func (r blockRecord) subject() subject {
	return subject{object: health.GroupObject(r.blockGroup.Name, r.ID), record: r.Record, why: r.why}
}

// why says whose word the admin state of the record is.
func (r blockRecord) why() string { return r.block.table.WhyRecord(r.Group, r.Record) }

// subject is the target as one.
func (p blockPool) subject(r *route.Record) subject {
	return subject{object: health.PoolObject(p.Name, r.ID), record: r, why: func() string { return p.block.table.WhyTarget(r) }}
}

// subjects are what each of the objects is about.
func (b apiBackend) subjects(objects []health.Object) map[health.Object][]subject {
	out := make(map[health.Object][]subject, len(objects))
	for _, o := range objects {
		out[o] = nil
	}
	add := func(s subject, of ...health.Object) {
		for _, o := range of {
			if known, asked := out[o]; asked {
				out[o] = append(known, s)
			}
		}
	}
	for _, g := range b.allGroups() {
		for _, r := range g.Records {
			s := blockRecord{g, r}.subject()
			add(s, health.GroupObject(g.Name, ""), s.object, health.SiteObject(r.Site))
		}
	}
	for _, p := range b.allPools() {
		for _, r := range p.Targets() {
			s := p.subject(r)
			add(s, health.PoolObject(p.Name, ""), s.object, health.SiteObject(r.Site))
		}
	}
	for _, balancer := range b.allBalancers() {
		name := balancer.declared().Name
		for _, site := range balancer.siteNames() {
			s := subject{object: health.ShiftObject(name, site), site: name + "/" + site}
			if add(s, s.object); len(balancer.declared().Sites) > 0 {
				add(s, health.SiteObject(site))
			}
		}
	}
	return out
}

// knownGroups are the groups and their records as objects.
func knownGroups(groups []blockGroup) []status.Known {
	var out []status.Known
	for _, g := range groups {
		names := g.callable()
		out = append(out, status.Known{Object: health.GroupObject(g.Name, ""), Names: names})
		for _, r := range g.Records {
			out = append(out, status.Known{Object: health.GroupObject(g.Name, r.ID), Names: names})
		}
	}
	return out
}

// known is everything that can be called by a name: what the configuration has and sources have found, and what only an override is left of.
func (b apiBackend) known() (all []status.Known, there map[health.Object]bool) {
	groups, pools, balancers := b.allGroups(), b.allPools(), b.allBalancers()
	all = append(knownGroups(groups), knownPools(pools)...)
	all = append(all, knownShifts(balancers)...)
	there = map[health.Object]bool{}
	for _, k := range all {
		there[k.Object] = true
	}
	stands := func(site string) {
		if o := health.SiteObject(site); site != "" && !there[o] {
			there[o] = true
			all = append(all, status.Known{Object: o, Names: []string{site}})
		}
	}
	for _, g := range groups {
		for _, r := range g.Records {
			stands(r.Site)
		}
	}
	for _, p := range pools {
		for _, r := range p.Targets() {
			stands(r.Site)
		}
	}
	for _, balancer := range balancers {
		for _, site := range balancer.siteNames() {
			stands(site)
		}
	}
	for _, o := range admin.Objects() {
		if !there[o] {
			all = append(all, status.Known{Object: o, Names: namesOf(o, all)})
		}
	}
	return all, there
}

// namesOf are the names that people have for what an object belongs to, which may be there still.
func namesOf(o health.Object, known []status.Known) []string {
	whole := health.Object{Kind: o.Kind, Name: o.Name}
	if i := slices.IndexFunc(known, func(k status.Known) bool { return k.Object == whole }); i >= 0 {
		return known[i].Names
	}
	return []string{o.Name}
}

// cameBack is why an object is as nobody has just said.
const cameBack = "what was said before has come back: it stood under what has ended"

// inForce returns what holds of an object, which is about the subjects, now and, if that is not what was asked for, why. Where several server blocks
// have the object, it is as in the first that does not do what was asked for.
func (b apiBackend) inForce(o health.Object, subjects []subject, asked health.AdminState) (state, note string) {
	switch v, ok := admin.Override(o); {
	case o.Kind == health.OfShift && v.State == health.Shifted:
		return string(v.State), b.stillAnswers(o)
	case o.Member != "" && o.Kind != health.OfShift:
		now := v.State // where nothing has the name any more
		for _, s := range subjects {
			if now = s.record.Admin(); now != asked {
				if note = s.why(); ok && v.State == now {
					note = cameBack
				}
				break
			}
		}
		return string(now), note
	case !ok && b.isDisabled(o):
		now := health.Disabled
		if now != asked {
			note = "the Corefile says disabled"
		}
		return string(now), note
	default:
		if v.State != asked {
			note = cameBack
		}
		return string(v.State), note
	}
}

// isDisabled reports whether the Corefile disables the group or the pool.
func (b apiBackend) isDisabled(o health.Object) bool {
	for _, g := range b.allGroups() {
		if o == health.GroupObject(g.Name, "") && g.Config.Disabled {
			return true
		}
	}
	for _, p := range b.allPools() {
		if o == health.PoolObject(p.Name, "") && p.Config.Disabled {
			return true
		}
	}
	return false
}

// stillAnswers says why clients still get to a site that they are shifted away from; "" if they do not.
func (b apiBackend) stillAnswers(o health.Object) string {
	for _, balancer := range b.allBalancers() {
		if balancer.declared().Name != o.Name {
			continue
		}
		for _, s := range balancer.balances() {
			for _, site := range s.Balance.Sites {
				if site.Site == o.Member && site.Answers {
					return fmt.Sprintf("%s has no other site, so it still answers", o.Name)
				}
			}
		}
	}
	return ""
}

// reasonOf is why something has an admin state: what the operator gave as a reason, if it is his word that holds, else whose word it is.
func reasonOf(o *status.Override, state string, why func() string) string {
	if o == nil {
		return why()
	}
	out := o.State == string(health.Deregistered) && (state == string(health.Draining) || state == string(health.Unused))
	if o.State == state || out && o.Reason != "" {
		return o.Reason
	}
	return why()
}
