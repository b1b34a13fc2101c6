package route

import (
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// takeTargets stores the states in force in the targets of a pool, and returns the checks that have to begin anew. It is called with adminMu and
// mu held.
func (t *Table) takeTargets(p *Pool) (anew []*health.Check) {
	of := t.said(health.PoolObject(p.Name, ""), "")
	if of == "" && p.Config.Disabled {
		of = health.Disabled
	}
	for _, r := range p.Targets() {
		if t.takeTarget(r, of) {
			for _, c := range r.Checks() {
				if t.refs[c] == 1 { // others keep it attempted, so that it is known how the target is
					anew = append(anew, c)
				}
			}
		}
	}
	return anew
}

// takeTarget stores the state in force in a target, and reports whether it is registered again after an operator deregistered it while it still
// was draining. Of its pool, of says.
func (t *Table) takeTarget(r *Record, of health.AdminState) (again bool) {
	m := r.member
	object := health.PoolObject(m.pool.Name, r.ID)
	state := t.standing(of, r.Site, r.Config.Admin, object)
	planned := m.drained
	if !m.pool.uses(r.Site) { // its site is not enabled (spec 3.2)
		state := health.Unused
		r.admin.Store(&state)
		return false
	}
	again = !planned.IsZero() && state == health.Enabled
	m.drained = time.Time{}
	if state == health.Deregistered {
		v, _ := t.override(object)
		state = health.Unused
		if until := v.Since.Add(m.pool.Config.Drain); until.After(t.checks.Now()) {
			state, m.drained = health.Draining, until
			if !until.Equal(planned) {
				t.checks.After(until.Sub(t.checks.Now()), func() { t.AdminChanged(object) })
			}
		}
	}
	if !m.gone.IsZero() && !takesOut(state) {
		state = health.Draining
	}
	r.admin.Store(&state)
	return again
}

// standing is the state in force of a record or a target: what takes out all around it, its site's or its own state, in this order; for the rest what
// an operator said of it stands over what is declared, and that over what an operator said of all.
func (t *Table) standing(of health.AdminState, site string, declared health.AdminState, o health.Object) health.AdminState {
	for _, all := range []health.AdminState{of, t.saidOfSite(site)} {
		if takesOut(all) {
			return all
		}
		if all == health.Always && !takesOut(declared) {
			declared = all
		}
	}
	if state := t.said(o, declared); state != "" {
		return state
	}
	return health.Enabled
}

func (t *Table) saidOfSite(site string) config.AdminState {
	if site == "" {
		return ""
	}
	return t.said(health.SiteObject(site), "")
}

// forgetting is when a target that vanished from its source is forgotten.
func (m *member) forgetting() time.Time { return m.gone.Add(m.pool.Config.Drain) }
