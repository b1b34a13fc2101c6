package healthroute

import (
	"context"
	"net/http"
	"slices"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// blockBalancer is a balancer, or a pool that is aliased by itself, in its server block.
type blockBalancer struct {
	block *block
	ways  []*route.Group // in which aliases use it; all weigh the same sites
}

// allBalancers are those of all blocks that anything answers from.
func (b apiBackend) allBalancers() []blockBalancer {
	var out []blockBalancer
	for _, block := range b.blocks() {
		at := map[string]int{}
		for _, g := range block.table.Balancers() {
			key := g.Zone() + " " + g.Balancer().Name
			i, known := at[key]
			if !known {
				i = len(out)
				at[key] = i
				out = append(out, blockBalancer{block: block})
			}
			out[i].ways = append(out[i].ways, g)
		}
	}
	return out
}

// declared is the balancer as it was declared.
func (b blockBalancer) declared() *config.Balancer { return b.ways[0].Balancer() }

// key orders balancers by name.
func (b blockBalancer) key() string {
	return b.declared().Name + " " + b.block.key + " " + b.ways[0].Zone()
}

// isDeclared reports whether it is none that an alias of a pool stands for.
func (b blockBalancer) isDeclared() bool { return b.ways[0].Name == "balancer "+b.declared().Name }

// balances are how its sites stand, one for each way and type.
func (b blockBalancer) balances() []*route.Set {
	var out []*route.Set
	for _, g := range b.ways {
		out = append(out, g.View().Sets()...)
	}
	return out
}

// siteNames are its sites, "" for targets without one.
func (b blockBalancer) siteNames() []string {
	var out []string
	for _, s := range b.balances() {
		for _, site := range s.Balance.Sites {
			if !slices.Contains(out, site.Site) {
				out = append(out, site.Site)
			}
		}
	}
	return out
}

// Balancers are the balancers of the newest instance, and the pools that are aliased by themselves.
func (b apiBackend) Balancers(_ context.Context, s status.Selection) (status.Page[status.Balancer], error) {
	all := b.allBalancers()
	chosen := all
	if s.Name != "" {
		chosen = slices.DeleteFunc(slices.Clone(all), func(b blockBalancer) bool { return !status.Names(s.Name, []string{b.declared().Name}, "") })
		if len(chosen) == 0 {
			var names []string
			for _, b := range all {
				names = append(names, b.declared().Name)
			}
			return status.Page[status.Balancer]{}, &status.Problem{
				Status: http.StatusNotFound, Message: "no balancer is called \"" + s.Name + "\"", Expected: "the name of a balancer, or of a pool that has aliases",
				Nearest: config.Nearest(s.Name, names),
			}
		}
	}
	return status.Cut(s, chosen, blockBalancer.key, showBalancer), nil
}

func showBalancer(b blockBalancer) status.Balancer {
	c := b.declared()
	out := status.Balancer{
		Balancer: c.Name, Block: b.block.key, Zone: b.ways[0].Zone(), Declared: b.isDeclared(), Pools: c.Pools,
		CrossSite: c.CrossSite == config.CrossSiteOn, Affinity: string(c.Affinity), Families: []status.BalancerFamily{}, Sites: []status.Site{},
	}
	if site, _, ok := admin.Shifted(c.Name); ok {
		out.Shift = overrideOf(health.ShiftObject(c.Name, site))
	}
	for _, g := range b.ways {
		for _, s := range g.View().Sets() {
			if len(s.Candidates) == 0 {
				continue // sources may find that family, and have not
			}
			out.Families = withFamily(out.Families, s)
			for _, site := range s.Balance.Sites {
				out.Sites = withSite(out.Sites, g, s, site)
			}
		}
	}
	return out
}

// withFamily adds how a balancer stands for a family; of several ways to use it, the worst.
func withFamily(families []status.BalancerFamily, s *route.Set) []status.BalancerFamily {
	seen := status.BalancerFamily{Family: familyOf(s.Type), Healthy: s.Balance.Healthy, Why: s.Balance.Why}
	for i, f := range families {
		if f.Family == seen.Family {
			if f.Healthy {
				families[i] = seen
			}
			return families
		}
	}
	return append(families, seen)
}

// withSite adds a site as one way to use its balancer sees it. Of several the one in which it answers counts, and one that reaches it before one that
// does not.
func withSite(sites []status.Site, g *route.Group, s *route.Set, of *route.SiteBalance) []status.Site {
	seen := status.Site{
		Site: of.Site, Family: familyOf(s.Type), Addresses: []string{}, Answers: of.Answers, Why: of.Why, Shifted: of.Shifted,
		Checks: refs(g.SiteChecks(of.Site, s.Type)), Pools: []status.SitePool{},
	}
	if of.Site != "" {
		seen.Override = overrideOf(health.SiteObject(of.Site))
	}
	for _, front := range g.Fronts() {
		for _, rr := range front.Values() {
			if front.Site == of.Site && rr.Header().Rrtype == s.Type {
				seen.Addresses = append(seen.Addresses, answer.Data(rr))
			}
		}
	}
	for _, p := range of.Pools {
		seen.Pools = append(seen.Pools, status.SitePool{
			Pool: p.Pool.Name, Registered: p.Registered, Usable: p.Usable, DNSFailover: p.DNSFailover, FailOpen: p.FailOpen,
		})
	}
	for i, known := range sites {
		if known.Site == seen.Site && known.Family == seen.Family {
			if !known.Answers && g.Reaches(of.Site) {
				sites[i] = seen
			}
			return sites
		}
	}
	return append(sites, seen)
}

// knownShifts are the sites of balancers that clients can be shifted away from.
func knownShifts(balancers []blockBalancer) []status.Known {
	var out []status.Known
	for _, b := range balancers {
		name := b.declared().Name
		for _, site := range b.siteNames() {
			if site != "" {
				out = append(out, status.Known{Object: health.ShiftObject(name, site), Names: []string{name}})
			}
		}
	}
	return out
}
