package health

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// virtualClock is a clock that the test moves. It calls the functions that are due in their order, those of one
// instant in the order in which they were asked for, on the goroutine that moves it.
type virtualClock struct {
	epoch time.Time

	mu     sync.Mutex
	now    time.Time       // guarded by mu
	timers []*virtualTimer // guarded by mu
}

type virtualTimer struct {
	at time.Time
	f  func()
}

func newVirtualClock(epoch time.Time) *virtualClock { return &virtualClock{epoch: epoch, now: epoch} }

func (c *virtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *virtualClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &virtualTimer{at: c.now.Add(d), f: f}
	c.timers = append(c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.remove(t)
	}
}

// remove takes the timer away and reports whether it was still there; it is called with mu held.
func (c *virtualClock) remove(t *virtualTimer) bool {
	i := slices.Index(c.timers, t)
	if i < 0 {
		return false
	}
	c.timers = slices.Delete(c.timers, i, i+1)
	return true
}

// at returns how long ago the epoch was.
func (c *virtualClock) at() time.Duration { return c.Now().Sub(c.epoch) }

// to moves the clock to that long after the epoch.
func (c *virtualClock) to(at time.Duration) {
	end := c.epoch.Add(at)
	for t := c.due(end); t != nil; t = c.due(end) {
		t.f()
	}
}

// due takes out the next timer until the end, and moves to its instant; nil, and the end, if there is none.
func (c *virtualClock) due(end time.Time) *virtualTimer {
	c.mu.Lock()
	defer c.mu.Unlock()
	var next *virtualTimer
	for _, t := range c.timers {
		if !t.at.After(end) && (next == nil || t.at.Before(next.at)) {
			next = t
		}
	}
	if next == nil {
		c.now = end
		return nil
	}
	c.remove(next)
	if next.at.After(c.now) {
		c.now = next.at
	}
	return next
}

// stall moves the clock without calling anything, as if the process had been stopped meanwhile.
func (c *virtualClock) stall(until time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.epoch.Add(until)
}

// pending returns the number of functions that are still to be called.
func (c *virtualClock) pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// TestVirtualClock keeps the clock honest that the other tests trust.
func TestVirtualClock(t *testing.T) {
	c := newVirtualClock(time.Unix(0, 0))
	var got []time.Duration
	note := func() { got = append(got, c.at()) }
	c.AfterFunc(3*time.Second, note)
	c.AfterFunc(time.Second, func() { note(); c.AfterFunc(time.Second, note) })
	stop := c.AfterFunc(2*time.Second, func() { t.Error("Expected the stopped function not to be called, it was") })
	if !stop() || stop() {
		t.Error("Expected stop to report true once, got otherwise")
	}
	c.to(3 * time.Second)
	if want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}; !slices.Equal(got, want) {
		t.Errorf("Expected calls at %v, got %v", want, got)
	}
}
