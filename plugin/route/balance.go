package route

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// Balance is how the sites of a balancer stand for one type (spec 4.10). It is part of a set, and as immutable.
type Balance struct {
	Balancer *config.Balancer
	Sites    []*SiteBalance // those that are enabled, in the order of declaration
	Healthy  bool           // to an alias that evaluates it
	Why      string         // why not

	usable, registered int          // targets of all sites that are not shifted away
	targets            []*Candidate // of enabled sites, those that are taken out too
}

// SiteBalance is how one site of a balancer stands.
type SiteBalance struct {
	Site    string // "" for targets without one
	Answers bool
	Bad     bool   // a pool has too few healthy targets here, or the site's own probe fails
	Shifted bool   // an operator shifts clients away from it
	Why     string // why it answers or does not
	Pools   []PoolBalance
}

// PoolBalance is a pool in the scope of its thresholds: the site, or with cross-site on all sites together. Targets that are draining, taken
// out or in a site that is not enabled count nowhere.
type PoolBalance struct {
	Pool        *Pool
	Usable      int
	Registered  int
	DNSFailover bool // too few for the site to answer
	FailOpen    bool // so few that all are used, healthy or not

	used []*Candidate
}

// tally is a pool's registered targets, by site.
type tally struct {
	pool      *Pool
	crossSite bool
	of        map[string][]*Candidate
}

// balance weighs the sites of the group's balancer for the type.
func (j *judge) balance(qtype uint16) *Balance {
	b := j.group.balancer
	out := &Balance{Balancer: b.declared}
	for _, s := range b.declared.Sites {
		out.enter(s.Name)
	}
	var tallies []tally
	for _, p := range b.poolsFor(qtype) {
		tallies = append(tallies, j.tally(p, qtype, out))
	}
	for _, s := range out.Sites {
		_, s.Shifted = b.shifted(s.Site)
	}
	inScope := out.unshifted()
	for _, t := range tallies {
		together := t.weigh(inScope)
		out.usable += together.Usable
		out.registered += together.Registered
		for _, s := range out.Sites {
			if t.crossSite {
				s.Pools = append(s.Pools, together)
			} else {
				s.Pools = append(s.Pools, t.weigh([]*SiteBalance{s}))
			}
		}
	}
	for _, s := range out.Sites {
		s.judge(j, b)
	}
	out.decide(b.site)
	out.assess(b, tallies)
	return out
}

// enter notes that there is such a site.
func (b *Balance) enter(site string) {
	if b.site(site) == nil {
		b.Sites = append(b.Sites, &SiteBalance{Site: site})
	}
}

func (b *Balance) site(name string) *SiteBalance {
	for _, s := range b.Sites {
		if s.Site == name {
			return s
		}
	}
	return nil
}

// unshifted are the sites that clients are not shifted away from; all, if they are from all.
func (b *Balance) unshifted() []*SiteBalance {
	of := slices.DeleteFunc(slices.Clone(b.Sites), func(s *SiteBalance) bool { return s.Shifted })
	if len(of) == 0 {
		return b.Sites
	}
	return of
}

// poolsFor returns the pools that count for the type: those with targets of it, and those without any target, which are unhealthy (spec 7.1, C-7).
// Where no pool has any of the type, sites' addresses are judged by the targets that there are.
func (b *balancer) poolsFor(qtype uint16) []*Pool {
	lacks := func(p *Pool) bool { return !p.has(qtype) }
	if b.fronts != nil && !slices.ContainsFunc(b.pools, func(p *Pool) bool { return p.has(qtype) }) {
		return b.pools
	}
	return slices.DeleteFunc(slices.Clone(b.pools), func(p *Pool) bool { return lacks(p) && len(p.Targets()) > 0 })
}

// tally judges the targets of a pool in enabled sites. Sites that are not declared come from the targets.
func (j *judge) tally(p *Pool, qtype uint16, into *Balance) tally {
	b := j.group.balancer
	t := tally{pool: p, crossSite: b.declared.CrossSite == config.CrossSiteOn, of: map[string][]*Candidate{}}
	if p.Config.CrossSite != "" {
		t.crossSite = p.Config.CrossSite == config.CrossSiteOn
	}
	if !p.has(qtype) {
		qtype = otherFamily(qtype)
	}
	targets := p.Targets()
	candidates := make([]Candidate, 0, len(targets)) // one block of memory
	for _, r := range targets {
		if !b.enables(r.Site) {
			continue
		}
		c, ok := j.candidate(r, qtype)
		if !ok {
			continue
		}
		into.enter(r.Site)
		candidates = append(candidates, c)
		own := &candidates[len(candidates)-1]
		into.targets = append(into.targets, own)
		if own.eligible() {
			t.of[r.Site] = append(t.of[r.Site], own)
		}
	}
	return t
}

