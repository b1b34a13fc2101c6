package route

import "github.com/healthroute/healthroute/plugin/health"

// AdminChanged takes over what the admin layer now says of an object: the views of its groups are rebuilt, and attempts that
// nobody wants any more, or wants again, are paused or begun. An object that is not ours changes nothing.
func (t *Table) AdminChanged(o health.Object) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	var touched []*health.Check
	t.mu.Lock()
	for _, g := range t.groups {
		if o.Kind != health.OfGroup || g.Name != o.Name {
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

// takeAdmin stores the states in force in the records of a group. What an operator says of an object stands over what the Corefile says of it;
// a group that is taken out takes its records with it; for the rest the record's own state stands over the group's.
func (t *Table) takeAdmin(g *Group) {
	of := t.said(health.GroupObject(g.Name, ""), "")
	if of == "" && g.disabled {
		of = health.Disabled
	}
	for _, r := range g.Records {
		state := of
		if !takesOut(of) {
			declared := r.Config.Admin
			if of == health.Always && !takesOut(declared) {
				declared = of
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
	return wanted
}

// attempts reports whether a record in the state is attempted (spec 3.1, 4.13).
func attempts(s health.AdminState) bool { return s == health.Enabled || s == health.Draining }

// reconsider pauses a check that a filter has given back while records hold it, or wakes one that it has taken, as the records and it want.
func (t *Table) reconsider(c *health.Check) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	shared := len(t.byCheck[c]) > 0
	wanted := shared && t.wanted()[c]
	t.mu.Unlock()
	if shared {
		t.checks.Want(c, wanted)
	}
}
