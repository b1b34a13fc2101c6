package scenario

import (
	"container/heap"
	"sync"
	"time"
)

// epoch is time 0 of every world. Any fixed instant would do; this one is easy to recognize.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is a virtual clock: it stands still until its owner moves it. It is a health.Clock; what the engine schedules are the starts of
// attempts. Ends come before starts of the same instant, so that what happens at T is known before what begins at T.
type clock struct {
	mu    sync.Mutex // an abandoned attempt calls its end off on a goroutine of its own
	now   time.Time  // guarded by mu
	queue events     // guarded by mu
	made  int        // guarded by mu
}

// phase orders what happens at one instant.
type phase int

const (
	ends   phase = iota // attempts that end, overrides that expire
	starts              // attempts that start
)

// event is something that will happen.
type event struct {
	at    time.Time
	phase phase
	made  int // order of making, the last tie-break
	run   func()
	place int // in the queue; -1 once it is gone
}

// Now returns the virtual time.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc schedules the start of an attempt.
func (c *clock) AfterFunc(d time.Duration, f func()) func() bool { return c.after(d, starts, f) }

func (c *clock) after(d time.Duration, p phase, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	e := &event{at: c.now.Add(d), phase: p, made: c.made, run: f}
	heap.Push(&c.queue, e)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if e.place < 0 {
			return false
		}
		heap.Remove(&c.queue, e.place)
		return true
	}
}

// advance moves the clock to t; starts at t itself are left for the next move.
func (c *clock) advance(t time.Time) {
	for {
		e := c.next(t)
		if e == nil {
			return
		}
		e.run()
	}
}

// next takes the next event up to t, or moves the clock to t and returns nil.
func (c *clock) next(t time.Time) *event {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 || c.queue[0].at.After(t) || c.queue[0].at.Equal(t) && c.queue[0].phase == starts {
		c.now = t
		return nil
	}
	e := heap.Pop(&c.queue).(*event)
	c.now = e.at
	return e
}

// nextEvent returns when something will happen next, or false.
func (c *clock) nextEvent() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return time.Time{}, false
	}
	return c.queue[0].at, true
}

// expiries is the same clock for what ends rather than starts: the expiry of an override.
type expiries struct{ *clock }

// AfterFunc schedules an end.
func (c expiries) AfterFunc(d time.Duration, f func()) func() bool { return c.after(d, ends, f) }

// events is a heap by time, phase and order of making.
type events []*event

func (q events) Len() int { return len(q) }

func (q events) Less(i, j int) bool {
	a, b := q[i], q[j]
	if !a.at.Equal(b.at) {
		return a.at.Before(b.at)
	}
	if a.phase != b.phase {
		return a.phase < b.phase
	}
	return a.made < b.made
}

func (q events) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push is heap.Interface's.
func (q *events) Push(x any) {
	e := x.(*event)
	e.place = len(*q)
	*q = append(*q, e)
}

// Pop is heap.Interface's.
func (q *events) Pop() any {
	old := *q
	e := old[len(old)-1]
	e.place = -1
	*q = old[:len(old)-1]
	return e
}
