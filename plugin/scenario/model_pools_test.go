package scenario

import (
	"net/netip"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// balancing is spec 4.10 once more, slow and plain, for an alias of a pool or a balancer and one family. Everything is counted anew each time
// that it is asked for.
type balancing struct {
	*model
	balancer *config.Balancer
	only     string // the one site that the alias reaches; "" for all
	family   uint16
}

// seat is a target in one of its pools: it has one state in each (spec 4.10).
type seat struct {
	pool   *config.Pool
	target *config.Target
}

// balancing returns what the alias stands for; false if that is a group.
func (m *model) balancing(r *config.Record, family uint16) (balancing, bool) {
	switch {
	case r.Alias == nil:
	case r.Alias.Balancer != "":
		return balancing{m, m.balancers[r.Alias.Balancer], r.Alias.Site, family}, true
	case r.Alias.Pool != "":
		name := r.Alias.Pool
		return balancing{m, &config.Balancer{Name: name, Pools: []string{name}}, "", family}, true
	}
	return balancing{}, false
}

// addressOf is the target's address of the family, or false.
func addressOf(addresses []netip.Addr, family uint16) (netip.Addr, bool) {
	i := slices.IndexFunc(addresses, func(a netip.Addr) bool { return a.Is4() == (family == dns.TypeA) })
	if i < 0 {
		return netip.Addr{}, false
	}
	return addresses[i], true
}

// knows reports whether the pool has a target of the family, in whatever state.
func knows(p *config.Pool, family uint16) bool {
	return slices.ContainsFunc(p.Targets, func(t *config.Target) bool { _, ok := addressOf(t.Addresses, family); return ok })
}

// pools are those that count for the family (spec 6, and 7.2, P-16): a pool that has targets of the other family alone does not, one without any
// target does. Addresses of sites stand before targets of any family, so that where no pool has any of the family all count.
func (x balancing) pools() []*config.Pool {
	var all, of []*config.Pool
	has := false
	for _, name := range x.balancer.Pools {
		p := x.model.pools[name]
		all = append(all, p)
		if knows(p, x.family) || len(p.Targets) == 0 {
			of = append(of, p)
		}
		has = has || knows(p, x.family)
	}
	if x.balancer.HasAddresses() && !has {
		return all
	}
	return of
}

// familyOf is the family of the targets that the pool is judged by.
func (x balancing) familyOf(p *config.Pool) uint16 {
	if knows(p, x.family) {
		return x.family
	}
	return dns.TypeA + dns.TypeAAAA - x.family
}

// takesOut reports whether a word of an operator takes out what it is said of.
func takesOut(word string) bool {
	return slices.Contains([]string{"disabled", "draining", "deregistered"}, word)
}

// seatAdmin is the admin state of a target: what takes out all around it stands before what is said of itself.
func (x balancing) seatAdmin(s seat) string {
	pool, site := x.admin[s.pool.Name], x.admin["site "+s.target.Site]
	if (pool == "" || pool == "enabled") && s.pool.Disabled {
		pool = "disabled"
	}
	switch own := x.admin[s.pool.Name+"/"+s.target.ID]; {
	case takesOut(pool) || takesOut(site):
		return "disabled"
	case own != "" && own != "enabled":
		return own
	case s.target.Admin == "" && (pool == "always" || site == "always"):
		return "always"
	}
	return string(s.target.Admin)
}

// counts reports whether the target is registered: it has an address of the family and is neither taken out nor stopped.
func (x balancing) counts(s seat) bool {
	a, ok := addressOf(s.target.Addresses, x.familyOf(s.pool))
	admin := x.seatAdmin(s)
	return ok && !takesOut(admin) && (admin == "always" || x.health[seatKey(s, a)] != "stopped")
}

func (x balancing) works(s seat) bool {
	a, _ := addressOf(s.target.Addresses, x.familyOf(s.pool))
	return x.seatAdmin(s) == "always" || x.passes(seatKey(s, a))
}

// seatKey is where the health of a target's address stands: that of its check, as PROBE@TARGET. A target without a probe has none.
func seatKey(s seat, a netip.Addr) string {
	port := s.target.Port
	if port == 0 {
		port = 80
	}
	return poolProbe(s.pool.Name) + "@" + netip.AddrPortFrom(a, port).String()
}

// enabled are the sites that are: those that the balancer names, else those of its targets. One that an operator has taken out is not.
func (x balancing) enabled() []string {
	var out []string
	for _, s := range x.balancer.Sites {
		out = append(out, s.Name)
	}
	for _, name := range x.balancer.Pools {
		for _, t := range x.model.pools[name].Targets {
			if len(x.balancer.Sites) == 0 && !slices.Contains(out, t.Site) {
				out = append(out, t.Site)
			}
		}
	}
	return slices.DeleteFunc(out, func(site string) bool { return takesOut(x.admin["site "+site]) })
}

// open are the enabled sites that clients are not shifted away from; all, if they are from every one (spec 7.2, P-10).
func (x balancing) open() []string {
	shifted := func(site string) bool { return slices.Contains(x.shifts, x.balancer.Name+"/"+site) }
	out := slices.DeleteFunc(x.enabled(), shifted)
	if len(out) == 0 {
		return x.enabled()
	}
	return out
}

// crosses reports whether all sites are counted together for the pool: its own word stands over the balancer's.
func (x balancing) crosses(p *config.Pool) bool {
	return p.CrossSite == config.CrossSiteOn || p.CrossSite == "" && x.balancer.CrossSite == config.CrossSiteOn
}

// scope are the sites that are counted together with this one for the pool.
func (x balancing) scope(p *config.Pool, site string) []string {
	if x.crosses(p) {
		return x.open()
	}
	return []string{site}
}

// registered are the pool's targets in some sites that count.
func (x balancing) registered(p *config.Pool, sites []string) []seat {
	var out []seat
	for _, t := range p.Targets {
		if s := (seat{p, t}); slices.Contains(sites, t.Site) && x.counts(s) {
			out = append(out, s)
		}
	}
	return out
}

func (x balancing) healthy(seats []seat) []seat {
	return slices.DeleteFunc(slices.Clone(seats), func(s seat) bool { return !x.works(s) })
}

// breach is the formula of spec 4.10.
func breach(t config.Threshold, healthy, registered int) bool {
	return t.Count != 0 && healthy < t.Count || t.Percent != 0 && 100*healthy < t.Percent*registered
}

// bad reports whether the site has too little that works in any pool, or its own probe fails.
func (x balancing) bad(site string) bool {
	for _, p := range x.pools() {
		all := x.registered(p, x.scope(p, site))
		empty := len(all) == 0 && p.DNSFailover != (config.Threshold{}) && !x.crosses(p)
		if empty || breach(p.DNSFailover, len(x.healthy(all)), len(all)) {
			return true
		}
	}
	return !x.probePasses(site)
}

// probePasses reports whether the site's own probe does, or there is none. One that tests the site's addresses tests that of the family.
func (x balancing) probePasses(site string) bool {
	i := slices.IndexFunc(x.balancer.Sites, func(s *config.Site) bool { return s.Name == site })
	if i < 0 || x.balancer.Sites[i].Probe == "" || x.admin["site "+site] == "always" {
		return true
	}
	s := x.balancer.Sites[i]
	a, ok := addressOf(s.Addresses, x.family)
	if target := x.ownTargets[s.Probe]; target.IsValid() {
		a, ok = target, true
	}
	return !ok || x.passes(s.Probe+"@"+a.String())
}
