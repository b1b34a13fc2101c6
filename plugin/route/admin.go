package route

import (
	"iter"
	"maps"
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
	for _, g := range t.concerned(o) {
		for _, r := range t.takeAdmin(g) {
			touched = append(touched, r.Checks()...)
		}
		t.mark(g)
	}
	users := map[*Group]bool{}
	for _, c := range touched {
		for _, g := range t.byCheck[c] {
			users[g] = true
		}
	}
	wanted := t.wanted(maps.Keys(users))
	t.work()
	t.mu.Unlock()
	for _, c := range touched { // without the lock: a check that begins anew calls Changed
		t.checks.Want(c, wanted[c])
	}
}

// concerned are the groups of whose records something is said if it is said of the object.
func (t *Table) concerned(o health.Object) []*Group {
	switch o.Kind {
	case health.OfGroup:
		return t.groupsOf[o.Name]
	case health.OfSite:
		return t.inSite[o.Name]
	}
	return nil
}

// index makes the groups be found by what can be said of them.
func (t *Table) index() {
	for _, g := range t.groups {
		t.groupsOf[g.Name] = append(t.groupsOf[g.Name], g)
		for _, r := range g.Records {
			if of := t.inSite[r.Site]; r.Site != "" && !slices.Contains(of[max(0, len(of)-1):], g) {
				t.inSite[r.Site] = append(of, g)
			}
		}
	}
}

// takeAdmin stores the states in force in the records of a group. What an operator says of an object stands over what the Corefile says of it;
// a group or a site that is taken out takes its records with it; for the rest the record's own state stands over theirs. It returns the records whose
// state is another one now.
func (t *Table) takeAdmin(g *Group) (changed []*Record) {
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
		if before := r.admin.Swap(&state); before == nil || *before != state {
			changed = append(changed, r)
		}
	}
	return changed
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

// wanted returns the checks that any record of the groups wants attempts on, and canaries, which have to be there.
func (t *Table) wanted(groups iter.Seq[*Group]) map[*health.Check]bool {
	wanted := map[*health.Check]bool{}
	for _, c := range t.canaries {
		wanted[c] = true
	}
	for g := range groups {
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
