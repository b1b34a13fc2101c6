package config

import "time"

// DefaultPool returns a pool with every default but the TTL, which depends on the preset: Stanza.PoolTTL.
func DefaultPool(name string) *Pool {
	return &Pool{
		Name: name, DNSFailover: Threshold{Count: DefaultThreshold}, FailOpen: Threshold{Count: DefaultThreshold},
		Drain: DefaultDrain, Limit: DefaultPoolLimit, Rate: DefaultPoolRate,
	}
}

// DefaultBalancer returns a balancer with every default but the TTL.
func DefaultBalancer(name string) *Balancer { return &Balancer{Name: name, Affinity: AffinityAny} }

// DefaultFilter returns a filter with every default but the TTL, which is the stanza's.
func DefaultFilter() *Filter {
	return &Filter{LastResort: LastResortAll, Limit: DefaultFilterLimit, Idle: DefaultFilterIdle}
}

// PoolTTL is the TTL of a pool's targets and of a balancer's site addresses where they name none (spec, section 0).
func (s *Stanza) PoolTTL(preset Preset) (ttl, low time.Duration) {
	if preset == PresetNLB {
		return DefaultNLBTTL, 0
	}
	return s.TTL, s.MinTTL
}
