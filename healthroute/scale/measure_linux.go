package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"time"
)

// queries is how many are asked for each figure.
const queries = 20_000

// result is a line of the table.
type result struct {
	name        string
	attempts    float64 // a second
	wanted      float64 // a second, what the intervals ask for
	cores       float64
	perAttempt  time.Duration
	bytes       float64 // of a check, the whole server shared out
	lag         string
	descriptors int
	goroutines  int
	idle, busy  costs
}

func measureAll(ctx context.Context, only *regexp.Regexp, window time.Duration, profile string, out io.Writer) error {
	t, err := startTargets()
	if err != nil {
		return err
	}
	defer t.stop()
	fmt.Fprintln(out, "| case | attempts/s (asked) | cores | CPU per attempt | KiB per check | worst lag | descriptors | goroutines | query, idle | query, busy | ratio |")
	fmt.Fprintln(out, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, interval := range []time.Duration{30 * time.Second, 10 * time.Second} {
		for _, kind := range []string{"tcp", "http"} {
			for _, n := range []int{1_000, 10_000, 100_000} {
				s := site{targets: n, kind: kind, interval: interval, port: t.TCP, hung: t.TCPHang}
				if kind == "http" {
					s.port, s.hung = t.HTTP, t.HTTPHang
				}
				name := fmt.Sprintf("%s %d %s", kind, n, interval)
				if !only.MatchString(name) || ctx.Err() != nil {
					continue
				}
				r, err := measure(ctx, s, window, profile)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				r.name = name
				r.print(out)
			}
		}
	}
	return ctx.Err()
}

// measure starts the site twice: idle, when all its targets are taken for healthy, and with attempts.
func measure(ctx context.Context, s site, window time.Duration, profile string) (result, error) {
	var r result
	idle := s
	idle.idle = true
	server, err := startServer(idle)
	if err != nil {
		return r, err
	}
	r.idle, err = askServer(server.address, s.groups(), queries)
	if stopped := server.stop(); err != nil || stopped != nil {
		return r, fmt.Errorf("idle server: %w, %w", err, stopped)
	}

	before := memory()
	if server, err = startServer(s); err != nil {
		return r, err
	}
	defer func() { _ = server.stop() }()
	// The first round, then as long as it takes until its traces are gone.
	if !wait(ctx, time.Duration(s.targets)*200*time.Microsecond+s.interval+5*time.Second) {
		return r, ctx.Err()
	}
	runtime.GC()
	stopProfile, err := startProfile(profile)
	if err != nil {
		return r, err
	}
	from := take()
	most := watch(ctx, window)
	to := take()
	stopProfile()
	d := to.since(from)
	r.attempts, r.wanted = d.attempts/d.elapsed.Seconds(), float64(s.targets)/s.interval.Seconds()
	r.cores = d.cpu.Seconds() / d.elapsed.Seconds()
	r.perAttempt = time.Duration(float64(d.cpu) / max(1, d.attempts))
	r.lag = d.lag()
	r.descriptors, r.goroutines = most.descriptors, most.goroutines
	r.busy, err = askServer(server.address, s.groups(), queries)
	r.bytes = max(0, float64(memory())-float64(before)) / float64(s.targets) // what an earlier case leaves behind may go meanwhile
	return r, err
}

// startProfile writes a CPU profile until stop is called; none to no file.
func startProfile(name string) (stop func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}

// wait reports whether so much time has passed.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// print writes a line of the table.
func (r result) print(out io.Writer) {
	fmt.Fprintf(out, "| %s | %.0f (%.0f) | %.3f | %v | %.2f | %s | %d | %d | %v | %v | %.2f |\n", r.name, r.attempts, r.wanted, r.cores,
		r.perAttempt.Round(time.Microsecond), r.bytes/1024, r.lag, r.descriptors, r.goroutines,
		r.idle.median.Round(time.Microsecond), r.busy.median.Round(time.Microsecond), float64(r.busy.median)/float64(r.idle.median))
}
