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
		if g.Name != o.Group {
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

// takeAdmin stores the states in force in the records of a group: the group's own where it takes the group out, else the record's,
// else the group's.
func (t *Table) takeAdmin(g *Group) {
	if t.admin == nil {
		return
	}
	of, _ := t.admin.Override(health.Object{Group: g.Name})
	for _, r := range g.Records {
		state := of.State
		if state == health.Enabled || state == health.Always {
			if own, ok := t.admin.Override(health.Object{Group: g.Name, Record: r.ID}); ok {
				state = own.State
			}
		}
		r.admin.Store(&state)
	}
}

// wanted returns the checks that any record wants attempts on.
func (t *Table) wanted() map[*health.Check]bool {
	wanted := make(map[*health.Check]bool, len(t.byCheck))
	for _, g := range t.groups {
		for _, r := range g.Records {
			if !attempts(r.Admin()) {
				continue
			}
			for _, v := range r.values {
				if v.check != nil {
					wanted[v.check] = true
				}
			}
		}
	}
	return wanted
}

// attempts reports whether a record in the state is attempted (spec 3.1, 4.13).
func attempts(s health.AdminState) bool { return s == health.Enabled || s == health.Draining }
