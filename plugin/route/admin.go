package route

import (
	"slices"

	"github.com/healthroute/healthroute/plugin/health"
)

// AdminChanged takes over what the admin layer now says of an object: the views of its groups are rebuilt, and attempts that
// nobody wants any more, or wants again, are paused or begun. An object that is not ours changes nothing.
func (t *Table) AdminChanged(o health.Object) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	var touched []*health.Check
	t.mu.Lock()
	for _, g := range t.groups {
		if !g.concerns(o) {
			continue
		}
		t.takeAdmin(g)
		t.mark(g)
		touched = append(touched, g.checks()...)
	}
	wanted := t.wanted()
	t.work()
	t.mu.Unlock()
	for _, c := range touched { // without the lock: a check that begins anew calls Changed
		t.checks.Want(c, wanted[c])
	}
}

// concerns reports whether what is said of the object is said of records of the group.
func (g *Group) concerns(o health.Object) bool {
	switch o.Kind {
	case health.OfGroup:
		return g.Name == o.Name
	case health.OfSite:
		return slices.ContainsFunc(g.Records, func(r *Record) bool { return r.Site == o.Name })
	}
	return false
}

// takeAdmin stores the states in force in the records of a group. What an operator says of an object stands over what the Corefile says of it;
// a group or a site that is taken out takes its records with it; for the rest the record's own state stands over theirs.
func (t *Table) takeAdmin(g *Group) {
	of := t.said(health.GroupObject(g.Name, ""), "")
	if of == "" && g.disabled {
		of = health.Disabled
	}
	for _, r := range g.Records {
		around := of
		if site := t.said(health.SiteObject(r.Site), ""); r.Site != "" && !takesOut(of) && (takesOut(site) || site == health.Always) {
			around = site
		}
		state := around
		if !takesOut(around) {
			declared := r.Config.Admin
			if around == health.Always && !takesOut(declared) {
				declared = around
			}
			state = t.said(health.GroupObject(g.Name, r.ID), declared)
		}
		if state == "" || state == health.Always && r.alias != nil { // what stands behind an alias has its own say (T-231)
			state = health.Enabled
		}
		r.admin.Store(&state)
	}
}

// said returns what an operator said of the object, else the Corefile's word.
func (t *Table) said(o health.Object, declared health.AdminState) health.AdminState {
	if t.admin != nil {
		if v, ok := t.admin.Override(o); ok {
			return v.State
		}
	}
	return declared
}

// takesOut reports whether a record in the state is not answered.
func takesOut(s health.AdminState) bool { return s == health.Disabled || s == health.Draining }

// wanted returns the checks that any record wants attempts on, and canaries, which have to be there.
func (t *Table) wanted() map[*health.Check]bool {
	wanted := make(map[*health.Check]bool, len(t.byCheck))
	for _, c := range t.canaries {
		wanted[c] = true
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
	return wanted
}

// attempts reports whether a record in the state is attempted (spec 3.1, 4.13).
func attempts(s health.AdminState) bool { return s == health.Enabled || s == health.Draining }