func otherFamily(qtype uint16) uint16 {
	if qtype == dns.TypeA {
		return dns.TypeAAAA
	}
	return dns.TypeA
}

// weigh holds the targets in some sites against the pool's thresholds.
func (t tally) weigh(sites []*SiteBalance) PoolBalance {
	p := PoolBalance{Pool: t.pool}
	var all, usable []*Candidate
	for _, s := range sites {
		of := t.of[s.Site]
		all = append(all, of...)
		usable = append(usable, upTo(of, Usable)...)
	}
	p.Usable, p.Registered = len(usable), len(all)
	dns := t.pool.Config.DNSFailover
	p.DNSFailover = breached(dns, p.Usable, p.Registered) || p.Registered == 0 && dns != (config.Threshold{})
	p.FailOpen = breached(t.pool.Config.FailOpen, p.Usable, p.Registered)
	p.used = usable
	if p.FailOpen {
		p.used = all
	}
	return p
}

// breached reports whether either part of the threshold is missed; to meet it exactly is enough.
func breached(t config.Threshold, usable, registered int) bool {
	return t.Count != 0 && usable < t.Count || t.Percent != 0 && 100*usable < t.Percent*registered
}

// judge says whether the site is bad: too little works in any pool, or its own probe fails.
func (s *SiteBalance) judge(j *judge, b *balancer) {
	s.Why = "enough works"
	for _, p := range s.Pools {
		if p.DNSFailover {
			s.Bad = true
			s.Why = fmt.Sprintf("pool %s has too few usable targets: %d of %d, wanted %s", p.Pool.Name, p.Usable, p.Registered, p.Pool.Config.DNSFailover)
			break
		}
	}
	if checks := b.probes[s.Site]; len(checks) > 0 && !slices.ContainsFunc(checks, j.usable) {
		s.Bad, s.Why = true, "its own probe fails"
	}
}

// decide says which sites answer: the good ones, else all; never one that is shifted away while there is another one (spec 4.10, P-10). An alias
// of one site reaches that, whatever its health.
func (b *Balance) decide(only string) {
	if only != "" {
		for _, s := range b.Sites {
			if s.Answers = s.Site == only; !s.Answers {
				s.Why = "the alias reaches another site"
			}
		}
		return
	}
	open := b.unshifted()
	good := slices.ContainsFunc(open, func(s *SiteBalance) bool { return !s.Bad })
	for _, s := range b.Sites {
		switch {
		case !slices.Contains(open, s):
			s.Why = "shifted away"
		case !s.Bad:
			s.Answers = true
		case !good:
			s.Answers = true
			s.Why += "; but no site is better, so all answer"
		}
	}
}

// assess says whether the balancer is healthy to an alias (spec 4.15): every pool meets its thresholds over all sites together, or at the one site
// that the alias reaches, and has a target at all; and where sites have probes of their own, one of them passes.
func (b *Balance) assess(of *balancer, tallies []tally) {
	scope := b.unshifted()
	if of.site != "" {
		scope = slices.DeleteFunc(slices.Clone(b.Sites), func(s *SiteBalance) bool { return s.Site != of.site })
	}
	for _, t := range tallies {
		p := t.weigh(scope)
		if t.crossSite {
			p = t.weigh(b.unshifted())
		}
		if p.DNSFailover || p.Registered == 0 {
			b.Why = fmt.Sprintf("pool %s has %d usable of %d targets, wanted %s", p.Pool.Name, p.Usable, p.Registered, p.Pool.Config.DNSFailover)
			return
		}
	}
	probed := func(s *SiteBalance) bool { return len(of.probes[s.Site]) > 0 }
	if len(scope) > 0 && !slices.ContainsFunc(scope, func(s *SiteBalance) bool {
		return !probed(s) || slices.ContainsFunc(of.probes[s.Site], (*health.Check).Usable)
	}) {
		b.Why = "no site's own probe passes"
		return
	}
	b.Healthy = len(tallies) > 0
	if !b.Healthy {
		b.Why = "no pool has a target"
	}
}

// heldBack says why a usable target, or a good site, does not answer.
func (b *Balance) heldBack(c *Candidate) string {
	site := b.site(c.Record.Site)
	switch {
	case site == nil || site.Answers:
		return "another target answers in its place"
	case site.Site == "":
		return "targets without a site do not answer: " + site.Why
	}
	return fmt.Sprintf("site %s does not answer: %s", site.Site, site.Why)
}

// status is the health of an alias of a healthy balancer: checking while no usable target has a verdict.
func (b *Balance) status() health.Status {
	status := health.Healthy
	for _, c := range b.targets {
		if c.Standing == Usable {
			if status = c.Status(c.values[0].rrType); status != health.Checking {
				return health.Healthy
			}
		}
	}
	return status
}
