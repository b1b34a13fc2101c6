package healthroute

import (
	"github.com/coredns/coredns/plugin"
	"github.com/prometheus/client_golang/prometheus"
)

var (
	overrideInForce = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "override"),
		"1 for what operators have said and holds now, whether anything has the object's name or not.", []string{"object", "state"}, nil)
	overrideExpiry = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "override_expiry_timestamp_seconds"),
		"Until when what operators have said of an object holds; absent where it has no end.", []string{"object"}, nil)
)

// collectOverrides sends what operators have said: it stands over health, so whoever looks at health has to see it.
func collectOverrides(out chan<- prometheus.Metric) {
	for _, o := range admin.Objects() {
		v, ok := admin.Override(o)
		if !ok {
			continue // it has just ended
		}
		out <- prometheus.MustNewConstMetric(overrideInForce, prometheus.GaugeValue, 1, o.String(), string(v.State))
		if !v.Until.IsZero() {
			out <- prometheus.MustNewConstMetric(overrideExpiry, prometheus.GaugeValue, float64(v.Until.Unix()), o.String())
		}
	}
}
