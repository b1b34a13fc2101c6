package health

import "testing"

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
