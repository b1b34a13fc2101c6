package scenario

import (
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
)

// PoolSummary is one pool of a Summary.
type PoolSummary struct {
	Pool        string   `json:"pool"`
	Targets     int      `json:"targets"` // that the Corefile names
	Sources     int      `json:"sources"` // that find others
	Sites       []string `json:"sites"`   // of both
	DNSFailover string   `json:"dns_failover"`
	FailOpen    string   `json:"fail_open"`
}

func summarizePool(p *config.Pool) PoolSummary {
	s := PoolSummary{
		Pool: p.Name, Targets: len(p.Targets), Sources: len(p.Sources), Sites: []string{},
		DNSFailover: p.DNSFailover.String(), FailOpen: p.FailOpen.String(),
	}
	add := func(site string) {
		if site != "" && !slices.Contains(s.Sites, site) {
			s.Sites = append(s.Sites, site)
		}
	}
	for _, t := range p.Targets {
		add(t.Site)
	}
	for _, d := range p.Sources {
		add(d.Site)
	}
	return s
}
