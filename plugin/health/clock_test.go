package health

import (
	"container/heap"
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
	now    time.Time     // guarded by mu
	timers virtualTimers // guarded by mu
	made   int           // guarded by mu
}

type virtualTimer struct {
	at    time.Time
	made  int
	f     func()
	place int // in the heap; -1 once it is gone
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
	c.made++
	t := &virtualTimer{at: c.now.Add(d), made: c.made, f: f}
	heap.Push(&c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if t.place < 0 {
			return false
		}
		heap.Remove(&c.timers, t.place)
		return true
	}
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
	if len(c.timers) == 0 || c.timers[0].at.After(end) {
		c.now = end
		return nil
	}
	next := heap.Pop(&c.timers).(*virtualTimer)
	if next.at.After(c.now) {
		c.now = next.at
	}
	return next
}

// virtualTimers is a heap by time and order of making.
type virtualTimers []*virtualTimer

func (q virtualTimers) Len() int { return len(q) }

func (q virtualTimers) Less(i, j int) bool {
	if q[i].at.Equal(q[j].at) {
		return q[i].made < q[j].made
	}
	return q[i].at.Before(q[j].at)
}

func (q virtualTimers) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q *virtualTimers) Push(x any) {
	t := x.(*virtualTimer)
	t.place = len(*q)
	*q = append(*q, t)
}

func (q *virtualTimers) Pop() any {
	old := *q
	t := old[len(old)-1]
	t.place = -1
	*q = old[:len(old)-1]
	return t
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
