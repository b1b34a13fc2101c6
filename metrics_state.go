package healthroute

import (
	"github.com/coredns/coredns/plugin"
	"github.com/prometheus/client_golang/prometheus"
)

var (
	stateWritten = stateGauge("written_timestamp_seconds", "Of when the state is that the state file holds, in Unix time; absent before it was written.")
	stateSize    = stateGauge("size_bytes", "Size of the state file when it was written last; absent before that.")
	stateFailing = stateGauge("failing", "Whether the state file cannot be written: a restart would forget what changed since.")
	stateRefused = stateGauge("refused", "Whether what the state file held at the start was of no use.")
)

func stateGauge(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, "state_"+name), help, nil, nil)
}

// collectState sends how the state file fares, if there is one.
func collectState(out chan<- prometheus.Metric) {
	i := running.newest()
	if i == nil || i.keeper == nil {
		return
	}
	s := i.keeper.State()
	gauges := map[*prometheus.Desc]float64{stateFailing: truth(s.Err != nil), stateRefused: truth(s.Refused != nil)}
	if !s.Written.IsZero() {
		gauges[stateWritten], gauges[stateSize] = float64(s.Written.UnixMilli())/1000, float64(s.Size)
	}
	for desc, value := range gauges {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
}
