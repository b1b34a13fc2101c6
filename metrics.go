package healthroute

import (
	"sync"
	"sync/atomic"

	"github.com/coredns/coredns/plugin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/route"
)

var (
	answersTotal = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "answers_total",
		Help: "Counter of answers from a group, by record; record is empty for a negative answer.",
	}, []string{"server", "group", "record"})
	lastResortAnswersTotal = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "last_resort_answers_total",
		Help: "Counter of answers of a group that had no usable record.",
	}, []string{"server", "group"})
	attemptsTotal = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "attempts_total",
		Help: "Counter of attempts by outcome: pass, fail or cannot_tell.",
	}, []string{"probe", "outcome"})
	attemptDuration = promauto.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "attempt_duration_seconds",
		Buckets: plugin.TimeBuckets, NativeHistogramBucketFactor: plugin.NativeHistogramBucketFactor,
		Help: "Histogram of the time that attempts took.",
	}, []string{"probe"})
	attemptLag = promauto.NewHistogram(prometheus.HistogramOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "scheduler_lag_seconds",
		Buckets: plugin.TimeBuckets, NativeHistogramBucketFactor: plugin.NativeHistogramBucketFactor,
		Help: "Histogram of the time between when an attempt was due and when it started.",
	})
	transitionsTotal = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "transitions_total",
		Help: "Counter of changes of a check's status, the first verdict included, by the status it changed to.",
	}, []string{"probe", "target", "to"})
	panicsTotal = promauto.NewCounter(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "probe_panics_total",
		Help: "Counter of attempts that ended in a panic; each counts as cannot_tell.",
	})
)

// answerCounters counts the answers of one server block without looking labels up for each query: the counters of each server
// are kept by the place of group and record.
type answerCounters struct {
	table   *route.Table
	servers atomic.Pointer[map[string]serverCounters] // replaced, never changed
	mu      sync.Mutex                                // held to replace
}

// serverCounters are the counters of one server, by group.
type serverCounters map[*route.Group]*groupCounters

// groupCounters are the counters of one group on one server.
type groupCounters struct {
	records    []prometheus.Counter // by Record.Index
	negative   prometheus.Counter
	lastResort prometheus.Counter
}

func newAnswerCounters(t *route.Table) *answerCounters {
	c := &answerCounters{table: t}
	c.servers.Store(&map[string]serverCounters{})
	return c
}

func (c *answerCounters) count(server string, res answer.Result) {
	of, ok := (*c.servers.Load())[server]
	if !ok {
		of = c.add(server)
	}
	of[res.Group].count(res.Link)
	for _, link := range res.Chain {
		of[link.Group].count(link)
	}
}

// count counts a group's part in an answer.
func (g *groupCounters) count(l answer.Link) {
	if l.LastResort {
		g.lastResort.Inc()
	}
	if l.Choice.Len() == 0 {
		g.negative.Inc()
	}
	for i := range l.Choice.Len() {
		g.records[l.Choice.At(i).Record.Index].Inc()
	}
}

// add makes the counters of a server that was not seen before.
func (c *answerCounters) add(server string) serverCounters {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := *c.servers.Load()
	if of, ok := old[server]; ok {
		return of
	}
	of := serverCounters{}
	for _, g := range c.table.Groups() {
		counters := &groupCounters{
			negative:   answersTotal.WithLabelValues(server, g.Name, ""),
			lastResort: lastResortAnswersTotal.WithLabelValues(server, g.Name),
		}
		for _, r := range g.Records {
			counters.records = append(counters.records, answersTotal.WithLabelValues(server, g.Name, r.ID))
		}
		of[g] = counters
	}
	all := make(map[string]serverCounters, len(old)+1)
	for name, counters := range old {
		all[name] = counters
	}
	all[server] = of
	c.servers.Store(&all)
	return of
}
