package healthroute

import (
	"context"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/metrics"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/healthroute/healthroute/plugin/answer"
)

var (
	filterRemovedTotal = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "filter_removed_addresses_total",
		Help: "Counter of addresses that filters took out of answers.",
	}, []string{"server", "filter"})
	filterPassedTotal = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "filter_not_filtered_total",
		Help: "Counter of records that filters had to leave in answers: not usable but signed, or unchecked beyond the limit of addresses.",
	}, []string{"server", "filter", "reason"})
	filterLastResortTotal = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "filter_last_resorts_total",
		Help: "Counter of answers in which a filter found nothing usable.",
	}, []string{"server", "filter"})
	filterAddresses = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "filter_addresses"),
		"Number of addresses that a filter knows and checks.", []string{"filter"}, nil)
)

// Reasons for which a filter leaves a record in.
const (
	notFilteredSigned = "signed"
	notFilteredLimit  = "limit"
)

// countFiltered counts what a filter did to an answer.
func countFiltered(ctx context.Context, f *answer.Filtered) {
	if len(f.Gone) == 0 && f.Signed == 0 && f.Unchecked == 0 && !f.LastResort {
		return
	}
	server, name := metrics.WithServer(ctx), f.Filter.Name
	answeringServers.Store(server, true)
	if n := len(f.Gone); n > 0 {
		filterRemovedTotal.WithLabelValues(server, name).Add(float64(n))
	}
	if f.Signed > 0 {
		filterPassedTotal.WithLabelValues(server, name, notFilteredSigned).Add(float64(f.Signed))
	}
	if f.Unchecked > 0 {
		filterPassedTotal.WithLabelValues(server, name, notFilteredLimit).Add(float64(f.Unchecked))
	}
	if f.LastResort {
		filterLastResortTotal.WithLabelValues(server, name).Inc()
	}
}

// collectFilters adds how many addresses the block's filters know; of several blocks with a filter of one name, the most.
func collectFilters(b *block, gauges map[gauge]float64) {
	for _, f := range b.table.Filters() {
		sample := gauge{filterAddresses, [4]string{f.Name}}
		gauges[sample] = max(gauges[sample], float64(f.Known()))
	}
}

// forgetFilter deletes what was counted of a filter on a server.
func forgetFilter(server, name string) {
	filterRemovedTotal.DeleteLabelValues(server, name)
	filterLastResortTotal.DeleteLabelValues(server, name)
	for _, reason := range []string{notFilteredSigned, notFilteredLimit} {
		filterPassedTotal.DeleteLabelValues(server, name, reason)
	}
}
