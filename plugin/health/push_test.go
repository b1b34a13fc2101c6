package health

import (
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// pushes asks for the check of a push probe `deploy`, changed as the test says.
func pushes(t *testing.T, change func(*config.Probe)) Spec {
	t.Helper()
	p := config.DefaultProbe("deploy", config.ProbePush, "")
	if change != nil {
		change(p)
	}
	prober, err := probe.New(p)
	if err != nil {
		t.Fatalf("Expected a prober, got: %v", err)
	}
	return Spec{Probe: p, Prober: prober, Target: probe.Target{Name: PushTarget}, User: "example.org."}
}

func missing(m config.Missing) func(*config.Probe) {
	return func(p *config.Probe) { p.Push = config.Push{MaxAge: 30 * time.Second, Missing: m} }
}

// What was told counts for max_age from when it was so, not from when we heard of it.
func TestPush(t *testing.T) {
	s := newStage(nil)
	_, checks := s.lease(t, pushes(t, missing(config.MissingUnhealthy)))
	c := checks[0]
	equal(t, "name", c.String(), "deploy@push")
	equal(t, "attempted", c.Attempted(), true)
	equal(t, "status before anything", c.State().Status, Unhealthy)

	now := func(ago time.Duration) time.Time { return s.clock.Now().Add(-ago) }
	equal(t, "reached", s.engine.Push("Deploy", probe.Pass, now(10*time.Second), "told"), 1)
	equal(t, "status", c.State().Status, Healthy)
	equal(t, "reason", c.State().Last.Reason, "told")
	s.engine.Push("deploy", probe.Fail, now(11*time.Second), "older")
	s.engine.Push("deploy", probe.CannotTell, now(0), "nothing")
	equal(t, "status after what is older, and what tells nothing", c.State().Status, Healthy)
	s.clock.to(20 * time.Second)
	equal(t, "status 30 s after it was so", c.State().Status, Unhealthy)

	s.engine.Push("deploy", probe.Pass, now(-time.Hour), "from the future")
	equal(t, "status", c.State().Status, Healthy)
	s.clock.to(50 * time.Second)
	equal(t, "status 30 s after that", c.State().Status, Unhealthy)
	s.engine.Push("deploy", probe.Pass, now(time.Minute), "too old")
	equal(t, "status after what is stale already", c.State().Status, Unhealthy)
	equal(t, "reached of another name", s.engine.Push("web", probe.Pass, now(0), ""), 0)
	same(t, "changes", s.changes,
		"0.00 healthy after 0, was unhealthy for 0.00", "20.00 unhealthy after 0, was healthy for 20.00",
		"20.00 healthy after 0, was unhealthy for 0.00", "50.00 unhealthy after 0, was healthy for 30.00")
	same(t, "attempts", s.starts)
}

func TestPushInverted(t *testing.T) {
	s := newStage(nil)
	_, checks := s.lease(t, pushes(t, func(p *config.Probe) { p.Invert = true }))
	equal(t, "status before anything", checks[0].State().Status, Unhealthy)
	s.engine.Push("deploy", probe.Fail, s.clock.Now(), "")
	equal(t, "status", checks[0].State().Status, Healthy)
}

func TestPushAssumed(t *testing.T) {
	s := newStage(nil)
	_, checks := s.lease(t, pushes(t, func(p *config.Probe) { p.Assume = config.AssumeHealthy }))
	s.engine.Push("deploy", probe.Fail, s.clock.Now(), "")
	equal(t, "status", checks[0].State().Status, Healthy)
	equal(t, "could turn", checks[0].Flips().IsZero(), true)
}

// Two names are two checks, though nothing else differs.
func TestPushByName(t *testing.T) {
	s := newStage(nil)
	_, checks := s.lease(t, pushes(t, nil), pushes(t, func(p *config.Probe) { p.Name = "other" }))
	s.engine.Push("other", probe.Fail, s.clock.Now(), "")
	equal(t, "status", checks[0].State().Status, Healthy)
	equal(t, "status of the other", checks[1].State().Status, Unhealthy)
	equal(t, "could turn at once", checks[0].Flips().After(s.clock.Now()), false)
}

// A released check expires no more, and a push that comes late does no harm.
func TestPushReleased(t *testing.T) {
	s := newStage(nil)
	l, checks := s.lease(t, pushes(t, missing(config.MissingUnhealthy)))
	s.engine.Push("deploy", probe.Pass, s.clock.Now(), "")
	l.Release()
	s.clock.to(time.Hour)
	equal(t, "status", checks[0].State().Status, Healthy)
	equal(t, "reached", s.engine.Push("deploy", probe.Fail, s.clock.Now(), ""), 0)
	s.engine.pushTo(checks[0], probe.Fail, s.clock.Now(), "")
	equal(t, "status", checks[0].State().Status, Healthy)
}

// Pushes may come from anywhere at any time.
func TestPushRace(t *testing.T) {
	e := NewEngine(Options{})
	l := e.Lease(nil)
	c := l.Check(pushes(t, func(p *config.Probe) { p.Push.MaxAge = time.Microsecond }))
	l.Start()
	done := make(chan struct{})
	for range 4 {
		go func() {
			for range 100 {
				e.Push("deploy", probe.Fail, time.Now(), "")
				c.State()
			}
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done
	}
	l.Release()
}
