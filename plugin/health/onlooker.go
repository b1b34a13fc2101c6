package health

import (
	"sync"
	"time"
)

// Onlooker sees the checks of an engine and holds none: what is compiled on it can be looked at, to learn what would be if something were different,
// and nothing of it has to be given back. It never calls anybody.
type Onlooker struct {
	engine *Engine
	lease  *Lease // whose latches it sees

	mu    sync.Mutex
	ranks map[string]int // guarded by mu; its own latches
}

// Onlooker returns one that sees the lease's latches as they are now, and keeps changes to itself.
func (l *Lease) Onlooker() *Onlooker {
	return &Onlooker{engine: l.engine, lease: l, ranks: map[string]int{}}
}

// Check returns the check for the spec, or nil if nobody holds one.
func (o *Onlooker) Check(s Spec) *Check {
	o.engine.mu.Lock()
	defer o.engine.mu.Unlock()
	return o.engine.checks[s.identity()]
}

// Want does nothing.
func (*Onlooker) Want(*Check, bool) {}

// Start does nothing.
func (*Onlooker) Start() {}

// Drop does nothing.
func (*Onlooker) Drop(*Check) {}

// Now returns the time of the engine's clock.
func (o *Onlooker) Now() time.Time { return o.engine.clock.Now() }

// After does nothing: an onlooker sees one instant.
func (*Onlooker) After(time.Duration, func()) (stop func()) { return func() {} }

// Latch returns the rank that is set for the key.
func (o *Onlooker) Latch(key string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if rank, own := o.ranks[key]; own {
		return rank
	}
	return o.lease.Latch(key)
}

// SetLatch sets it for the onlooker alone.
func (o *Onlooker) SetLatch(key string, rank int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ranks[key] = rank
}
