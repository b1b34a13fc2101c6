package route

import (
	"math/big"
	"net/netip"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// buildBalanced is the choice of a balancer's group for one type: among the addresses of its sites, or else among the targets that are used for
// the sites that answer.
func (j *judge) buildBalanced(qtype uint16) *Set {
	g := j.group
	b := g.balancer
	s := &Set{Group: g, Type: qtype, policy: balancing, judge: j, Balance: j.balance(qtype)}
	s.client = g.sticky != nil || b.declared.Affinity != config.AffinityAny
	var among []*Candidate
	if b.fronts != nil {
		among = s.addFronts(b, qtype)
	} else {
		among = s.addTargets(b)
	}
	s.LastResort = s.usable == 0 && s.eligible > 0
	if len(among) > 0 {
		s.chooser = s.affine(b, among)
	}
	s.judge = nil
	return s
}

// addFronts makes the sites' addresses the candidates, and returns those of the sites that answer.
func (s *Set) addFronts(b *balancer, qtype uint16) (among []*Candidate) {
	for _, front := range b.fronts {
		site := s.Balance.site(front.Site)
		c := &Candidate{Record: front, values: front.of(qtype)}
		switch {
		case len(c.values) == 0 || b.site != "" && b.site != front.Site:
			continue
		case !s.Balance.isOpen(site):
			c.Standing = Removed
		case site.Bad:
			c.Standing = Unusable
		}
		s.add(c)
		if site.Answers {
			among = append(among, c)
		}
	}
	return among
}

// addTargets makes the targets the candidates, and returns those that are used for the sites that answer. Targets of sites that clients are
// shifted away from are taken out with these.
func (s *Set) addTargets(b *balancer) (among []*Candidate) {
	for _, site := range s.Balance.Sites {
		for _, p := range site.Pools {
			for _, c := range p.used {
				if site.Answers && !c.taken {
					c.taken = true
					among = append(among, c)
				}
			}
		}
	}
	for _, c := range s.Balance.targets {
		site := s.Balance.site(c.Record.Site)
		if b.site != "" && !c.taken && site.Site != b.site {
			continue
		}
		if !s.Balance.isOpen(site) && !c.taken {
			c.Standing = Removed
		}
		s.add(c)
	}
	return among
}

// affine gives clients of a site that site's part of the answer, as far as the balancer's affinity says (spec 4.10).
func (s *Set) affine(b *balancer, among []*Candidate) chooser {
	all := s.spread(b, among)
	if b.declared.Affinity == config.AffinityAny || b.site != "" {
		return all
	}
	own := map[string]chooser{}
	for _, site := range s.Balance.Sites {
		var here []*Candidate
		for _, c := range among {
			if site.Answers && c.Record.Site == site.Site {
				here = append(here, c)
			}
		}
		if len(here) > 0 {
			own[strings.ToLower(site.Site)] = s.spread(b, here)
		}
	}
	return &affinity{all: all, own: own, partial: b.declared.Affinity == config.AffinityPartial}
}

// spread is the choice among targets that may answer: one by weight, else all, up to the group's max. An address answers once, whatever number of
// targets has it.
func (s *Set) spread(b *balancer, among []*Candidate) chooser {
	if b.draws && b.fronts == nil {
		return weighted(s, among)
	}
	among = distinct(among)
	if s.Group.max > 0 && b.fronts == nil {
		return multivalue(s, among)
	}
	reason := "all targets that are used"
	if b.fronts != nil {
		reason = "the sites that answer"
	}
	return fixed{together(among, reason)}
}

// distinct leaves the first of several targets that would answer with the same addresses.
func distinct(among []*Candidate) []*Candidate {
	seen := make(map[netip.Addr]bool, len(among))
	out := make([]*Candidate, 0, len(among))
	for _, c := range among {
		fresh := false
		for _, v := range c.values {
			a := addressOf(v.rrs[0])
			fresh = fresh || !seen[a]
			seen[a] = true
		}
		if fresh {
			out = append(out, c)
		}
	}
	return out
}

// affinity is a choice that depends on the site which the client stands in.
type affinity struct {
	all     chooser
	own     map[string]chooser // by site, in lower case, of those that answer
	partial bool               // for 17 of 20 clients only
}

func (a *affinity) choose(q *Query) Choice {
	site := q.Client.Site()
	own := a.own[site.Value]
	at := a.all
	if site.Known && own != nil && (!a.partial || q.Rand.Uint64N(config.PartialAffinityOutOf) < config.PartialAffinity) {
		at = own
	}
	c := at.choose(q)
	c.Scope = max(c.Scope, site.Bits)
	return c
}

func (a *affinity) outcomes(q *Query, limit int) ([]Outcome, bool) {
	site := q.Client.Site()
	own := a.own[site.Value]
	var out []Outcome
	add := func(of chooser, part *big.Rat) bool {
		outcomes, ok := of.outcomes(q, limit)
		for _, o := range outcomes {
			o.Choice.Scope = max(o.Choice.Scope, site.Bits)
			out = append(out, Outcome{o.Choice, new(big.Rat).Mul(o.Part, part)})
		}
		return ok
	}
	whole, part := big.NewRat(1, 1), big.NewRat(config.PartialAffinity, config.PartialAffinityOutOf)
	var ok bool
	switch {
	case !site.Known || own == nil:
		ok = add(a.all, whole)
	case !a.partial:
		ok = add(own, whole)
	default:
		ok = add(own, part) && add(a.all, new(big.Rat).Sub(whole, part))
	}
	return out, ok
}
