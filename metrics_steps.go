package healthroute

import (
	"github.com/coredns/coredns/plugin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// stepDurations are the histograms of the steps that tell a slow network, a slow handshake and a slow service apart. They count
// steps that were finished: one in which an attempt ended says how long the timeout is.
var stepDurations = map[probe.Step]*prometheus.HistogramVec{
	probe.StepConnect:   stepDuration("connect", "Histogram of the time until attempts were connected."),
	probe.StepTLS:       stepDuration("tls", "Histogram of the time that TLS handshakes of attempts took."),
	probe.StepFirstByte: stepDuration("first_byte", "Histogram of the time from the ready connection to the first byte of the reply."),
}

func stepDuration(name, help string) *prometheus.HistogramVec {
	return promauto.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: name + "_duration_seconds", Help: help,
		Buckets: plugin.TimeBuckets, NativeHistogramBucketFactor: plugin.NativeHistogramBucketFactor,
	}, []string{"probe"})
}

// observeSteps counts the steps of an attempt of the probe.
func observeSteps(name string, times probe.Times) {
	for step, histogram := range stepDurations {
		if took, finished := times.Of(step); finished {
			histogram.WithLabelValues(name).Observe(took.Seconds())
		}
	}
}

var certificateExpiry = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "certificate_expiry_timestamp_seconds"),
	"Until when the certificate that a target showed last is valid, in seconds since the epoch; absent where none was seen.",
	[]string{"probe", "target"}, nil)

// collectExpiry adds until when a target's certificate is valid; of several checks with these labels, the earliest.
func collectExpiry(c *health.Check, state health.State, gauges map[gauge]float64) {
	if state.Expires == 0 {
		return
	}
	g := gauge{certificateExpiry, [4]string{c.Probe().Name, c.TargetString()}}
	if before, known := gauges[g]; !known || float64(state.Expires) < before {
		gauges[g] = float64(state.Expires)
	}
}
