package route

import (
	"time"

	"github.com/healthroute/healthroute/plugin/health"
)

// takeTargets stores the states in force in the targets of a pool, and returns the checks that have to begin anew. It is called with adminMu and
// mu held.
func (t *Table) takeTargets(p *Pool) (anew []*health.Check) {
	of, now := t.ofPool(p), t.checks.Now()
	ends := map[time.Time]bool{} // of draining, which many may have together
	for _, r := range p.Targets() {
		planned := r.member.drained
		again := t.takeTarget(r, of, now)
		if until := r.member.drained; !until.IsZero() && !until.Equal(planned) {
			ends[until] = true
		}
		if again {
			for _, c := range r.Checks() {
				if t.refs[c] == 1 { // others keep it attempted, so that it is known how the target is
					anew = append(anew, c)
				}
			}
		}
	}
	for until := range ends {
		t.afterDraining(p, until)
	}
	return anew
}

// afterDraining takes the states over once more when draining is over.
func (t *Table) afterDraining(p *Pool, until time.Time) {
	t.checks.After(until.Sub(t.checks.Now()), func() {
		if until.After(t.checks.Now()) { // the clock has been set back meanwhile
			t.afterDraining(p, until)
			return
		}
		t.AdminChanged([]health.Object{health.PoolObject(p.Name, "")})
	})
}

// takeTarget stores the state in force in a target, and reports whether it is registered again after an operator deregistered it while it still
// was draining. Of its pool, of says.
func (t *Table) takeTarget(r *Record, of standing, now time.Time) (again bool) {
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
		if until := v.Since.Add(m.pool.Config.Drain); until.After(now) {
			state, m.drained = health.Draining, until
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
