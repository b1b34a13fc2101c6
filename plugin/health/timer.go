package health

import (
	"sync"
	"time"
)

// timers are what a lease has planned. They end with it.
type timers struct {
	mu      sync.Mutex
	ended   bool              // guarded by mu
	pending map[*planned]bool // guarded by mu
	running sync.WaitGroup    // calls under way; grows only while mu is held and ended is not set
}

// planned is one call to come.
type planned struct{ unset func() bool }

// Now returns the time of the engine's clock.
func (l *Lease) Now() time.Time { return l.engine.clock.Now() }

// After calls f once, d from now on the engine's clock, from any goroutine and with no lock held, unless stop or Release comes
// first. f may use the engine and the lease but must not call Release, which waits for it; so whoever calls Release must hold nothing
// that f may wait for. stop may be called again, and does not wait for f.
func (l *Lease) After(d time.Duration, f func()) (stop func()) {
	t := &l.timers
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return func() {}
	}
	p := &planned{}
	if t.pending == nil {
		t.pending = map[*planned]bool{}
	}
	t.pending[p] = true
	p.unset = l.engine.timers.AfterFunc(max(0, d), func() {
		if t.begin(p) {
			defer t.running.Done()
			f()
		}
	})
	return func() { t.stop(p) }
}

// begin reports whether the call is still wanted.
func (t *timers) begin(p *planned) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.pending[p] {
		return false
	}
	delete(t.pending, p)
	t.running.Add(1)
	return true
}

func (t *timers) stop(p *planned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending[p] {
		delete(t.pending, p)
		p.unset()
	}
}

// end calls everything off and waits for what is under way.
func (t *timers) end() {
	t.mu.Lock()
	t.ended = true
	for p := range t.pending {
		p.unset()
	}
	t.pending = nil
	t.mu.Unlock()
	t.running.Wait()
}
