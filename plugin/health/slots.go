package health

import (
	"container/heap"
	"sync"
	"time"
)

// slots bound how many attempts are under way at the same time. An attempt that finds no place waits in the order in which attempts were
// due; that is lag and no failure, since its timeout begins with it.
//
// A cap alone would let targets that hang take every place and hold it for their whole timeout, so that all others were tested late, too. So
// there are two queues: checks whose last attempt took half of its timeout or more are slow, and may have three quarters of the places together. The
// rest belongs to those that answer, whose attempts are short. Targets that hang delay each other, once they are too many, and nobody
// else: a check is taken for slow from its second long attempt on. The zero value has no cap.
type slots struct {
	mu     sync.Mutex
	limit  int  // guarded by mu; 0 for none
	taken  int  // guarded by mu
	slow   int  // guarded by mu; those taken by slow checks
	prompt line // guarded by mu
	behind line // guarded by mu; slow checks that wait
}

// waiter is an attempt that is due and waits for its turn.
type waiter struct {
	check *Check
	epoch int
	slow  bool
	due   time.Time
	came  int // number of arrival, for those that are due at the same instant
	place int // in its line; -1 once it has left
}

// slowShare is the number of places that slow checks may have together.
func (s *slots) slowShare() int { return max(1, s.limit-max(1, s.limit/4)) }

// free reports whether there is a place; it is called with mu held.
func (s *slots) free(slow bool) bool {
	return s.limit == 0 || s.taken < s.limit && (!slow || s.slow < s.slowShare())
}

// take counts a place as taken; it is called with mu held.
func (s *slots) take(slow bool) {
	s.taken++
	if slow {
		s.slow++
	}
}

// enter takes a place for an attempt, or returns what waits for one.
func (s *slots) enter(c *Check, epoch int, due time.Time, slow bool) *waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free(slow) {
		s.take(slow)
		return nil
	}
	w := &waiter{check: c, epoch: epoch, slow: slow, due: due}
	s.lineOf(slow).join(w)
	return w
}

// leave gives a place back, and returns those whose turn has come: they have taken their places.
func (s *slots) leave(slow bool) []*waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if slow {
		s.slow--
	}
	return s.admit()
}

// setLimit changes the number of places, 0 for no limit, and returns those whose turn has come by it.
func (s *slots) setLimit(n int) []*waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = n
	return s.admit()
}

// admit gives free places to those that have been due longest; it is called with mu held.
func (s *slots) admit() []*waiter {
	var admitted []*waiter
	for {
		var next *line
		for _, l := range []*line{&s.prompt, &s.behind} {
			if l.Len() > 0 && s.free(l == &s.behind) && (next == nil || l.waiting[0].before(next.waiting[0])) {
				next = l
			}
		}
		if next == nil {
			return admitted
		}
		w := heap.Pop(next).(*waiter)
		s.take(w.slow)
		admitted = append(admitted, w)
	}
}

// remove takes away one that waits, if it still does.
func (s *slots) remove(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.place >= 0 {
		heap.Remove(s.lineOf(w.slow), w.place)
	}
}

// lineOf is called with mu held.
func (s *slots) lineOf(slow bool) *line {
	if slow {
		return &s.behind
	}
	return &s.prompt
}

// Load is how busy an engine is at one instant.
type Load struct {
	UnderWay int       // attempts
	Waiting  int       // attempts that are due and wait for their turn
	Oldest   time.Time // since when the one of them that waits longest has been due; zero if none waits
}

// Load returns how busy the engine is now.
func (e *Engine) Load() Load {
	s := &e.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	l := Load{UnderWay: s.taken, Waiting: s.prompt.Len() + s.behind.Len()}
	for _, line := range []*line{&s.prompt, &s.behind} {
		if line.Len() > 0 && (l.Oldest.IsZero() || line.waiting[0].due.Before(l.Oldest)) {
			l.Oldest = line.waiting[0].due
		}
	}
	return l
}

// SetMaxAttempts bounds the attempts that are under way at the same time; 0, as in a new engine, does not. Those that are under way already go on.
func (e *Engine) SetMaxAttempts(n int) { e.admit(e.slots.setLimit(n)) }

// due makes the attempt that is due, or lets it wait for its turn.
func (e *Engine) due(c *Check, epoch int) {
	c.mu.Lock()
	if c.stopped || c.epoch != epoch {
		c.mu.Unlock()
		return
	}
	slow := c.slow
	c.queued = e.slots.enter(c, epoch, c.state.Next, slow)
	waits := c.queued != nil
	c.mu.Unlock()
	if !waits {
		e.start(c, epoch, slow)
	}
}

// admit starts attempts that have taken their places, where the clock calls them.
func (e *Engine) admit(waiters []*waiter) {
	for _, w := range waiters {
		e.clock.AfterFunc(0, func() { e.start(w.check, w.epoch, w.slow) })
	}
}

// line is a heap of those that wait, by when they were due.
type line struct {
	waiting []*waiter
	came    int
}

func (w *waiter) before(other *waiter) bool {
	if w.due.Equal(other.due) {
		return w.came < other.came
	}
	return w.due.Before(other.due)
}

func (l *line) join(w *waiter) {
	l.came++
	w.came = l.came
	heap.Push(l, w)
}

func (l *line) Len() int           { return len(l.waiting) }
func (l *line) Less(i, j int) bool { return l.waiting[i].before(l.waiting[j]) }

func (l *line) Swap(i, j int) {
	l.waiting[i], l.waiting[j] = l.waiting[j], l.waiting[i]
	l.waiting[i].place, l.waiting[j].place = i, j
}

// Push is heap.Interface's.
func (l *line) Push(x any) {
	w := x.(*waiter)
	w.place = len(l.waiting)
	l.waiting = append(l.waiting, w)
}

// Pop is heap.Interface's.
func (l *line) Pop() any {
	last := len(l.waiting) - 1
	w := l.waiting[last]
	l.waiting[last] = nil
	l.waiting = l.waiting[:last]
	w.place = -1
	return w
}
