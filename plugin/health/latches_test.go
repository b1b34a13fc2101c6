package health

import "testing"

// TestLatchesOfWhatNeverStarts: a configuration that is refused after it was compiled leaves the latches of the one that runs alone.
func TestLatchesOfWhatNeverStarts(t *testing.T) {
	e := NewEngine(Options{})
	running, refused := e.Lease(nil), e.Lease(nil)
	running.SetLatch("www A", 1)
	running.Start()
	refused.SetLatch("www A", 2)
	if got := refused.Latch("www A"); got != 2 {
		t.Errorf("Expected the lease to see its own latch 2, got %d", got)
	}
	refused.Release()
	if got := running.Latch("www A"); got != 1 {
		t.Errorf("Expected the running lease's latch 1, got %d", got)
	}
	running.Release()
	next := e.Lease(nil)
	defer next.Release()
	if got := next.Latch("www A"); got != 1 {
		t.Errorf("Expected the latch to outlive its lease, got %d", got)
	}
}
