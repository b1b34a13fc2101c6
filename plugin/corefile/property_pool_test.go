package corefile

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// drawPools adds pools and balancers of them.
func drawPools(t *rapid.T, s *config.Stanza) {
	for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
		s.Pools = append(s.Pools, drawPool(t, s, fmt.Sprintf("pool%d", i)))
	}
	if len(s.Pools) == 0 {
		return
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "balancers") {
		s.Balancers = append(s.Balancers, drawBalancer(t, s, fmt.Sprintf("lb%d", i)))
	}
}

var drawCrossSite = rapid.SampledFrom([]config.CrossSite{"", config.CrossSiteOn, config.CrossSiteOff})

// drawPool draws a pool whose targets have IPv4 addresses, so that every alias of it has that type.
func drawPool(t *rapid.T, s *config.Stanza, name string) *config.Pool {
	p := config.DefaultPool(name)
	p.Preset = drawPreset.Draw(t, "pool preset")
	p.TTL, p.MinTTL = drawPoolTTL(t, s, p.Preset)
	p.Probe = drawAddressProbe(t, s)
	for i := range rapid.IntRange(0, 3).Draw(t, "targets") {
		p.Targets = append(p.Targets, drawPoolTarget(t, s, p, i))
	}
	drawSources(t, p)
	p.FailOpen = config.Threshold{Count: rapid.IntRange(1, 1_000_000).Draw(t, "open count"), Percent: rapid.IntRange(0, 100).Draw(t, "open percent")}
	p.DNSFailover = config.Threshold{Count: rapid.IntRange(p.FailOpen.Count, 1_000_000).Draw(t, "count"), Percent: rapid.IntRange(p.FailOpen.Percent, 100).Draw(t, "percent")}
	if rapid.Bool().Draw(t, "off") {
		p.DNSFailover.Count = 0
	}
	p.CrossSite = drawCrossSite.Draw(t, "cross site")
	p.Drain = time.Duration(rapid.Int64Range(0, int64(config.MaxDrain)).Draw(t, "drain"))
	p.UnhealthyDrain = time.Duration(rapid.Int64Range(0, int64(config.MaxUnhealthyDrain)).Draw(t, "unhealthy drain"))
	p.Limit = rapid.IntRange(1, 1_000_000).Draw(t, "limit")
	p.Rate = rapid.IntRange(1, 100_000).Draw(t, "rate")
	p.Disabled = rapid.Bool().Draw(t, "disabled")
	return p
}

// drawPoolTTL draws the default TTL of pools and balancers, or another one.
func drawPoolTTL(t *rapid.T, s *config.Stanza, preset config.Preset) (ttl, low time.Duration) {
	if rapid.Bool().Draw(t, "default ttl") {
		return s.PoolTTL(preset)
	}
	ttl = drawTTL.Draw(t, "ttl")
	return ttl, drawMinTTL(t, ttl)
}

// drawAddressProbe draws the name of a probe that tests addresses and knows its port, or none.
func drawAddressProbe(t *rapid.T, s *config.Stanza) string {
	names := []string{""}
	for _, p := range s.Probes {
		named := p.TLS.SNI != "" || p.HTTP.Host != "" || !p.TLS.Verify || !p.UsesTLS()
		if !p.IsOne() && named && (p.Port != 0 || !p.Type.NeedsPort()) {
			names = append(names, p.Name)
		}
	}
	return rapid.SampledFrom(names).Draw(t, "probe of addresses")
}

func drawPoolTarget(t *rapid.T, s *config.Stanza, p *config.Pool, i int) *config.Target {
	target := &config.Target{
		Addresses: []netip.Addr{address("10.0.0.%d", i+1)},
		Port:      rapid.SampledFrom([]uint16{0, 1, 8080, 65535}).Draw(t, "port"),
		Site:      rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "site"),
		Weight:    rapid.SampledFrom([]int{0, 1, 2, 65535}).Draw(t, "weight"),
		Probe:     rapid.SampledFrom([]string{p.Probe, drawAddressProbe(t, s)}).Draw(t, "probe"),
		Admin:     rapid.SampledFrom([]config.AdminState{"", config.Disabled, config.Draining, config.Always}).Draw(t, "admin"),
	}
	if p.Preset != config.PresetNLB && rapid.Bool().Draw(t, "ipv6") {
		target.Addresses = append(target.Addresses, address("2001:db8::%d", i+1))
	}
	if rapid.Bool().Draw(t, "ipv6 first") {
		slices.Reverse(target.Addresses)
	}
	if target.ID = config.DefaultTargetID(target.Addresses[0], target.Port); rapid.Bool().Draw(t, "id") {
		target.ID = fmt.Sprintf("Target-%d", i)
	}
	if probe := s.Probe(target.Probe); probe != nil && probe.Type.IsHTTP() {
		target.Headers = drawHeaders(t)
	}
	return target
}

