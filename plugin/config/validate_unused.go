package config

import "fmt"

// unused warns of what is declared and serves nothing. Where something is wrong, the use may be what could not be read.
func (v *validator) unused() {
	if v.stanza.Places.Faulty || len(v.problems.Errors()) > 0 {
		return
	}
	v.unusedProbes()
	v.unusedPools()
	v.hiddenGroups()
}

// unusedProbes warns of probes that test nothing.
func (v *validator) unusedProbes() {
	for _, p := range v.stanza.Probes {
		if !v.used[p.Name] && !v.pooled[p.Name] {
			v.warn(p.Places.Own, fmt.Sprintf("probe %q is used by no record, pool, site or filter", p.Name))
		}
	}
}

// unusedPools warns of pools and balancers that answer nobody, and of weights among which nobody draws (spec 4.15).
func (v *validator) unusedPools() {
	answered, drawn, balancers := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, b := range v.stanza.Balancers {
		for _, pool := range b.Pools {
			answered[pool] = true
		}
	}
	for _, g := range v.stanza.Groups {
		for _, r := range g.Records {
			if r.Alias == nil || !r.Alias.isPool() {
				continue
			}
			b := v.stanza.BalancerOf(r.Alias) // there is one, or an error would have been reported
			balancers[r.Alias.Balancer] = true
			for _, pool := range b.Pools {
				answered[pool] = true
				drawn[pool] = drawn[pool] || g.Policy == PolicyWeighted && !b.HasAddresses()
			}
		}
	}
	for _, p := range v.stanza.Pools {
		switch {
		case !answered[p.Name]:
			v.warn(p.Places.Own, fmt.Sprintf("pool %q answers nobody: no alias leads to it, and it is in no balancer", p.Name))
		case !drawn[p.Name]:
			v.unusedWeight(p)
		}
	}
	for _, b := range v.stanza.Balancers {
		if !balancers[b.Name] {
			v.warn(b.Places.Own, fmt.Sprintf("balancer %q answers nobody: no alias leads to it", b.Name))
		}
	}
}

// unusedWeight warns of the first weight of a pool of which no answer is drawn.
func (v *validator) unusedWeight(p *Pool) {
	for _, t := range p.Targets {
		if t.Weight != DefaultWeight {
			v.warn(t.Places.Of("weight"), fmt.Sprintf("weight %d in the pool %q changes nothing: no weighted group has an alias that draws one of its targets", t.Weight, p.Name))
			return
		}
	}
}

// hiddenGroups warns of groups that answer nobody.
func (v *validator) hiddenGroups() {
	used := map[*Group]bool{}
	for _, g := range v.stanza.Groups {
		for _, target := range v.pointsTo(g) {
			used[target.group] = true
		}
	}
	for _, g := range v.stanza.Groups {
		if g.Hidden && !used[g] {
			v.warn(g.Places.Of("hidden"), fmt.Sprintf("group %q is hidden, and no alias leads to it", g.first()))
		}
	}
}
