package route

import (
	"time"

	"github.com/healthroute/healthroute/plugin/health"
)

// takeTargets stores the states in force in the targets of a pool, and returns the checks that have to begin anew. It is called with adminMu and
// mu held.
func (t *Table) takeTargets(p *Pool) (anew []*health.Check) {
	of := t.ofPool(p)
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
func (t *Table) takeTarget(r *Record, of standing) (again bool) {
	m := r.member
	object := health.PoolObject(m.pool.Name, r.ID)
	state := t.standing(of, r.Site, r.Config.Admin, object).state
	planned := m.drained
	if !m.pool.Enables(r.Site) { // its site is not enabled (spec 3.2)
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
				t.checks.After(until.Sub(t.checks.Now()), func() { t.AdminChanged([]health.Object{object}) })
			}
		}
	}
	if !m.gone.IsZero() && !takesOut(state) {
		state = health.Draining
	}
	r.admin.Store(&state)
	return again
}

// forgetting is when a target that vanished from its source is forgotten.
func (m *member) forgetting() time.Time { return m.gone.Add(m.pool.Config.Drain) }
