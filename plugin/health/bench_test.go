package health

import (
	"runtime"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// BenchmarkAttempt is what an attempt costs beside its probe: start, count, tell, schedule.
func BenchmarkAttempt(b *testing.B) {
	e := NewEngine(Options{Runner: instantly(probe.Pass)})
	l := e.Lease(nil)
	defer l.Release()
	c := l.Check(of(b, tcp(func(p *config.Probe) { p.Interval = time.Hour }), 1))
	e.due(c, c.epoch)
	b.ReportAllocs()
	for b.Loop() {
		c.unset()
		e.due(c, c.epoch)
	}
}

// BenchmarkIdleCheck is the memory of a check between two attempts, with its part of engine, lease and timers.
func BenchmarkIdleCheck(b *testing.B) {
	const n = 100_000
	p := tcp(func(p *config.Probe) { p.Interval = time.Hour })
	spec := of(b, p, 0)
	for b.Loop() {
		before := inUse()
		l := NewEngine(Options{Runner: instantly(probe.Pass), Exact: true}).Lease(nil) // otherwise the first round would take 20 s
		for i := range n {
			one := of(b, p, i)
			one.Prober = spec.Prober
			l.Check(one)
		}
		l.Start()
		l.WaitFirst(b.Context())
		b.ReportMetric(float64(inUse()-before)/n, "bytes/check")
		l.Release()
	}
}

// inUse is the memory of heap and stacks.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
