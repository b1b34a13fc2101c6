package route

import (
	"fmt"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// Balance is how the sites of a balancer stand for one type (spec 4.10). It is part of a set, and as immutable.
type Balance struct {
	Balancer *config.Balancer
	Sites    []*SiteBalance // those that are enabled, in the order of declaration
	Healthy  bool           // to an alias that evaluates it
	Why      string         // why not

	open               []*SiteBalance // those that may answer at all
	usable, registered int            // targets of the sites that count to an alias
	targets            []*Candidate   // of enabled sites, those that are taken out too
}

// SiteBalance is how one site of a balancer stands.
type SiteBalance struct {
	Site    string // "" for targets without one
	Answers bool
	Bad     bool   // a pool has too few healthy targets here, or the site's own probe fails
	Shifted bool   // an operator shifts clients away from it
	Why     string // why it answers or does not
	Pools   []PoolBalance

	admin   health.AdminState // what an operator says of the site
	lacks   bool              // it has no address of the family
	failing bool              // its own probe fails
}

// balance weighs the sites of the group's balancer for the type.
func (j *judge) balance(qtype uint16) *Balance {
	b := j.group.balancer
	out := &Balance{Balancer: b.declared}
	for _, name := range b.sites() {
		out.Sites = append(out.Sites, &SiteBalance{Site: name, Shifted: b.shifted(name), admin: b.admin(name), lacks: b.lacks(name, qtype)})
	}
	out.open = unshifted(out.Sites)
	var tallies []tally
	for _, p := range b.poolsFor(qtype) {
		tallies = append(tallies, j.tally(p, qtype, out))
	}
	for _, t := range tallies {
		together := t.weigh(out.open)
		for _, s := range out.Sites {
			if !t.crossSite {
				together = t.weighAlone(s)
			}
			s.Pools = append(s.Pools, together)
		}
	}
	for _, s := range out.Sites {
		s.judge(j, b.watch(s.Site, qtype))
	}
	out.decide(b.site)
	out.assess(b.site, tallies)
	return out
}

func (b *Balance) site(name string) *SiteBalance {
	for _, s := range b.Sites {
		if s.Site == name {
			return s
		}
	}
	return nil
}

// unshifted are the sites that clients are not shifted away from; all, if they are from every one (spec 7.2, P-10). One that an operator has
// taken out is not among them.
func unshifted(sites []*SiteBalance) []*SiteBalance {
	enabled := slices.DeleteFunc(slices.Clone(sites), func(s *SiteBalance) bool { return takesOut(s.admin) })
	of := slices.DeleteFunc(slices.Clone(enabled), func(s *SiteBalance) bool { return s.Shifted })
	if len(of) == 0 {
		return enabled
	}
	return of
}

// isOpen reports whether the site may answer at all.
func (b *Balance) isOpen(s *SiteBalance) bool { return slices.Contains(b.open, s) }

// poolsFor returns the pools that count for the type: those with targets of it, and those without any target, which are unhealthy (spec 7.1, C-7).
// Where no pool has any of the type, sites' addresses are judged by the targets that there are.
func (b *balancer) poolsFor(qtype uint16) []*Pool {
	lacks := func(p *Pool) bool { return !p.has(qtype) }
	if b.fronts != nil && !slices.ContainsFunc(b.pools, func(p *Pool) bool { return p.has(qtype) }) {
		return b.pools
	}
	return slices.DeleteFunc(slices.Clone(b.pools), func(p *Pool) bool { return lacks(p) && len(p.Targets()) > 0 })
}

// judge says whether the site is bad: too little works in any pool, or its own probe, whose checks these are, fails.
func (s *SiteBalance) judge(j *judge, own []*health.Check) {
	s.Why = "enough works"
	for _, p := range s.Pools {
		if p.DNSFailover {
			s.Bad = true
			s.Why = fmt.Sprintf("pool %s has too few usable targets: %d of %d, wanted %s", p.Pool.Name, p.Usable, p.Registered, p.Pool.Config.DNSFailover)
			break
		}
	}
	if s.failing = len(own) > 0 && s.admin != health.Always && !slices.ContainsFunc(own, j.usable); s.failing {
		s.Bad, s.Why = true, "its own probe fails"
	}
}

// decide says which sites answer: the good ones, else all; never one that is shifted away while there is another one (spec 4.10, P-10). An alias
// of one site reaches that, whatever its health.
func (b *Balance) decide(only string) {
	reaches := func(s *SiteBalance) bool { return b.isOpen(s) && !s.lacks && (only == "" || s.Site == only) }
	good := slices.ContainsFunc(b.Sites, func(s *SiteBalance) bool { return reaches(s) && !s.Bad })
	for _, s := range b.Sites {
		switch {
		case only != "" && s.Site != only:
			s.Why = "the alias reaches another site"
		case takesOut(s.admin):
			s.Why = "taken out: " + string(s.admin)
		case !b.isOpen(s):
			s.Why = "shifted away"
		case s.lacks:
			s.Why = "it has no address of this family"
		case !s.Bad:
			s.Answers = true
		case !good:
			s.Answers = true
			s.Why += "; but no site is better"
		}
	}
}

// assess says whether the balancer is healthy to an alias (spec 4.15): every pool meets its thresholds over all sites together, or at the one site
// that the alias reaches, and has a target at all; and where sites have probes of their own, one of them passes.
func (b *Balance) assess(only string, tallies []tally) {
	scope := slices.DeleteFunc(slices.Clone(b.open), func(s *SiteBalance) bool { return only != "" && s.Site != only })
	b.Healthy = len(tallies) > 0
	if !b.Healthy {
		b.Why = "no pool has a target"
	}
	for _, t := range tallies {
		p := t.weigh(scope)
		if t.crossSite {
			p = t.weigh(b.open)
		}
		b.usable += p.Usable
		b.registered += p.Registered
		if b.Healthy && (p.DNSFailover || p.Registered == 0) {
			b.Healthy = false
			b.Why = fmt.Sprintf("pool %s has %d usable of %d targets, wanted %s", p.Pool.Name, p.Usable, p.Registered, p.Pool.Config.DNSFailover)
		}
	}
	works := func(s *SiteBalance) bool { return !s.lacks && !s.failing }
	if b.Healthy && len(scope) > 0 && !slices.ContainsFunc(scope, works) {
		b.Healthy, b.Why = false, "no site's own probe passes"
	}
}

// heldBack says why a target or a site's address, which may be usable, does not answer.
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

// Checks returns the checks that the set's choice follows, each once: those of its candidates and, of a balancer, of its targets and sites.
func (s *Set) Checks() []*health.Check {
	var out []*health.Check
	add := func(checks []*health.Check) {
		for _, c := range checks {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	for _, c := range s.Candidates {
		add(c.Record.ChecksFor(s.Type))
	}
	if s.Balance == nil {
		return out
	}
	for _, c := range s.Balance.targets {
		for _, v := range c.values {
			add(checksOf([]value{v}))
		}
	}
	for _, site := range s.Balance.Sites {
		add(s.Group.balancer.watch(site.Site, s.Type))
	}
	return out
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
