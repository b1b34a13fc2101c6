package route

import (
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// calculate gives the records of a stanza whose probe is calculated their check: one for each probe, once all that it counts is
// there. The groups are the compiled ones, in the order of the stanza's. It is called with mu held.
func (t *Table) calculate(s *config.Stanza, groups []*Group, probers map[*config.Probe]*probe.Prober, checks Checker) {
	made := map[*config.Probe]*health.Check{}
	check := func(p *config.Probe) *health.Check {
		if made[p] == nil {
			made[p] = checks.Check(health.Spec{Probe: p, Prober: probers[p], User: s.Zones[0], Children: children(s, p, groups, probers, checks)})
		}
		return made[p]
	}
	for i, declared := range s.Groups {
		for j, r := range declared.Records {
			p := s.Probe(r.Probe)
			if p == nil || p.Type != config.ProbeCalculated {
				continue
			}
			groups[i].Records[j].watch(check(p))
			t.byCheck[made[p]] = union(t.byCheck[made[p]], groups[i:i+1])
		}
	}
	for _, g := range t.balancers {
		for i, site := range g.balancer.declared.Sites {
			if p := s.Probe(site.Probe); p != nil && p.Type == config.ProbeCalculated && s.Balancer(g.balancer.declared.Name) == g.balancer.declared {
				g.balancer.places[i].own = check(p)
				t.refs[made[p]]++
				t.byCheck[made[p]] = union(t.byCheck[made[p]], []*Group{g})
			}
		}
	}
}

// watch puts a check in place of the record's own.
func (r *Record) watch(c *health.Check) {
	switch {
	case r.alias != nil:
		r.alias.check = c
	case r.named != nil:
		r.named.check = c
	}
	for k := range r.values {
		r.values[k].check = c
	}
}

// children are the checks that a calculated probe counts: one for a probe with a target, those of a record.
func children(s *config.Stanza, p *config.Probe, groups []*Group, probers map[*config.Probe]*probe.Prober, checks Checker) [][]*health.Check {
	var out [][]*health.Check
	for _, name := range p.Children.Probes {
		out = append(out, []*health.Check{targetCheck(s, s.Probe(name), probers, checks)})
	}
	for _, ref := range p.Children.Records {
		g, r := s.Child(ref)
		out = append(out, groups[slices.Index(s.Groups, g)].Records[slices.Index(g.Records, r)].Checks())
	}
	return out
}

// targetCheck is the check of a probe that has a target of its own.
func targetCheck(s *config.Stanza, p *config.Probe, probers map[*config.Probe]*probe.Prober, checks Checker) *health.Check {
	return checks.Check(specFor(user{name: s.Zones[0]}, &config.Record{}, p, probers[p], s.Zones[0], nil))
}
