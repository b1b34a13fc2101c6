package route

import (
	"iter"
	"maps"
	"slices"

	"github.com/healthroute/healthroute/plugin/health"
)

// AdminChanged takes over what the admin layer now says of objects: the views of what it concerns are rebuilt, each once, and attempts that
// nobody wants any more, or wants again, are paused or begun. An object that is not ours changes nothing.
func (t *Table) AdminChanged(objects []health.Object) {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	of := t.concerned(objects)
	var touched, anew []*health.Check
	for g := range of.groups {
		for _, r := range t.takeAdmin(g) {
			touched = append(touched, r.Checks()...)
		}
		t.mark(g)
	}
	for p := range of.pools {
		anew = append(anew, t.takeTargets(p)...)
		t.markUsers(p)
		touched = append(touched, p.checks()...)
	}
	for g := range of.balancers {
		t.mark(g)
	}
	for at := range of.places {
		touched = append(touched, at.checks()...)
	}
	wanted := t.wanted(touched)
	t.work()
	t.mu.Unlock()
	t.together(func() {
		for _, c := range anew {
			t.checks.Want(c, false)
		}
		t.want(touched, wanted)
	})
}

// want says of checks whether attempts are wanted on them. It is called without mu: a check that begins anew calls Changed.
func (t *Table) want(checks []*health.Check, wanted map[*health.Check]bool) {
	for _, c := range checks {
		t.checks.Want(c, wanted[c])
	}
}

// concerned is what something is said of if it is said of objects.
type concerned struct {
	groups    map[*Group]bool // whose records it is said of
	pools     map[*Pool]bool  // whose targets
	balancers map[*Group]bool // whose sites
	places    map[*place]bool // declared sites that may have probes of their own
}

func (t *Table) concerned(objects []health.Object) concerned {
	of := concerned{map[*Group]bool{}, map[*Pool]bool{}, map[*Group]bool{}, map[*place]bool{}}
	for _, o := range objects {
		switch o.Kind {
		case health.OfGroup:
			for _, g := range t.groupsOf[o.Name] {
				of.groups[g] = true
			}
		case health.OfPool:
			for _, p := range t.pools {
				if p.Name == o.Name {
					of.pools[p] = true
				}
			}
		case health.OfSite:
			t.inside(o, of)
		case health.OfShift:
			for _, g := range t.balancers {
				if g.balancer.declared.Name == o.Name {
					of.balancers[g] = true
				}
			}
		}
	}
	return of
}

// inside adds what stands in a site, or may.
func (t *Table) inside(site health.Object, of concerned) {
	for _, g := range t.inSite[site.Name] {
		of.groups[g] = true
	}
	for _, p := range t.pools {
		of.pools[p] = true
	}
	for _, g := range t.balancers {
		if at := g.balancer.place(site.Name); at != nil {
			of.balancers[g], of.places[at] = true, true
		}
	}
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

func (t *Table) markUsers(p *Pool) {
	for _, g := range p.users {
		t.mark(g)
	}
}

// takeAdmin stores the states in force in the records of a group, and returns the records whose state is another one now.
func (t *Table) takeAdmin(g *Group) (changed []*Record) {
	of := t.ofGroup(g)
	for _, r := range g.Records {
		state := t.standing(of, r.Site, r.Config.Admin, health.GroupObject(g.Name, r.ID)).state
		if state == health.Always && r.alias != nil { // what stands behind an alias has its own say (T-231)
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

// wanted returns those of the checks that anybody wants attempts on, and maybe others. It is called with mu held.
func (t *Table) wanted(checks []*health.Check) map[*health.Check]bool {
	users := map[*Group]bool{}
	for _, c := range checks {
		for _, g := range t.byCheck[c] {
			users[g] = true
		}
	}
	return t.wantedBy(maps.Keys(users))
}

// wantedBy returns the checks that the choosers want attempts on, those of filters, and canaries, which have to be there. It is called with mu held.
func (t *Table) wantedBy(choosers iter.Seq[*Group]) map[*health.Check]bool {
	wanted := map[*health.Check]bool{}
	want := func(checks []*health.Check) {
		for _, c := range checks {
			wanted[c] = true
		}
	}
	want(t.canaries)
	for c := range t.met {
		wanted[c] = true
	}
	pools := map[*Pool]bool{}
	for g := range choosers {
		for _, r := range g.Records {
			if attempts(r.Admin()) {
				want(r.Checks())
			}
		}
		if g.balancer == nil {
			continue
		}
		for _, p := range g.balancer.pools {
			pools[p] = true
		}
		for _, at := range g.balancer.places {
			if said := t.ofSite(at.front.Site).state; said == "" || attempts(said) {
				want(at.checks())
			}
		}
	}
	for p := range pools {
		for _, r := range p.Targets() {
			if attempts(r.Admin()) {
				want(r.Checks())
			}
		}
	}
	return wanted
}

// attempts reports whether a record in the state is attempted (spec 3.1, 4.13).
func attempts(s health.AdminState) bool { return s == health.Enabled || s == health.Draining }
