package healthroute

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/healthroute/healthroute/plugin/discover"
	"github.com/healthroute/healthroute/plugin/route"
)

var (
	discoveredTargets = poolGauge("discovered_targets", "Number of targets that a source of a pool has in its last good list.", "pool", "source")
	discoveryGood     = poolGauge("discovery_good", "Whether the source was good when it was last looked at; if not, its last good list stands.", "pool", "source")
	discoveryAge      = poolGauge("discovery_age_seconds", "Time since the source was last good; absent if it never was.", "pool", "source")
)

// tellDiscovery logs a change of fortune of a source of targets.
func tellDiscovery(s *route.Source, r discover.Report) {
	if r.Fortune == discover.Good {
		log.Infof("pool %s: %s", s.Pool.Name, r)
		return
	}
	log.Errorf("pool %s: %s", s.Pool.Name, r)
}

// keepLists forgets what sources said that no instance has any more, so that a restart does not bring it back. When none runs all stays: the process ends.
func (is *instances) keepLists() {
	all := is.all()
	if len(all) == 0 {
		return
	}
	keys := map[discover.Key]bool{}
	for _, i := range all {
		for _, b := range i.blocks {
			for _, s := range b.sources.All() {
				keys[s.Key()] = true
			}
		}
	}
	lists.Keep(keys)
}

// collectSources adds how the sources of the block's pools fare.
func collectSources(b *block, gauges map[gauge]float64) {
	for _, s := range b.sources.All() {
		state := s.State()
		of := func(desc *prometheus.Desc) gauge { return gauge{desc, [4]string{s.Pool.Name, s.String()}} }
		gauges[of(discoveredTargets)] = float64(state.Known)
		gauges[of(discoveryGood)] = truth(state.Fortune == discover.Good)
		if !state.Good.IsZero() {
			gauges[of(discoveryAge)] = time.Since(state.Good).Seconds()
		}
	}
}