func drawSources(t *rapid.T, p *config.Pool) {
	for i := range rapid.IntRange(0, 2).Draw(t, "sources") {
		d := config.Discovery{
			Kind: config.DiscoverFile, Files: fmt.Sprintf("/etc/the targets/%d-[ab]?*.json", i),
			Port: rapid.SampledFrom([]uint16{0, 80}).Draw(t, "port"), Site: rapid.SampledFrom([]string{"", "a"}).Draw(t, "site"),
		}
		if rapid.Bool().Draw(t, "dns") {
			d.Kind, d.Files, d.Name = config.DiscoverDNS, "", fmt.Sprintf(`a\"%d._tcp.example.net.`, i)
			d.Type = rapid.SampledFrom([]uint16{dns.TypeA, dns.TypeSRV, dns.TypeAAAA}[:map[bool]int{true: 2, false: 3}[p.Preset == config.PresetNLB]]).Draw(t, "type")
		}
		p.Sources = append(p.Sources, d)
	}
}

// drawBalancer draws a balancer, whose sites have addresses of IPv4 at least, or none.
func drawBalancer(t *rapid.T, s *config.Stanza, name string) *config.Balancer {
	b := config.DefaultBalancer(name)
	b.Preset = drawPreset.Draw(t, "balancer preset")
	b.TTL, b.MinTTL = drawPoolTTL(t, s, b.Preset)
	for _, p := range s.Pools {
		if len(b.Pools) == 0 || rapid.Bool().Draw(t, "pool") {
			b.Pools = append(b.Pools, p.Name)
		}
	}
	addresses := rapid.Bool().Draw(t, "addresses")
	for i, site := range []string{"a", "b"}[:rapid.IntRange(0, 2).Draw(t, "sites")] {
		one := &config.Site{Name: site}
		if addresses {
			one.Addresses = []netip.Addr{address("203.0.113.%d", i+1), address("2001:db8:1::%d", i+1)}[:rapid.IntRange(1, 2).Draw(t, "families")]
			one.Probe = drawAddressProbe(t, s)
		}
		b.Sites = append(b.Sites, one)
	}
	b.CrossSite = rapid.SampledFrom([]config.CrossSite{"", config.CrossSiteOn}).Draw(t, "cross site")
	b.Affinity = rapid.SampledFrom([]config.Affinity{config.AffinityAny, config.AffinityFull, config.AffinityPartial}).Draw(t, "affinity")
	return b
}

// drawPoolAlias draws an alias of a pool or a balancer, or nil if there is none that has addresses of IPv4.
func drawPoolAlias(t *rapid.T, s *config.Stanza) *config.Alias {
	var all []config.Alias
	for _, p := range s.Pools {
		all = append(all, config.Alias{Pool: p.Name})
	}
	for _, b := range s.Balancers {
		all = append(all, config.Alias{Balancer: b.Name})
		for _, site := range b.Sites {
			all = append(all, config.Alias{Balancer: b.Name, Site: site.Name})
		}
	}
	all = slices.DeleteFunc(all, func(a config.Alias) bool { return !slices.Contains(s.TypesOf(&a), dns.TypeA) })
	if len(all) == 0 {
		return nil
	}
	a := rapid.SampledFrom(all).Draw(t, "alias of a pool")
	return &a
}

// drawFilter draws the filter number i.
func drawFilter(t *rapid.T, s *config.Stanza, i int) *config.Filter {
	f := config.DefaultFilter()
	f.Names = []string{fmt.Sprintf("f%d.example.org.", i), fmt.Sprintf("*.f%d.example.org.", i)}[:rapid.IntRange(1, 2).Draw(t, "names")]
	if i == 0 && rapid.Bool().Draw(t, "all names") {
		f.Names = s.FilterNames()
	}
	f.TTL = rapid.OneOf(rapid.Just(s.TTL), drawTTL).Draw(t, "filter ttl")
	f.LastResort = rapid.SampledFrom([]config.LastResort{config.LastResortAll, config.LastResortNone}).Draw(t, "last resort")
	f.Limit = rapid.IntRange(1, 1_000_000).Draw(t, "limit")
	f.Idle = time.Duration(rapid.Int64Range(int64(time.Second), int64(24*time.Hour)).Draw(t, "idle"))
	if f.Probe = drawAddressProbe(t, s); f.Probe == "" {
		return nil
	}
	return f
}
