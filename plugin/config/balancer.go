package config

import (
	"net/netip"
	"time"
)

// Balancer is one or more pools that share sites and one answer (spec 4.10). An alias of a pool is a balancer of that pool alone, without
// sites of its own: Stanza.BalancerOf.
type Balancer struct {
	Name      string // a word, lower case; unique among the stanza's pools and balancers
	Preset    Preset // "" is none
	Pools     []string
	Sites     []*Site // those that are enabled; none: all sites of the pools' targets, and targets without one
	CrossSite CrossSite
	Affinity  Affinity
	TTL       time.Duration // of the sites' addresses
	MinTTL    time.Duration // of `ttl A-B`, as a group's
	Places    Places
}

// Site is a site of a balancer. Either all sites of a balancer have an address, which is answered instead of the targets, or none has.
type Site struct {
	Name      string       // a word, lower case
	Addresses []netip.Addr // none, or one of a family or of both
	Probe     string       // tests the addresses, or its own target; the site is bad while that fails. "" for none
	Places    Places
}

// Affinity says whether clients get the site that they stand in.
type Affinity string

// The values of `affinity`.
const (
	AffinityAny     Affinity = "any"     // the normal answer
	AffinityFull    Affinity = "full"    // their own site, if it is among those that answer
	AffinityPartial Affinity = "partial" // so do 17 of 20; the others get the normal answer
)

// HasAddresses reports whether the balancer answers sites' addresses instead of targets.
func (b *Balancer) HasAddresses() bool {
	for _, s := range b.Sites {
		if len(s.Addresses) > 0 {
			return true
		}
	}
	return false
}

// Pool by name, or nil.
func (s *Stanza) Pool(name string) *Pool {
	for _, p := range s.Pools {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Balancer by name, or nil.
func (s *Stanza) Balancer(name string) *Balancer {
	for _, b := range s.Balancers {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// BalancerOf returns the balancer that an alias of a pool or of a balancer stands for; nil for other aliases, and if there is no such.
func (s *Stanza) BalancerOf(a *Alias) *Balancer {
	if a.Balancer != "" {
		return s.Balancer(a.Balancer)
	}
	p := s.Pool(a.Pool)
	if p == nil {
		return nil
	}
	return &Balancer{
		Name: p.Name, Preset: p.Preset, Pools: []string{p.Name}, Affinity: AffinityAny, TTL: p.TTL, MinTTL: p.MinTTL, Places: p.Places,
	}
}
