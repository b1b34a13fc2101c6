package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// sample is what this process has done so far.
type sample struct {
	at          time.Time
	elapsed     time.Duration // of a difference
	cpu         time.Duration
	attempts    float64
	transitions float64
	lags        map[float64]uint64 // attempts by the upper bound of their lag in seconds, each in one bucket only
}

func take() sample {
	s := sample{at: time.Now(), lags: map[float64]uint64{}}
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	s.cpu = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	families, _ := prometheus.DefaultGatherer.Gather()
	for _, f := range families {
		switch f.GetName() {
		case "coredns_healthroute_attempts_total":
			s.attempts = sum(f)
		case "coredns_healthroute_transitions_total":
			s.transitions = sum(f)
		case "coredns_healthroute_scheduler_lag_seconds":
			below := uint64(0)
			h := f.GetMetric()[0].GetHistogram()
			for _, b := range h.GetBucket() {
				s.lags[b.GetUpperBound()] = b.GetCumulativeCount() - below
				below = b.GetCumulativeCount()
			}
			s.lags[longer] = h.GetSampleCount() - below
		}
	}
	return s
}

// longer stands for lags beyond the last bucket.
const longer = 1e9

func sum(f *dto.MetricFamily) (total float64) {
	for _, m := range f.GetMetric() {
		total += m.GetCounter().GetValue()
	}
	return total
}

// since is the difference to an earlier sample.
func (s sample) since(before sample) sample {
	d := sample{elapsed: s.at.Sub(before.at), cpu: s.cpu - before.cpu, attempts: s.attempts - before.attempts,
		transitions: s.transitions - before.transitions, lags: map[float64]uint64{}}
	for bound, n := range s.lags {
		d.lags[bound] = n - before.lags[bound]
	}
	return d
}

// worst is the upper bound of the longest lag, in seconds.
func (s sample) worst() (worst float64) {
	for bound, n := range s.lags {
		if n > 0 {
			worst = max(worst, bound)
		}
	}
	return worst
}

// lag writes it.
func (s sample) lag() string {
	if s.worst() == longer {
		return "above 8 s"
	}
	return fmt.Sprintf("below %.3g s", s.worst())
}

// peak is the most that was in use at one time.
type peak struct{ descriptors, goroutines int }

// watch looks at what is in use while time passes.
func watch(ctx context.Context, d time.Duration) (most peak) {
	for end := time.Now().Add(d); time.Now().Before(end) && wait(ctx, min(500*time.Millisecond, time.Until(end))); {
		open, _ := os.ReadDir("/proc/self/fd")
		most.descriptors = max(most.descriptors, len(open))
		most.goroutines = max(most.goroutines, runtime.NumGoroutine())
	}
	return most
}

// memory is that of heap and stacks in use, without garbage.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
