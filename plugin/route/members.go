package route

import (
	"net/netip"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// What is here is for people who look at pools; no query needs it.

// Member is a target with what its pool knows of it besides.
type Member struct {
	*Record
	Declared bool      // the Corefile names it
	Source   int       // place in the pool's configuration of the first source that names it; -1 if none does
	Until    time.Time // when its draining is over; zero if it does not drain, or nobody has said until when
}

// Members returns the targets that are known now, those of the Corefile first.
func (t *Table) Members(p *Pool) []Member {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	sources := map[netip.AddrPort]int{}
	for i, list := range p.lists {
		for _, f := range list {
			if key := p.key(f.Address, f.Port); !has(sources, key) {
				sources[key] = i
			}
		}
	}
	out := make([]Member, 0, len(p.Targets()))
	for _, r := range p.Targets() {
		m := Member{Record: r, Declared: r.member.declared, Source: -1}
		if i, ok := sources[p.keyOf(r)]; ok && !m.Declared {
			m.Source = i
		}
		switch {
		case r.Admin() != health.Draining:
		case !r.member.drained.IsZero():
			m.Until = r.member.drained
		case !r.member.gone.IsZero():
			m.Until = r.member.forgetting()
		}
		out = append(out, m)
	}
	return out
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}

// Balancers returns the groups that answer from the pool.
func (p *Pool) Balancers() []*Group { return p.users }

// Reaches reports whether a balancer's group answers from the site at all: an alias may be of one site only. Other groups have no sites.
func (g *Group) Reaches(site string) bool {
	return g.balancer != nil && (g.balancer.site == "" || g.balancer.site == site)
}

// SiteChecks returns the checks of the own probe of a balancer's site that count for the type.
func (g *Group) SiteChecks(site string, qtype uint16) []*health.Check {
	if g.balancer == nil {
		return nil
	}
	return g.balancer.watch(site, qtype)
}

// Zone is the first zone of the pool's stanza.
func (p *Pool) Zone() string { return p.stanza.Zones[0] }

// Zone is the first zone of the group's names; of a balancer's, that of its stanza.
func (g *Group) Zone() string { return g.origins[0] }

// Balancer is what a group that stands for a pool or a balancer follows; nil for other groups.
func (g *Group) Balancer() *config.Balancer {
	if g.balancer == nil {
		return nil
	}
	return g.balancer.declared
}
