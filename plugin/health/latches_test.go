package health

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestLatchesOfWhatNeverStarts: a configuration that is refused after it was compiled leaves the latches of the one that runs alone.
func TestLatchesOfWhatNeverStarts(t *testing.T) {
	e := NewEngine(Options{})
	running, refused := e.Lease(nil), e.Lease(nil)
	running.SetLatch("www A", 1)
	running.Start()
	running.TakeOver()
	refused.SetLatch("www A", 2)
	refused.Start() // what fails after that fails elsewhere
	refused.SetLatch("www AAAA", 2)
	if got := refused.Latch("www A"); got != 2 {
		t.Errorf("Expected the lease to see its own latch 2, got %d", got)
	}
	refused.Release()
	for key, want := range map[string]int{"www A": 1, "www AAAA": 0} {
		if got := running.Latch(key); got != want {
			t.Errorf("Expected the running lease's latch %d for %s, got %d", want, key, got)
		}
	}
	running.Release()
	next := e.Lease(nil)
	defer next.Release()
	if got := next.Latch("www A"); got != 1 {
		t.Errorf("Expected the latch to outlive its lease, got %d", got)
	}
}

// TestScopeThatChanged: a server block whose keys were edited goes on under its new scope, but only when its configuration holds.
func TestScopeThatChanged(t *testing.T) {
	stage := newStage(always(probe.Fail, answer))
	before := stage.engine.Lease(nil)
	before.Scope = "example.org"
	old := before.Check(of(t, tcp(nil), 1))
	before.Start()
	before.TakeOver()
	before.SetLatch("www A", 1)
	stage.clock.to(s(5))
	for _, fails := range []bool{true, false} {
		after := stage.engine.Lease(nil)
		after.Scope, after.Formerly = "example.net example.org", "example.org"
		changed := after.Check(of(t, tcp(func(p *config.Probe) { p.Fall = 5 }), 1))
		equal(t, "verdict that was taken over", changed.State().Counter, Counter{Verdict: old.State().Counter.Verdict})
		equal(t, "latch", after.Latch("www A"), 1)
		after.Start()
		same(t, "keys", stage.engine.Latches().Keys(), "example.org www A")
		if !fails {
			before.Release()
			after.TakeOver()
			equal(t, "latch", after.Latch("www A"), 1)
			same(t, "keys", stage.engine.Latches().Keys(), "example.net example.org www A")
		}
		after.Release()
	}
}
