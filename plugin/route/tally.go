package route

import (
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// PoolBalance is a pool in the scope of its thresholds: the site, or with cross-site on all sites together. Targets that are draining, taken
// out or in a site that is not enabled count nowhere.
type PoolBalance struct {
	Pool        *Pool
	Usable      int
	Registered  int
	DNSFailover bool // too few for the site to answer
	FailOpen    bool // so few that all are used, healthy or not

	all, used []*Candidate
}

// Targets returns those that are registered in the scope. The slice must not be changed.
func (p PoolBalance) Targets() []*Candidate { return p.all }

// tally is a pool's registered targets, by site.
type tally struct {
	pool      *Pool
	crossSite bool
	of        map[string][]*Candidate
}

// tally judges the targets of a pool in enabled sites.
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
func (t *tally) weigh(sites []*SiteBalance) PoolBalance {
	p := PoolBalance{Pool: t.pool}
	for _, s := range sites {
		of := t.of[s.Site]
		p.all = append(p.all, of...)
		p.used = append(p.used, upTo(of, Usable)...)
	}
	p.Usable, p.Registered = len(p.used), len(p.all)
	p.DNSFailover = breached(t.pool.Config.DNSFailover, p.Usable, p.Registered)
	if p.FailOpen = breached(t.pool.Config.FailOpen, p.Usable, p.Registered); p.FailOpen {
		p.used = p.all
	}
	return p
}

// weighAlone does so for a site by itself: one without targets has too few, unless no number is asked for (spec 4.10).
func (t *tally) weighAlone(s *SiteBalance) PoolBalance {
	p := t.weigh([]*SiteBalance{s})
	p.DNSFailover = p.DNSFailover || p.Registered == 0 && t.pool.Config.DNSFailover != (config.Threshold{})
	return p
}

// breached reports whether either part of the threshold is missed; to meet it exactly is enough.
func breached(t config.Threshold, usable, registered int) bool {
	return t.Count != 0 && usable < t.Count || t.Percent != 0 && 100*usable < t.Percent*registered
}
