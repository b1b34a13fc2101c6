package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// minute is a line of a soak.
type minute struct {
	cadence    float64 // attempts made of those asked for
	lag        float64
	memory     uint64
	goroutines int
}

// soak runs 2,000 checks of 10 s, a fifth of which hang and a tenth of which flap, and judges whether anything grows or slips.
func soak(ctx context.Context, length time.Duration, out io.Writer) error {
	t, err := startTargets()
	if err != nil {
		return err
	}
	defer t.stop()
	// The hanging ones are of the kind that costs most: accepted, and then silent.
	s := site{targets: 2000, kind: "http", interval: 10 * time.Second, port: t.HTTP, hung: t.HTTPHang, flaps: t.HTTPFlap}
	server, err := startServer(s)
	if err != nil {
		return err
	}
	defer func() { _ = server.stop() }()
	if !wait(ctx, 20*time.Second) {
		return ctx.Err()
	}
	var minutes []minute
	end := time.Now().Add(length)
	for before := take(); time.Now().Before(end); {
		most := watch(ctx, min(time.Minute, time.Until(end)))
		if ctx.Err() != nil {
			break
		}
		now := take()
		d := now.since(before)
		before = now
		m := minute{
			cadence: d.attempts / (float64(s.targets) / s.interval.Seconds() * d.elapsed.Seconds()),
			lag:     d.worst(), memory: memory(), goroutines: runtime.NumGoroutine(),
		}
		minutes = append(minutes, m)
		fmt.Fprintf(out, "%s  %.0f attempts (%.1f %%), worst lag %s, %.0f transitions, %.1f MiB, %d goroutines (at most %d), %d descriptors, %.3f cores\n",
			time.Now().Format(time.TimeOnly), d.attempts, 100*m.cadence, d.lag(), d.transitions, float64(m.memory)/(1<<20), m.goroutines, most.goroutines, most.descriptors,
			d.cpu.Seconds()/d.elapsed.Seconds())
	}
	return judge(minutes, out)
}

// judge compares the last third of the minutes with the first.
func judge(minutes []minute, out io.Writer) error {
	if len(minutes) == 0 {
		return errors.New("nothing was measured")
	}
	third := max(1, len(minutes)/3)
	first, last := minutes[:third], minutes[len(minutes)-third:]
	most := func(ms []minute, of func(minute) float64) float64 {
		values := make([]float64, len(ms))
		for i, m := range ms {
			values[i] = of(m)
		}
		return slices.Max(values)
	}
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	for i, m := range minutes {
		check(m.cadence > 0.97 && m.cadence < 1.03, "minute %d: %.1f %% of the attempts that the interval asks for", i+1, 100*m.cadence)
		check(m.lag <= 1.1, "minute %d: a lag of up to %g s", i+1, m.lag)
	}
	size := func(m minute) float64 { return float64(m.memory) }
	check(most(last, size) < 1.1*most(first, size)+1<<20, "memory grew from %.0f to %.0f bytes", most(first, size), most(last, size))
	count := func(m minute) float64 { return float64(m.goroutines) }
	check(most(last, count) < 1.1*most(first, count)+50, "goroutines grew from %.0f to %.0f", most(first, count), most(last, count))
	if err := errors.Join(faults...); err != nil {
		return err
	}
	fmt.Fprintf(out, "good: cadence kept, lag below a second, memory and goroutines flat for %d minutes\n", len(minutes))
	return nil
}
