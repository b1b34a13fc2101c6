package route

import (
	"slices"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
)

// Health is the target's health now, whatever is asked for, for people.
func (p *Pool) Health(r *Record) health.Status { return health.Best(r.Checks()) }

// Words are the words that hold for a target (spec 3.1, 3.4): what an operator said instead of health, or its health; an unhealthy one is
// draining too as long as the pool's unhealthy_drain says, which changes no answer (spec 6). One whose site no balancer has enabled is unused.
func (p *Pool) Words(r *Record, now time.Time) []string {
	switch state := r.Admin(); state {
	case health.Disabled, health.Draining, health.Unused:
		return []string{string(state)}
	case health.Always:
		return []string{string(state), health.Unmonitored.String()}
	}
	words := []string{p.Health(r).String(), string(health.Enabled)}
	if p.drainsUnhealthy(r, now) {
		words = append(words, string(health.Draining))
	}
	return words
}

// drainsUnhealthy reports whether the target became unhealthy less than unhealthy_drain ago.
func (p *Pool) drainsUnhealthy(r *Record, now time.Time) bool {
	return p.Health(r) == health.Unhealthy && slices.ContainsFunc(r.Checks(), func(c *health.Check) bool {
		state := c.State()
		return state.Status == health.Unhealthy && now.Before(state.Since.Add(p.Config.UnhealthyDrain))
	})
}

// Enables reports whether a balancer of the pool has enabled the site, so that its targets there count.
func (p *Pool) Enables(site string) bool {
	return slices.ContainsFunc(p.users, func(g *Group) bool { return g.balancer.enables(site) })
}
