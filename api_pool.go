package healthroute

import (
	"context"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/discover"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// blockPool is a pool in its server block.
type blockPool struct {
	block *block
	*route.Pool
}

// allPools are those of all blocks that anything answers from, in the order of declaration.
func (b apiBackend) allPools() []blockPool {
	var out []blockPool
	for _, block := range b.blocks() {
		for _, p := range block.table.Pools() {
			out = append(out, blockPool{block, p})
		}
	}
	return out
}

// key orders pools by name.
func (p blockPool) key() string { return p.Name + " " + p.block.key + " " + p.Zone() }

// Pools are the pools of the newest instance.
func (b apiBackend) Pools(_ context.Context, s status.Selection) (status.Page[status.Pool], error) {
	all := b.allPools()
	chosen := all
	if s.Name != "" {
		chosen = slices.DeleteFunc(slices.Clone(all), func(p blockPool) bool { return !status.Names(s.Name, []string{p.Name}, "") })
		if len(chosen) == 0 {
			_, problem := status.Find("pool "+s.Name, knownPools(all))
			return status.Page[status.Pool]{}, noSuch(problem)
		}
	}
	return status.Cut(s, chosen, blockPool.key, showPool), nil
}

func showPool(p blockPool) status.Pool {
	out := status.Pool{
		Pool: p.Name, Block: p.block.key, Zone: p.Zone(), Admin: string(p.admin()), Override: overrideOf(health.PoolObject(p.Name, "")),
		DNSFailover: p.Config.DNSFailover.String(), FailOpen: p.Config.FailOpen.String(), Drain: p.Config.Drain.Seconds(),
		Balancers: []string{}, Sources: []status.Source{}, Sites: p.sites(), Targets: []status.Target{},
	}
	for _, g := range p.Balancers() {
		if name := g.Balancer().Name; !slices.Contains(out.Balancers, name) {
			out.Balancers = append(out.Balancers, name)
		}
	}
	var sources []string
	for _, s := range p.block.sources.All() {
		if s.Pool == p.Pool {
			sources = append(sources, s.String())
			out.Sources = append(out.Sources, showSource(s))
		}
	}
	shares := p.shares()
	for _, m := range p.block.table.Members(p.Pool) {
		out.Targets = append(out.Targets, p.showTarget(m, sources, shares))
	}
	return out
}

// admin is what holds of the pool itself: an operator's word, else the Corefile's.
func (p blockPool) admin() health.AdminState {
	v, ok := admin.Override(health.PoolObject(p.Name, ""))
	if !ok && p.Config.Disabled {
		return health.Disabled
	}
	return v.State
}

// sites are the pool's sites by family; of several balancers the worst counts.
func (p blockPool) sites() []status.PoolSite {
	out := []status.PoolSite{}
	for _, g := range p.Balancers() {
		for _, s := range g.View().Sets() {
			if len(s.Candidates) == 0 {
				continue // sources may find that family, and have not
			}
			for _, site := range s.Balance.Sites {
				for _, of := range site.Pools {
					if of.Pool == p.Pool {
						out = merge(out, status.PoolSite{
							Site: site.Site, Family: familyOf(s.Type), Registered: of.Registered, Usable: of.Usable, DNSFailover: of.DNSFailover,
							FailOpen: of.FailOpen, Shifted: site.Shifted, Answers: site.Answers,
						})
					}
				}
			}
		}
	}
	return out
}

// merge adds a site as a balancer sees it to what others see.
func merge(sites []status.PoolSite, seen status.PoolSite) []status.PoolSite {
	for i, s := range sites {
		if s.Site == seen.Site && s.Family == seen.Family {
			sites[i].DNSFailover = s.DNSFailover || seen.DNSFailover
			sites[i].FailOpen = s.FailOpen || seen.FailOpen
			sites[i].Shifted = s.Shifted || seen.Shifted
			sites[i].Answers = s.Answers || seen.Answers
			return sites
		}
	}
	return append(sites, seen)
}

// familyOf is the family of the addresses of a type.
func familyOf(qtype uint16) string {
	if qtype == dns.TypeA {
		return "ipv4"
	}
	return "ipv6"
}

// shares are the exact parts that targets stand in of what aliases of the pool get, as far as all aliases get the same.
func (p blockPool) shares() shares {
	var out shares
	for _, g := range p.Balancers() {
		if len(g.Fronts()) > 0 {
			return shares{} // sites' addresses are answered
		}
		own := sharesOf(g)
		if out == nil {
			out = own
		}
		for qtype, of := range out {
			for r, part := range of {
				if own[qtype][r] != part {
					delete(of, r)
				}
			}
		}
	}
	return out
}

func showSource(s *route.Source) status.Source {
	state := s.State()
	out := status.Source{Source: s.String(), Fortune: string(state.Fortune), Known: state.Known, Good: unlessZero(state.Good)}
	if state.Fortune != discover.Good {
		out.Fault = state.Fault
	}
	return out
}

func (p blockPool) showTarget(m route.Member, sources []string, parts shares) status.Target {
	out := status.Target{
		Target: m.ID, Values: []string{}, Port: m.Port(), Site: m.Site, Weight: m.Weight, Admin: string(m.Admin()),
		Override: overrideOf(health.PoolObject(p.Name, m.ID)), DrainingUntil: unlessZero(m.Until), Health: p.Health(m.Record).String(),
		Shares: parts.of(m.Record), Checks: refs(m.Checks()),
	}
	for _, rr := range m.Values() {
		out.Values = append(out.Values, answer.Data(rr))
	}
	if m.Source >= 0 {
		out.Found = sources[m.Source]
	}
	if m.Admin() == health.Enabled {
		out.Since, out.Reason = lastWord(m.Checks())
		return out
	}
	out.Reason = reasonOf(out.Override, out.Admin, func() string { return p.block.table.WhyTarget(m.Record) })
	return out
}

// of are the parts of a record, by type.
func (s shares) of(r *route.Record) map[string]string {
	out := map[string]string{}
	for qtype, of := range s {
		if part, ok := of[r]; ok {
			out[qtype] = part
		}
	}
	return out
}

// knownPools are the pools and their targets as objects. A target goes by its addresses too.
func knownPools(pools []blockPool) []status.Known {
	var out []status.Known
	for _, p := range pools {
		names := []string{p.Name}
		out = append(out, status.Known{Object: health.PoolObject(p.Name, ""), Names: names})
		for _, r := range p.Targets() {
			known := status.Known{Object: health.PoolObject(p.Name, r.ID), Names: names}
			for _, rr := range r.Values() {
				known.Members = append(known.Members, answer.Data(rr))
			}
			out = append(out, known)
		}
	}
	return out
}
