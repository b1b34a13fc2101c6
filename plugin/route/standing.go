package route

import (
	"fmt"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
)

// standing is an admin state, and whose word it is.
type standing struct {
	state health.AdminState // "" for no word
	by    health.Object     // what an operator said it of; the zero value: the Corefile says it
	all   bool              // the Corefile says it of the group or the pool
}

// String says whose word it is, for people.
func (s standing) String() string {
	switch {
	case s.by != health.Object{}:
		return fmt.Sprintf("%s is %s", s.by, s.state)
	case s.all:
		return fmt.Sprintf("the Corefile says %s of all of it", s.state)
	case s.state != health.Enabled:
		return fmt.Sprintf("the Corefile says %s", s.state)
	}
	return "nothing else is said"
}

// ofGroup is what is said of the group itself.
func (t *Table) ofGroup(g *Group) standing {
	return t.ofAll(health.GroupObject(g.Name, ""), g.disabled)
}

// ofPool is what is said of the pool itself.
func (t *Table) ofPool(p *Pool) standing {
	return t.ofAll(health.PoolObject(p.Name, ""), p.Config.Disabled)
}

// ofSite is what an operator says of everything in the site.
func (t *Table) ofSite(site string) standing {
	if site == "" {
		return standing{}
	}
	return t.ofAll(health.SiteObject(site), false)
}

// ofAll is what an operator says of the object, else what the Corefile does.
func (t *Table) ofAll(o health.Object, disabled bool) standing {
	if v, ok := t.override(o); ok {
		return standing{state: v.State, by: o}
	}
	if disabled {
		return standing{state: health.Disabled, all: true}
	}
	return standing{}
}

// standing is the state in force of a record or a target: what takes out all around it, its site's or its own state, in this order; for the rest what
// an operator said of it stands over what is declared, and that over what an operator said of all.
func (t *Table) standing(of standing, site string, declared health.AdminState, o health.Object) standing {
	word := standing{state: declared}
	for _, all := range []standing{of, t.ofSite(site)} {
		if takesOut(all.state) {
			return all
		}
		if all.state == health.Always && !takesOut(declared) {
			word = all
		}
	}
	if v, ok := t.override(o); ok {
		return standing{state: v.State, by: o}
	}
	if word.state == "" {
		word.state = health.Enabled
	}
	return word
}

// WhyRecord says whose word the admin state is that is in force for a record of the group.
func (t *Table) WhyRecord(g *Group, r *Record) string {
	s := t.standing(t.ofGroup(g), r.Site, r.Config.Admin, health.GroupObject(g.Name, r.ID))
	if s.state == health.Always && r.alias != nil {
		return s.String() + ", which an alias cannot be"
	}
	return s.String()
}

// WhyTarget says whose word the admin state is that is in force for a target of a pool, or what else takes it out.
func (t *Table) WhyTarget(r *Record) string {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	m := r.member
	s := t.standing(t.ofPool(m.pool), r.Site, r.Config.Admin, health.PoolObject(m.pool.Name, r.ID))
	switch {
	case !m.pool.Enables(r.Site) && r.Site == "":
		return "it has no site, and none of the pool's balancers takes that"
	case !m.pool.Enables(r.Site):
		return fmt.Sprintf("none of the pool's balancers has site %s", r.Site)
	case s.state == health.Deregistered && !m.drained.IsZero():
		return fmt.Sprintf("deregistered; it drains until %s, and is unused then", m.drained.UTC().Format(time.RFC3339))
	case s.state == health.Deregistered:
		return "deregistered, and its draining is over"
	case !m.gone.IsZero() && !takesOut(s.state):
		return fmt.Sprintf("no source names it any more: it is forgotten at %s", m.forgetting().UTC().Format(time.RFC3339))
	}
	return s.String()
}
