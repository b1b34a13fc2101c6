package health

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Latches remember, for groups with `failback manual`, down to which rank a group has been driven (spec 4.13): what is above stays
// out until an operator says otherwise. They belong to the engine, so that a reload keeps them. The keys are the groups' business.
// They may be used from any number of goroutines.
type Latches struct {
	changes atomic.Uint64

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
	if l.ranks[key] != rank {
		l.changes.Add(1)
	}
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
	if was {
		l.changes.Add(1)
	}
	delete(l.ranks, key)
	return was
}

// ClearAll forgets all keys.
func (l *Latches) ClearAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes.Add(1)
	l.ranks = nil
}

// Keys returns the keys that are set, in their order.
func (l *Latches) Keys() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.ranks))
}

// all returns a copy of the ranks.
func (l *Latches) all() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.ranks)
}

// restore sets what is not set yet.
func (l *Latches) restore(ranks map[string]int) {
	for key, rank := range ranks {
		if l.Get(key) == 0 {
			l.Set(key, rank)
		}
	}
}

// move gives the keys with a prefix another one.
func (l *Latches) move(from, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, rank := range maps.Clone(l.ranks) {
		if rest, found := strings.CutPrefix(key, from); found {
			delete(l.ranks, key)
			l.ranks[to+rest] = rank
			l.changes.Add(1)
		}
	}
}

// drafts are the latches that a lease sets before it takes over: a configuration whose start fails, be it after ours, must not change those of
// the one that runs.
type drafts struct {
	mu    sync.Mutex
	ranks map[string]int // guarded by mu
	over  bool           // guarded by mu: the lease has taken over
}

// Latch returns the rank that is set for the key within the lease's scope.
func (l *Lease) Latch(key string) int {
	l.drafts.mu.Lock()
	defer l.drafts.mu.Unlock()
	if rank, drafted := l.drafts.ranks[key]; drafted {
		return rank
	}
	name := l.Scope + " " + key
	if !l.drafts.over {
		name = l.formerly(name)
	}
	return l.engine.latches.Get(name)
}

// SetLatch sets it; for others it holds from TakeOver on.
func (l *Lease) SetLatch(key string, rank int) {
	l.drafts.mu.Lock()
	defer l.drafts.mu.Unlock()
	if l.drafts.over {
		l.engine.latches.Set(l.Scope+" "+key, rank)
		return
	}
	if l.drafts.ranks == nil {
		l.drafts.ranks = map[string]int{}
	}
	l.drafts.ranks[key] = rank
}

// TakeOver makes the lease's latches everybody's: its configuration holds from here on. It is called once no reload can fail any more, at the
// first start at once. A second call does nothing.
func (l *Lease) TakeOver() {
	l.engine.mu.Lock()
	released := l.released
	l.engine.mu.Unlock()
	if released {
		return
	}
	l.drafts.mu.Lock()
	defer l.drafts.mu.Unlock()
	if !l.drafts.over && l.Formerly != "" {
		l.engine.latches.move(l.Formerly+" ", l.Scope+" ")
	}
	for key, rank := range l.drafts.ranks {
		l.engine.latches.Set(l.Scope+" "+key, rank)
	}
	l.drafts.ranks, l.drafts.over = nil, true
}
