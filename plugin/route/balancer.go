package route

import (
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// balancer makes a group answer from pools (spec 4.10): such a group stands behind aliases of a pool or a balancer, and has a view like every
// other, so that all that is true of aliases of groups is true of them.
type balancer struct {
	declared *config.Balancer
	pools    []*Pool
	places   []*place  // the sites that are declared
	fronts   []*Record // sites' addresses, answered instead of targets, in the order of the sites; nil: targets are answered
	site     string    // the one site that the alias reaches; "" for all
	draws    bool      // one target is drawn by its weight; otherwise all that are used answer, up to the group's max
	shifted  func(site string) bool
	admin    func(site string) health.AdminState // what an operator says of everything in the site; "" for nothing
}

// place is a declared site of a balancer.
type place struct {
	front *Record       // with the site's addresses as values, if it has any
	own   *health.Check // of a probe that is one check, whatever it stands for; nil if the probe tests the addresses, or there is none
}

// balancerPolicy is the word that explanations have for what such a group does.
const balancerPolicy config.Policy = "balancer"

// balancing stands for it among the policies.
var balancing = &policy{heldBack: "its site does not answer"}

// usage tells the aliases of a balancer apart that need a group of their own: those that choose among its targets in another way.
type usage struct {
	balancer string
	site     string
	draws    bool
	max      int
	sticky   config.Sticky // the zero value for none
}

// usageOf is how the alias r of the group uses its balancer (spec 4.15, alias to a pool).
func usageOf(g *config.Group, r *config.Record) usage {
	u := usage{balancer: r.Alias.Pool + r.Alias.Balancer, site: r.Alias.Site, draws: g.Policy == config.PolicyWeighted}
	if !u.draws {
		u.max = g.Max
	}
	if g.Sticky != nil {
		u.sticky = *g.Sticky
	}
	return u
}

// compileBalancers ties the aliases of pools and balancers among the stanza's groups to groups that answer for those.
func (t *Table) compileBalancers(s *config.Stanza, groups []*Group, probers map[*config.Probe]*probe.Prober) error {
	made := map[usage]*Group{}
	pools := map[string]*Pool{}
	for _, g := range groups {
		for _, r := range g.Records {
			if r.alias == nil {
				continue
			}
			b := s.BalancerOf(r.Config.Alias)
			if b == nil {
				continue
			}
			u := usageOf(g.Config, r.Config)
			if made[u] == nil {
				inner, err := t.compileBalancer(s, b, u, pools, probers)
				if err != nil {
					return err
				}
				made[u] = inner
				t.balancers = append(t.balancers, inner)
			}
			r.alias.groups = []*Group{made[u]}
		}
	}
	for _, c := range s.Pools { // in the order of declaration
		if p := pools[c.Name]; p != nil {
			t.pools = append(t.pools, p)
		}
	}
	return nil
}

// compileBalancer makes the group of a balancer; pools are those that have been made already.
func (t *Table) compileBalancer(s *config.Stanza, b *config.Balancer, u usage, pools map[string]*Pool, probers map[*config.Probe]*probe.Prober) (*Group, error) {
	name := "balancer " + b.Name
	if s.Balancer(b.Name) == nil {
		name = "pool " + b.Name
	}
	g := &Group{
		Name: name, Policy: balancerPolicy, TTL: uint32(b.TTL.Seconds()), minTTL: b.MinTTL, LastResort: config.LastResortAll, Hidden: true,
		Config: &config.Group{Places: b.Places}, max: u.max, now: t.checks.Now, origins: s.Zones[:1],
	}
	if u.sticky != (config.Sticky{}) {
		g.sticky = &u.sticky
	}
	g.balancer = &balancer{declared: b, site: u.site, draws: u.draws, admin: func(site string) health.AdminState { return t.ofSite(site).state }, shifted: func(site string) bool {
		return t.said(health.ShiftObject(b.Name, site), "") == health.Shifted
	}}
	for _, name := range b.Pools {
		if pools[name] == nil {
			p, err := t.compilePool(s, s.Pool(name), probers)
			if err != nil {
				return nil, err
			}
			pools[name] = p
		}
		pools[name].users = append(pools[name].users, g)
		g.balancer.pools = append(g.balancer.pools, pools[name])
	}
	for _, site := range b.Sites {
		at, err := t.compileSite(s, b, site, name, probers)
		if err != nil {
			return nil, err
		}
		g.balancer.places = append(g.balancer.places, at)
		if b.HasAddresses() {
			g.balancer.fronts = append(g.balancer.fronts, at.front)
		}
	}
	g.types = g.balancer.types()
	for _, c := range g.balancedChecks() {
		t.byCheck[c] = append(t.byCheck[c], g)
	}
	return g, nil
}

// compileSite makes a declared site with its checks. A calculated probe gets its check when all that it counts is there (calculate).
func (t *Table) compileSite(s *config.Stanza, b *config.Balancer, site *config.Site, name string, probers map[*config.Probe]*probe.Prober) (*place, error) {
	at := &place{front: &Record{ID: site.Name, Index: -1, Site: site.Name, Config: site.Record(b), origins: s.Zones[:1]}}
	of := s.Probe(site.Probe)
	if of != nil && of.IsOne() && of.Type != config.ProbeCalculated {
		at.own = targetCheck(s, of, probers, t.checks)
	}
	if err := at.front.compileValues(user{name: name + " of " + s.Zones[0]}, of, probers[of], s.Zones[0], t.checks); err != nil {
		return nil, err
	}
	for _, check := range at.checks() {
		t.refs[check]++
	}
	return at, nil
}

// checks are those of the site's own probe, each once.
func (p *place) checks() []*health.Check {
	if p.own != nil {
		return []*health.Check{p.own}
	}
	return p.front.Checks()
}

// watch returns the checks of the site's own probe that count for the type: of its addresses, that of the family (spec 4.12).
func (b *balancer) watch(site string, qtype uint16) []*health.Check {
	p := b.place(site)
	switch {
	case p == nil:
		return nil
	case p.own != nil:
		return []*health.Check{p.own}
	}
	return p.front.ChecksFor(qtype)
}

// place returns the site as it is declared, or nil.
func (b *balancer) place(site string) *place {
	for _, p := range b.places {
		if p.front.Site == site {
			return p
		}
	}
	return nil
}

// lacks reports whether the site has no address of the type, where sites' addresses are answered.
func (b *balancer) lacks(site string, qtype uint16) bool {
	return b.fronts != nil && len(b.place(site).front.of(qtype)) == 0
}

// sites are those that are enabled: the declared ones, or else those of all targets, of whatever family.
func (b *balancer) sites() []string {
	var out []string
	for _, p := range b.places {
		out = append(out, p.front.Site)
	}
	if out != nil {
		return out
	}
	for _, p := range b.pools {
		for _, r := range p.Targets() {
			if !slices.Contains(out, r.Site) {
				out = append(out, r.Site)
			}
		}
	}
	return out
}

// types are those that the balancer may answer: what sources find may be of both families, and so may what is still to come where there is no
// target.
func (b *balancer) types() []uint16 {
	both := []uint16{dns.TypeA, dns.TypeAAAA}
	open := func(p *Pool) bool { return len(p.Config.Sources) > 0 }
	if b.fronts == nil && (slices.ContainsFunc(b.pools, open) || !slices.ContainsFunc(b.pools, func(p *Pool) bool { return len(p.Targets()) > 0 })) {
		return both
	}
	return slices.DeleteFunc(both, func(t uint16) bool {
		if b.fronts != nil {
			return !slices.ContainsFunc(b.fronts, func(r *Record) bool { return len(r.of(t)) > 0 })
		}
		return !slices.ContainsFunc(b.pools, func(p *Pool) bool { return p.has(t) })
	})
}

// enables reports whether targets of the site count.
func (b *balancer) enables(site string) bool {
	return len(b.declared.Sites) == 0 || slices.ContainsFunc(b.declared.Sites, func(s *config.Site) bool { return strings.EqualFold(s.Name, site) })
}

// longestTTL is the longest that an answer of the balancer may be kept.
func (b *balancer) longestTTL() time.Duration {
	if b.fronts != nil {
		return b.declared.TTL
	}
	longest := time.Duration(0)
	for _, p := range b.pools {
		longest = max(longest, p.Config.TTL)
	}
	return longest
}

// balancedChecks returns the checks that a balancer's answers follow, each once; none for other groups.
func (g *Group) balancedChecks() []*health.Check {
	if g.balancer == nil {
		return nil
	}
	var out []*health.Check
	for _, p := range g.balancer.pools {
		out = append(out, p.checks()...)
	}
	for _, at := range g.balancer.places {
		out = append(out, at.checks()...)
	}
	seen := make(map[*health.Check]bool, len(out))
	return slices.DeleteFunc(out, func(c *health.Check) bool {
		again := seen[c]
		seen[c] = true
		return again
	})
}

// Fronts returns the sites' addresses of a balancer that answers them, as records; none for other groups.
func (g *Group) Fronts() []*Record {
	if g.balancer == nil {
		return nil
	}
	return g.balancer.fronts
}

// Balancers returns the groups that answer for pools and balancers, behind aliases.
func (t *Table) Balancers() []*Group { return t.balancers }
