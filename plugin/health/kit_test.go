package health

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// tcp returns a probe `web` of preset none, changed as the test says.
func tcp(change func(*config.Probe)) *config.Probe {
	p := config.DefaultProbe("web", config.ProbeTCP, "")
	p.Port = 80
	if change != nil {
		change(p)
	}
	return p
}

// of asks for a check of the probe on 10.0.0.N for www.example.org.
func of(tb testing.TB, p *config.Probe, n int) Spec {
	tb.Helper()
	prober, err := probe.New(p)
	if err != nil {
		tb.Fatalf("Expected a prober, got: %v", err)
	}
	address := netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
	return Spec{Probe: p, Prober: prober, Target: probe.Target{Address: address, Port: p.Port}, User: "www.example.org."}
}

// world says how an attempt that starts at a time ends, and how long it takes.
type world func(at time.Duration) (probe.Outcome, time.Duration)

// always is a world that does not change.
func always(o probe.Outcome, took time.Duration) world {
	return func(time.Duration) (probe.Outcome, time.Duration) { return o, took }
}

// hangs is a world whose target passes after 0.05 s, but hangs from one time until another and so fails at the timeout.
func hangs(from, until, timeout time.Duration) world {
	return func(at time.Duration) (probe.Outcome, time.Duration) {
		if from <= at && at < until {
			return probe.Fail, timeout
		}
		return probe.Pass, answer
	}
}

// answer is how long a target takes that works.
const answer = 50 * time.Millisecond

// stage is an engine on a virtual clock whose attempts end as a world says, and what it did. All is done on the test's
// goroutine, but for the end of abandoned attempts.
type stage struct {
	clock   *virtualClock
	engine  *Engine
	world   world
	starts  []string // when attempts began
	lags    []time.Duration
	changes []string // transitions
	notes   []string // untestable checks, and frozen verdicts
}

func newStage(w world) *stage { return newStageAt(time.Unix(1_000_000, 0), w) }

func newStageAt(epoch time.Time, w world) *stage {
	s := &stage{clock: newVirtualClock(epoch), world: w}
	s.engine = NewEngine(Options{Clock: s.clock, Observer: s, Runner: s.run, Exact: true})
	return s
}

// run ends the attempt when the world says or, if that comes first, when it is abandoned.
func (s *stage) run(ctx context.Context, _ *Check, done func(probe.Result)) {
	outcome, took := s.world(s.clock.at())
	abandoned := context.AfterFunc(ctx, func() { done(probe.Result{Outcome: probe.CannotTell}) })
	s.clock.AfterFunc(took, func() {
		if abandoned() {
			done(probe.Result{Outcome: outcome, Duration: took})
		}
	})
}

// lease takes a lease on the specs and starts it. The test releases it at its end, if not before.
func (s *stage) lease(t *testing.T, specs ...Spec) (*Lease, []*Check) {
	t.Helper()
	l := s.engine.Lease(nil)
	t.Cleanup(l.Release)
	var checks []*Check
	for _, spec := range specs {
		checks = append(checks, l.Check(spec))
	}
	l.Start()
	return l, checks
}

func (s *stage) AttemptStarted(_ *Check, lag time.Duration) {
	s.starts = append(s.starts, seconds(s.clock.at()))
	s.lags = append(s.lags, lag)
}

func (s *stage) AttemptEnded(*Check, probe.Result) {}

func (s *stage) Untestable(c *Check, on bool, r probe.Result) {
	s.notes = append(s.notes, fmt.Sprintf("%s untestable %v %s", seconds(s.clock.at()), on, r.Reason))
}

func (s *stage) Frozen(on bool, _ []*Check) {
	s.notes = append(s.notes, fmt.Sprintf("%s frozen %v", seconds(s.clock.at()), on))
}

func (s *stage) Transition(_ *Check, t Transition) {
	s.changes = append(s.changes, fmt.Sprintf("%s %s after %d, was %s for %s",
		seconds(t.At.Sub(s.clock.epoch)), t.To, t.Run, t.From, seconds(t.Lasted)))
}

func (s *stage) ProbePanicked(*Check, any) {}

// seconds writes a time to the hundredth, as the spec's timelines do.
func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

// same compares two lists.
func same[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("Expected %s %v, got %v", what, want, got)
	}
}

// equal compares two values.
func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("Expected %s %v, got %v", what, want, got)
	}
}

// outcomes reads P, F and ? for outcomes, with or without blanks.
func outcomes(text string) []probe.Outcome {
	var out []probe.Outcome
	for _, letter := range text {
		switch letter {
		case 'P':
			out = append(out, probe.Pass)
		case 'F':
			out = append(out, probe.Fail)
		case '?':
			out = append(out, probe.CannotTell)
		}
	}
	return out
}

// diary keeps, for each check, when its attempts began; for engines with real goroutines.
type diary struct {
	silent
	began time.Time

	mu     sync.Mutex
	starts map[*Check][]time.Duration // guarded by mu
}

func newDiary() *diary { return &diary{began: time.Now(), starts: map[*Check][]time.Duration{}} }

func (d *diary) AttemptStarted(c *Check, _ time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.starts[c] = append(d.starts[c], time.Since(d.began))
}

// of returns when the check's attempts began.
func (d *diary) of(c *Check) []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.starts[c])
}

// instantly is a Runner whose attempts end at once.
func instantly(o probe.Outcome) Runner {
	return func(_ context.Context, _ *Check, done func(probe.Result)) { done(probe.Result{Outcome: o}) }
}

// during is a Runner whose attempts take that long, unless they are abandoned.
func during(o probe.Outcome, took time.Duration) Runner {
	return func(ctx context.Context, _ *Check, done func(probe.Result)) {
		select {
		case <-time.After(took):
		case <-ctx.Done():
		}
		done(probe.Result{Outcome: o, Duration: took})
	}
}
