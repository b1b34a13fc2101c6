package route

import (
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/health"
)

// AdminChanged takes over what the admin layer now says of an object: the views of what it concerns are rebuilt, and attempts that
// nobody wants any more, or wants again, are paused or begun. An object that is not ours changes nothing.
func (t *Table) AdminChanged(o health.Object) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	var touched, anew []*health.Check
	for _, g := range t.groups {
		if t.concerns(o, g) {
			t.takeAdmin(g)
			t.mark(g)
			touched = append(touched, g.checks()...)
		}
	}
	for _, p := range t.pools {
		if o.Kind == health.OfSite || o.Kind == health.OfPool && o.Name == p.Name {
			anew = append(anew, t.takeTargets(p)...)
			t.markUsers(p)
			touched = append(touched, p.checks()...)
		}
	}
	for _, g := range t.balancers {
		if o.Kind == health.OfShift && o.Name == g.balancer.declared.Name {
			t.mark(g)
		}
		if o.Kind == health.OfSite && g.balancer.place(strings.ToLower(o.Name)) != nil {
			t.mark(g)
			touched = append(touched, g.balancer.place(strings.ToLower(o.Name)).checks()...)
		}
	}
	wanted := t.wanted()
	t.work()
	t.mu.Unlock()
	for _, c := range anew {
		t.checks.Want(c, false)
	}
	t.want(touched, wanted)
}

// want says of checks whether attempts are wanted on them. It is called without mu: a check that begins anew calls Changed.
func (t *Table) want(checks []*health.Check, wanted map[*health.Check]bool) {
	for _, c := range checks {
		t.checks.Want(c, wanted[c])
	}
}

// concerns reports whether the object is the group, a record of it, or a site that one of them stands in.
func (t *Table) concerns(o health.Object, g *Group) bool {
	return o.Kind == health.OfGroup && o.Name == g.Name ||
		o.Kind == health.OfSite && slices.ContainsFunc(g.Records, func(r *Record) bool { return strings.EqualFold(r.Site, o.Name) })
}

func (t *Table) markUsers(p *Pool) {
	for _, g := range p.users {
		t.mark(g)
	}
}

// takeAdmin stores the states in force in the records of a group.
func (t *Table) takeAdmin(g *Group) {
	of := t.said(health.GroupObject(g.Name, ""), "")
	if of == "" && g.disabled {
		of = health.Disabled
	}
	for _, r := range g.Records {
		state := t.standing(of, r.Site, r.Config.Admin, health.GroupObject(g.Name, r.ID))
		if state == health.Always && r.alias != nil { // what stands behind an alias has its own say (T-231)
			state = health.Enabled
		}
		r.admin.Store(&state)
	}
}

// said returns what an operator said of the object, else the Corefile's word.
func (t *Table) said(o health.Object, declared health.AdminState) health.AdminState {
	if v, ok := t.override(o); ok {
		return v.State
	}
	return declared
}

// override is what an operator said of the object, or false.
func (t *Table) override(o health.Object) (health.Override, bool) {
	if t.admin == nil {
		return health.Override{}, false
	}
	return t.admin.Override(o)
}

// takesOut reports whether a record in the state is not answered.
func takesOut(s health.AdminState) bool {
	return s == health.Disabled || s == health.Draining || s == health.Unused
}

// wanted returns the checks that any record or filter wants attempts on, and canaries, which have to be there. It is called with mu held.
func (t *Table) wanted() map[*health.Check]bool {
	wanted := make(map[*health.Check]bool, len(t.byCheck))
	for _, c := range t.canaries {
		wanted[c] = true
	}
	for _, f := range t.filters {
		for _, known := range f.known.Range {
			if c := known.(*met).check.Load(); c != nil {
				wanted[c] = true
			}
		}
	}
	for _, g := range t.groups {
		for _, r := range g.Records {
			if !attempts(r.Admin()) {
				continue
			}
			for _, c := range r.Checks() {
				wanted[c] = true
			}
		}
	}
	for _, p := range t.pools {
		for _, r := range p.Targets() {
			if attempts(r.Admin()) {
				for _, c := range r.Checks() {
					wanted[c] = true
				}
			}
		}
	}
	for _, g := range t.balancers {
		for _, at := range g.balancer.places {
			if said := t.saidOfSite(at.front.Site); said == "" || attempts(said) {
				for _, c := range at.checks() {
					wanted[c] = true
				}
			}
		}
	}
	return wanted
}

// attempts reports whether a record in the state is attempted (spec 3.1, 4.13).
func attempts(s health.AdminState) bool { return s == health.Enabled || s == health.Draining }
