package config

import (
	"fmt"
	"slices"
)

// balancers checks the balancers; their names are checked with the pools'.
func (v *validator) balancers() {
	for _, b := range v.stanza.Balancers {
		v.balancer(b)
	}
}

func (v *validator) balancer(b *Balancer) {
	v.preset(b.Places, b.Preset)
	v.crossSite(b.Places, b.CrossSite)
	v.oneOf(b.Places.Of("affinity"), "affinity", string(b.Affinity), string(AffinityAny), string(AffinityFull), string(AffinityPartial))
	if b.TTL != v.stanza.TTL || b.MinTTL != v.stanza.MinTTL {
		v.ttl(b.Places, b.TTL, b.MinTTL)
	}
	pools := v.poolsOf(b)
	v.sites(b)
	if b.Places.Faulty {
		return // what is missing may be what could not be read
	}
	if len(b.Pools) == 0 {
		v.fault(b.Places.Own, fmt.Sprintf("balancer %q has no pool", b.Name), "`pools NAME,...`")
	}
	v.enabledSites(b, pools)
	if b.Places.Has("ttl") && !b.HasAddresses() {
		v.warn(b.Places.Of("ttl"), fmt.Sprintf("\"ttl\" in the balancer %q, whose sites have no addresses: targets have the ttl of their pool", b.Name))
	}
	if b.Affinity != AffinityAny && v.stanza.Locations == "" {
		v.warn(b.Places.Of("affinity"), fmt.Sprintf("affinity %s changes nothing: without `locations` no client's site is known", b.Affinity))
	}
}

// poolsOf checks the pools that a balancer names, and returns those that exist; nil if one of them does not.
func (v *validator) poolsOf(b *Balancer) []*Pool {
	at := b.Places.Of("pools")
	var pools []*Pool
	missing := false
	for i, name := range b.Pools {
		p := v.stanza.Pool(name)
		switch {
		case p == nil:
			v.noPool(at, fmt.Sprintf("%q of \"pools\"", name), name)
			missing = true
		case slices.Contains(b.Pools[:i], name):
			v.fault(at, fmt.Sprintf("%q is there twice in \"pools\"", name), "each pool once")
		default:
			pools = append(pools, p)
		}
	}
	if missing {
		return nil
	}
	return pools
}

// noPool reports a name that no pool has.
func (v *validator) noPool(at Position, what, name string) {
	if v.stanza.Balancer(name) != nil {
		v.fault(at, what+": that is a balancer", "a pool of the stanza")
		return
	}
	var names []string
	for _, p := range v.stanza.Pools {
		names = append(names, p.Name)
	}
	v.report(Problem{Position: at, Message: what + ": there is no such pool", Expected: "a pool of the stanza", Nearest: Nearest(name, names)})
}
