package healthroute

import (
	"github.com/coredns/coredns/plugin"
	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"
)

func poolGauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, name), help, labels, nil)
}

var (
	poolRegistered = poolGauge("pool_registered_targets",
		"Number of targets of a pool that count in the scope of its thresholds: a site, or with cross-site on all of them.", "pool", "balancer", "site", "type")
	poolUsable = poolGauge("pool_usable_targets",
		"Number of those that are usable.", "pool", "balancer", "site", "type")
	poolDNSFailover = poolGauge("pool_dns_failover",
		"Whether a pool has too few usable targets for the site to answer.", "pool", "balancer", "site", "type")
	poolFailOpen = poolGauge("pool_fail_open",
		"Whether a pool has so few usable targets in the site that all are used.", "pool", "balancer", "site", "type")
	siteAnswers = poolGauge("site_answers",
		"Whether a site is in the answers of a balancer, or of a pool that is aliased by itself.", "balancer", "site", "type")
)

// collectBalancers adds how the sites of the block's balancers stand. A pool has the numbers of each balancer, which counts it in its own way. Where aliases use
// one balancer differently, it shows the worst.
func collectBalancers(b *block, gauges map[gauge]float64) {
	for _, g := range b.table.Balancers() {
		for _, s := range g.View().Sets() {
			if len(s.Candidates) == 0 {
				continue // sources may find that family, and have not
			}
			kind := dns.Type(s.Type).String()
			for _, site := range s.Balance.Sites {
				answers := gauge{siteAnswers, [4]string{s.Balance.Balancer.Name, site.Site, kind}}
				gauges[answers] = max(gauges[answers], truth(site.Answers))
				for _, p := range site.Pools {
					of := func(desc *prometheus.Desc) gauge {
						return gauge{desc, [4]string{p.Pool.Name, s.Balance.Balancer.Name, site.Site, kind}}
					}
					gauges[of(poolRegistered)] = float64(p.Registered)
					gauges[of(poolUsable)] = float64(p.Usable)
					gauges[of(poolDNSFailover)] = max(gauges[of(poolDNSFailover)], truth(p.DNSFailover))
					gauges[of(poolFailOpen)] = max(gauges[of(poolFailOpen)], truth(p.FailOpen))
				}
			}
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
