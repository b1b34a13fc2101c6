package health

import (
	"maps"
	"slices"
	"sync"
)

// Latches remember, for groups with `failback manual`, down to which rank a group has been driven (spec 4.13): what is above stays
// out until an operator says otherwise. They belong to the engine, so that a reload keeps them. The keys are the groups' business.
// They may be used from any number of goroutines.
type Latches struct {
	mu    sync.Mutex
	ranks map[string]int // guarded by mu; never 0
}

// Get returns the rank of the key; 0, the highest, if none is set.
func (l *Latches) Get(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ranks[key]
}

// Set sets the rank of the key; 0 is the same as Clear.
func (l *Latches) Set(key string, rank int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if rank == 0 {
		delete(l.ranks, key)
		return
	}
	if l.ranks == nil {
		l.ranks = map[string]int{}
	}
	l.ranks[key] = rank
}

// Clear forgets the key and reports whether it was set.
func (l *Latches) Clear(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, was := l.ranks[key]
	delete(l.ranks, key)
	return was
}

// ClearAll forgets all keys.
func (l *Latches) ClearAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ranks = nil
}

// Keys returns the keys that are set, in their order.
func (l *Latches) Keys() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.ranks))
}

// Latch returns the rank that is set for the key within the lease's scope.
func (l *Lease) Latch(key string) int { return l.engine.latches.Get(l.Scope + " " + key) }

// SetLatch sets it.
func (l *Lease) SetLatch(key string, rank int) { l.engine.latches.Set(l.Scope+" "+key, rank) }
