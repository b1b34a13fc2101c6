package healthroute

import (
	"time"

	"github.com/coredns/coredns/plugin"
	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// collector reads the health of checks and groups when Prometheus asks, so that nothing has to be taken back after a reload.
type collector struct{}

func init() { prometheus.MustRegister(collector{}) }

var (
	checkHealthy = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "check_healthy"),
		"Whether a check is healthy: 1 healthy, 0 unhealthy; absent while checking.", []string{"probe", "target", "host"}, nil)
	checksByStatus = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "checks"),
		"Number of checks by status.", []string{"status"}, nil)
	checksUntestable = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "checks_untestable"),
		"Number of checks whose last attempt could not tell.", nil, nil)
	attemptsUnderWay = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "attempts_under_way"),
		"Number of attempts under way.", nil, nil)
	attemptsWaiting = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "attempts_waiting"),
		"Number of attempts that are due and wait because max_attempts are under way.", nil, nil)
	oldestDue = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "oldest_due_attempt_seconds"),
		"Since when the attempt that waits longest has been due; 0 if none waits.", nil, nil)
	verdictsFrozen = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "verdicts_frozen"),
		"Whether verdicts are frozen because all canaries fail.", nil, nil)
	groupLastResort = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "group_last_resort"),
		"Whether a group has no usable record for the type and so answers from its last resort.", []string{"group", "type"}, nil)
	groupShowsAll = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "group_shows_all"),
		"Whether a group with show_all has fewer usable records for the type than min_healthy asks for, and so answers with all.", []string{"group", "type"}, nil)
)

// Describe sends nothing: what there is depends on the Corefile (an unchecked collector).
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends one sample for each set of labels; several server blocks may show the same check or group.
func (collector) Collect(out chan<- prometheus.Metric) {
	gauges := map[gauge]float64{}
	untestable := 0.0
	counted := map[*health.Check]bool{}
	statuses := map[health.Status]float64{health.Checking: 0, health.Healthy: 0, health.Unhealthy: 0}
	for _, i := range running.all() {
		for _, b := range i.blocks {
			for _, c := range b.lease.Checks() {
				if counted[c] {
					continue
				}
				counted[c] = true
				state := c.State()
				status := state.Status
				statuses[status]++
				collectExpiry(c, state, gauges)
				if !state.LastAt.IsZero() && state.Last.Outcome == probe.CannotTell {
					untestable++
				}
				g := gauge{checkHealthy, [4]string{c.Probe().Name, c.TargetString(), c.Target().Host}}
				switch status {
				case health.Healthy:
					if _, known := gauges[g]; !known {
						gauges[g] = 1
					}
				case health.Unhealthy:
					gauges[g] = 0
				}
			}
			collectGroups(b, gauges)
			collectFilters(b, gauges)
			collectBalancers(b, gauges)
			collectSources(b, gauges)
		}
	}
	collectLoad(out, untestable)
	collectOverrides(out)
	collectState(out)
	for g, value := range gauges {
		out <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, g.values()...)
	}
	for status, n := range statuses {
		out <- prometheus.MustNewConstMetric(checksByStatus, prometheus.GaugeValue, n, status.String())
	}
}

// collectLoad sends what the scheduler has to do, and what holds it up.
func collectLoad(out chan<- prometheus.Metric, untestable float64) {
	load := engine.Load()
	frozen, age := 0.0, 0.0
	if engine.Frozen() {
		frozen = 1
	}
	if !load.Oldest.IsZero() {
		age = time.Since(load.Oldest).Seconds()
	}
	for desc, value := range map[*prometheus.Desc]float64{
		checksUntestable: untestable, attemptsUnderWay: float64(load.UnderWay), attemptsWaiting: float64(load.Waiting),
		oldestDue: age, verdictsFrozen: frozen,
	} {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
}

// collectGroups adds whether the block's groups answer from their last resort or show all; of several blocks with one group, whether any does.
func collectGroups(b *block, gauges map[gauge]float64) {
	for _, g := range b.table.Choosers() {
		for _, s := range g.View().Sets() {
			sample := gauge{groupLastResort, [4]string{g.Name, dns.Type(s.Type).String()}}
			gauges[sample] += 0
			if s.LastResort {
				gauges[sample] = 1
			}
			if g.Config.MinHealthy.ShowAll {
				sample.desc = groupShowsAll
				gauges[sample] = max(gauges[sample], truth(s.ShowsAll))
			}
		}
	}
}

// gauge is one sample: checks and groups that share all labels share it, and it shows the worst of them.
type gauge struct {
	desc   *prometheus.Desc
	labels [4]string // as many as the description has
}

func (g gauge) values() []string {
	switch g.desc {
	case filterAddresses:
		return g.labels[:1]
	case groupLastResort, groupShowsAll, certificateExpiry, discoveredTargets, discoveryGood, discoveryAge:
		return g.labels[:2]
	case checkHealthy, siteAnswers:
		return g.labels[:3]
	}
	return g.labels[:]
}
