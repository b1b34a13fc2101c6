package config

import (
	"fmt"

	"github.com/miekg/dns"
)

// Ranges of the options of pools.
const (
	maxPoolLimit = 1_000_000
	maxPoolRate  = 100_000
)

// pools checks the pools, and that no other pool or balancer has their names.
func (v *validator) pools() {
	first := map[string]Position{}
	for _, p := range v.stanza.Pools {
		v.poolName("pool", p.Name, p.Places, first)
	}
	for _, b := range v.stanza.Balancers {
		v.poolName("balancer", b.Name, b.Places, first)
	}
	for _, p := range v.stanza.Pools {
		v.pool(p)
	}
}

// poolName checks the name of a pool or a balancer; first are those before it.
func (v *validator) poolName(what, name string, places Places, first map[string]Position) {
	if !isWord(name) {
		v.fault(places.Own, fmt.Sprintf("%s name %q cannot be used", what, name), "at most 63 letters, digits, hyphens, underscores and dots")
		return
	}
	if at, taken := first[name]; taken {
		v.fault(places.Own, fmt.Sprintf("the name %q is taken already on line %d", name, at.Line), "another name: pools and balancers share their names")
		return
	}
	first[name] = places.Own
}

// pool checks one pool.
func (v *validator) pool(p *Pool) {
	v.preset(p.Places, p.Preset)
	if p.TTL != v.stanza.TTL || p.MinTTL != v.stanza.MinTTL {
		v.ttl(p.Places, p.TTL, p.MinTTL)
	}
	v.crossSite(p.Places, p.CrossSite)
	within(v, p.Places.Of("drain"), "drain", p.Drain, 0, MaxDrain)
	within(v, p.Places.Of("unhealthy_drain"), "unhealthy_drain", p.UnhealthyDrain, 0, MaxUnhealthyDrain)
	within(v, p.Places.Of("limit"), "limit", p.Limit, 1, maxPoolLimit)
	within(v, p.Places.Of("rate"), "rate", p.Rate, 1, maxPoolRate)
	v.poolProbe(p)
	v.targets(p)
	v.sources(p)
	v.thresholds(p)
	if p.Places.Faulty {
		return // what is missing or too much may be what could not be read
	}
	if len(p.Targets)+len(p.Sources) == 0 {
		v.warn(p.Places.Own, fmt.Sprintf("pool %q has neither a target nor a source of targets", p.Name))
	}
	if p.Preset == PresetNLB {
		v.oneFamily(p)
	}
	v.shortDrain(p)
}

func (v *validator) crossSite(places Places, c CrossSite) {
	if c != "" {
		v.oneOf(places.Of("cross_site"), "cross_site", string(c), string(CrossSiteOn), string(CrossSiteOff))
	}
}

// shortDrain warns of targets that are forgotten while clients may still hold their addresses (spec 6).
func (v *validator) shortDrain(p *Pool) {
	if p.Drain >= p.TTL || p.Drain < 0 || p.TTL > maxTTL {
		return
	}
	at := p.Places.Of("drain")
	if !p.Places.Has("drain") && p.Places.Has("ttl") {
		at = p.Places.Of("ttl")
	}
	v.warn(at, fmt.Sprintf("drain %s is shorter than the ttl %s of the pool %q: a target that was taken out is forgotten while clients still have its address",
		FormatDuration(p.Drain), FormatDuration(p.TTL), p.Name))
}

// families lists the types of address that the pool can answer with targets of the sites that count: those of its targets, and what
// its sources may find.
func (p *Pool) families(counts func(site string) bool) []uint16 {
	var types []uint16
	for _, t := range p.Targets {
		if counts(t.Site) {
			types = append(types, familiesOf(t.Addresses)...)
		}
	}
	for _, d := range p.Sources {
		switch {
		case d.Kind == DiscoverDNS && !counts(d.Site):
		case d.Kind == DiscoverDNS && (d.Type == dns.TypeA || d.Type == dns.TypeAAAA):
			types = append(types, d.Type)
		default:
			types = append(types, dns.TypeA, dns.TypeAAAA)
		}
	}
	return types
}

// oneFamily checks that all of an nlb pool is of one family (spec 6).
func (v *validator) oneFamily(p *Pool) {
	var first Position
	var family uint16
	member := func(at Position, t uint16, what string) {
		switch {
		case family == 0:
			first, family = at, t
		case t != family:
			v.asked(at, p.Preset, fmt.Sprintf("%s in the pool %q, which has %s on line %d", what, p.Name, familyWord(family), first.Line),
				"a pool for each family")
		}
	}
	for _, t := range p.Targets {
		for _, a := range t.Addresses {
			member(t.Places.Own, familyOf(a), fmt.Sprintf("%s address %s", familyWord(familyOf(a)), a))
		}
	}
	for _, d := range p.Sources {
		if d.Kind == DiscoverDNS && (d.Type == dns.TypeA || d.Type == dns.TypeAAAA) {
			member(d.Position, d.Type, fmt.Sprintf("a source of %s addresses", familyWord(d.Type)))
		}
	}
}
