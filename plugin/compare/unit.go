package compare

import (
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
)

// unit is something that is declared, with all else that its answers depend on.
type unit struct {
	label   string
	lines   []keyed
	inOrder bool // the order of its records matters
	needs   []need
	clients clients // who may be answered differently because of it
}

// need names another unit of the stanza: a group, a pool, a balancer, or the part of a probe that decides without looking at the target.
type need struct {
	kind, name string
}

// kinds of units.
const (
	aGroup    = "group"
	aPool     = "pool"
	aBalancer = "balancer"
	aProbe    = "probe"
	aRecord   = "record" // what a calculated probe counts
	aHost     = "host"   // a name that records lead to
)

// groupUnit is the unit of a group. A group that stands for a name server's addresses is one too.
func (s *side) groupUnit(stanza *config.Stanza, g *config.Group) *unit {
	if u := s.units[g]; u != nil {
		return u
	}
	u := &unit{label: "group " + g.Names[0], lines: s.keys(stanza, corefile.GroupLines(stanza, g))}
	s.units[g] = u
	u.inOrder = g.Policy == config.PolicyRoundRobin || g.Policy == config.PolicyLatency || g.Policy == config.PolicyProximity
	u.clients.ofGroup(g)
	for _, r := range g.Records {
		u.need(aProbe, r.Probe)
		for _, v := range r.Values {
			u.leads(stanza, v)
		}
		if r.Alias == nil {
			continue
		}
		for _, name := range r.Alias.Group {
			u.need(aGroup, name)
		}
		if b := stanza.BalancerOf(r.Alias); b != nil {
			u.need(aBalancer, r.Alias.Balancer)
			for _, pool := range b.Pools {
				u.need(aPool, pool)
			}
		}
	}
	for _, name := range g.Sorry {
		u.need(aGroup, name)
	}
	return u
}

// leads notes the hosts whose records stand in the answer beside the value.
func (u *unit) leads(stanza *config.Stanza, v config.Value) {
	if v.Type != dns.TypeCNAME && v.Type != dns.TypeSVCB && v.Type != dns.TypeHTTPS {
		return
	}
	for _, zone := range stanza.Zones {
		if rr, err := v.RR(zone, zone, 0); err == nil {
			host, _ := config.HostOf(rr, zone)
			u.need(aHost, dns.CanonicalName(host))
		}
	}
}

func (u *unit) need(kind, name string) {
	if n := (need{kind, name}); name != "" && name != "." && !slices.Contains(u.needs, n) {
		u.needs = append(u.needs, n)
	}
}

// unitKey finds a unit that is no group.
type unitKey struct {
	stanza *config.Stanza
	need
}

// unit makes the unit that is needed; nil if the stanza has none.
func (s *side) unit(stanza *config.Stanza, n need) *unit {
	key := unitKey{stanza, n}
	if u, made := s.units[key]; made {
		return u
	}
	u := s.makeUnit(stanza, n)
	s.units[key] = u
	return u
}

func (s *side) makeUnit(stanza *config.Stanza, n need) *unit {
	u := &unit{label: n.kind + " " + n.name}
	switch n.kind {
	case aPool:
		p := stanza.Pool(n.name)
		if p == nil {
			return nil
		}
		u.lines = s.keys(stanza, corefile.PoolLines(stanza, p))
		for _, t := range p.Targets {
			u.need(aProbe, t.Probe)
		}
	case aBalancer:
		b := stanza.Balancer(n.name)
		if b == nil {
			return nil
		}
		u.lines = s.keys(stanza, corefile.BalancerLines(stanza, b))
		u.clients.ofBalancer(stanza, b)
		for _, site := range b.Sites {
			u.need(aProbe, site.Probe)
		}
	case aProbe:
		p := stanza.Probe(n.name)
		if p == nil {
			return nil
		}
		u.probe(s, stanza, p)
	case aRecord:
		return s.recordUnit(stanza, n.name)
	default:
		return nil
	}
	return u
}

// probe is what of a probe changes answers whatever its targets do. All else of it is told where checks are.
func (u *unit) probe(s *side, stanza *config.Stanza, p *config.Probe) {
	for _, k := range s.keys(stanza, corefile.ProbeLines(stanza, p)) {
		if k.key == "assume" || p.Type == config.ProbeCalculated && (k.key == "of" || k.key == "healthy") {
			u.lines = append(u.lines, k)
		}
	}
	for _, child := range p.Children.Probes {
		u.need(aProbe, child)
	}
	for _, ref := range p.Children.Records {
		u.need(aRecord, ref.Group[0]+"/"+ref.Record)
	}
}

// recordUnit is the one record of a group that a calculated probe counts.
func (s *side) recordUnit(stanza *config.Stanza, name string) *unit {
	for _, g := range stanza.Groups {
		for _, r := range g.Records {
			if g.Names[0]+"/"+r.ID != name {
				continue
			}
			u := &unit{label: "record " + name}
			for _, k := range s.groupUnit(stanza, g).lines {
				if isRecord(k.key) && (k.key == "record "+r.ID || k.key == "alias "+r.ID) {
					u.lines = append(u.lines, k)
				}
			}
			u.need(aProbe, r.Probe)
			return u
		}
	}
	return nil
}

// keys are lines by their keys, with the names that probes go by.
func (s *side) keys(stanza *config.Stanza, lines []corefile.Line) []keyed {
	names := s.probes[stanza]
	out := keys(lines, s.world.Dir())
	if len(names) == 0 {
		return out
	}
	for i, k := range out {
		rest := slices.Clone(k.rest)
		for j, word := range rest {
			if name, renamed := names[word]; renamed && (j > 0 && rest[j-1] == "probe" || j == 0 && k.key == "probe") {
				rest[j] = name
			}
		}
		out[i].rest = rest
	}
	return out
}
