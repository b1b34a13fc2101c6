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
	untestableTotal = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "untestable_attempts_total",
		Help: "Counter of attempts that could not tell, by cause: they moved nothing.",
	}, []string{"probe", "cause"})
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
	placesReread = promauto.NewCounterVec(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "places_reread_total",
		Help: "Counter of changed files of places that were taken over or refused.",
	}, []string{"outcome"})
)

// answerCounters counts the answers of one server block without looking labels up for each query: the counters of each server
// are kept by group, made when a group answers there for the first time.
type answerCounters struct {
	places  map[*route.Group]int
	servers sync.Map // server -> []atomic.Pointer[groupCounters], by place of the group
}

// groupCounters are the counters of one group on one server.
type groupCounters struct {
	records    []prometheus.Counter // by Record.Index
	negative   prometheus.Counter
	lastResort prometheus.Counter
}

func newAnswerCounters(t *route.Table) *answerCounters {
	c := &answerCounters{places: map[*route.Group]int{}}
	for place, g := range t.Choosers() {
		c.places[g] = place
	}
	return c
}

func (c *answerCounters) count(server string, res answer.Result) {
	c.of(server, res.Group).count(res.Link)
	for _, link := range res.Chain {
		c.of(server, link.Group).count(link)
	}
}

// of returns the counters of a group on a server.
func (c *answerCounters) of(server string, g *route.Group) *groupCounters {
	groups, ok := c.servers.Load(server)
	if !ok {
		answeringServers.Store(server, true)
		groups, _ = c.servers.LoadOrStore(server, make([]atomic.Pointer[groupCounters], len(c.places)))
	}
	kept := &groups.([]atomic.Pointer[groupCounters])[c.places[g]]
	if counters := kept.Load(); counters != nil {
		return counters
	}
	counters := newGroupCounters(server, g) // two that are made at once count in the same metrics
	kept.Store(counters)
	return counters
}

func newGroupCounters(server string, g *route.Group) *groupCounters {
	counters := &groupCounters{
		negative:   answersTotal.WithLabelValues(server, g.Name, ""),
		lastResort: lastResortAnswersTotal.WithLabelValues(server, g.Name),
	}
	for _, r := range g.Records {
		counters.records = append(counters.records, answersTotal.WithLabelValues(server, g.Name, r.ID))
	}
	return counters
}

// count counts a group's part in an answer.
func (g *groupCounters) count(l answer.Link) {
	if l.Choice.LastResort {
		g.lastResort.Inc()
	}
	if l.Choice.Len() == 0 {
		g.negative.Inc()
	}
	for i := range l.Choice.Len() {
		if at := l.Choice.At(i).Record.Index; at >= 0 {
			g.records[at].Inc()
		}
	}
}
