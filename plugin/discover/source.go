// Package discover finds the targets of pools: in files of Prometheus's file_sd form, and in answers of the DNS (spec 4.10).
//
// A Source looks again and again, on the clock that it is given, and hands on each good list that differs from the one before. What is broken,
// empty or gone changes nothing but its State. A target is known by address and port, so that the order in which a source tells it, and
// whether it was told before, say nothing.
package discover

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// DefaultEvery is how often files are looked at.
const DefaultEvery = 5 * time.Second

// Options are what a source needs of its surroundings.
type Options struct {
	Clock health.Clock
	// Ask asks the next plugins; nil says that nobody answered, or that the answer cannot be had. Several sources call it at the same time.
	Ask   func(ctx context.Context, req *dns.Msg) *dns.Msg
	Every time.Duration // between two looks at files; 0: DefaultEvery
	Limit int           // most targets of this source; 0: config.DefaultPoolLimit. The pool sums up over its sources

	Lists *Lists // where good lists are noted, for a restart; nil: nowhere
	Key   Key    // what the source is known by there; Source is filled in

	// Take is told each good list that differs from the last, in the order of Compare, and must not change it. Report is told each
	// change of fortune, also from one fault to another; that the first look was good is none. Both are called from any goroutine, but never
	// two at the same time, and may ask for the State; they must not wait for Stop. Report may be nil.
	Take   func(found []config.Found)
	Report func(r Report)
}

// Source is one `discover` line at work. It may be used from any number of goroutines; its owner calls Start once and then Stop.
type Source struct {
	d      config.Discovery
	o      Options
	reader reader

	ctx     context.Context // ends with Stop
	cancel  context.CancelFunc
	looking sync.WaitGroup // looks under way
	first   chan struct{}  // closed when Learned

	mu      sync.Mutex
	parts   []part         // guarded by mu; what known was made of
	known   []config.Found // guarded by mu
	state   State          // guarded by mu
	learned bool           // guarded by mu
	unset   func() bool    // guarded by mu; calls the next look off. nil before Start, and while a look is under way
	hurried bool           // guarded by mu; look again as soon as the look under way is over
	stopped bool           // guarded by mu
}

// New returns a source that has not been looked at.
func New(d config.Discovery, o Options) *Source {
	if o.Every <= 0 {
		o.Every = DefaultEvery
	}
	if o.Limit <= 0 {
		o.Limit = config.DefaultPoolLimit
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Source{d: d, o: o, ctx: ctx, cancel: cancel, first: make(chan struct{}), state: State{Fortune: Good}}
	if d.Kind == config.DiscoverDNS {
		s.reader = &questions{name: d.Name, qtype: d.Type, limit: o.Limit, ask: o.Ask}
	} else {
		s.reader = newFiles(d.Files, o.Every, o.Limit)
	}
	s.o.Key.Source = s.String()
	return s
}

// String is the source as the Corefile has it.
func (s *Source) String() string {
	if s.d.Kind == config.DiscoverDNS {
		return fmt.Sprintf("discover dns %s %s", s.d.Name, dns.TypeToString[s.d.Type])
	}
	return "discover file " + s.d.Files
}

// Inherit takes over what an earlier source of the same name, type or path knows, and hands it to Take, so that a reload forgets
// nothing; of another source it takes nothing. It is called before Start.
func (s *Source) Inherit(old *Source) {
	if old.d.Kind != s.d.Kind || old.d.Name != s.d.Name || old.d.Type != s.d.Type || old.d.Files != s.d.Files {
		return
	}
	s.reader.inherit(old.reader)
	old.mu.Lock()
	parts, state, learned := old.parts, old.state, old.learned
	old.mu.Unlock()
	known, _ := merge(s.d, parts)
	if len(known) > 0 {
		s.o.Take(known)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts, s.known, s.state = parts, known, state
	if learned {
		s.learn()
	}
	s.state.Known = len(known)
}

// Start plans the first look, at once.
func (s *Source) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan(0)
}

// Stop ends all looks and waits for the one under way.
func (s *Source) Stop() {
	s.mu.Lock()
	s.stopped = true
	if s.unset != nil {
		s.unset()
	}
	s.mu.Unlock()
	s.cancel()
	s.looking.Wait()
}

// Hurry looks again at once.
func (s *Source) Hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.unset == nil:
		s.hurried = true
	case s.unset():
		s.plan(0)
	}
}

// Learned reports whether somebody who waits for a first list should go on: there is one, or the first look has failed.
func (s *Source) Learned() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.learned
}

// First is closed when Learned becomes true.
func (s *Source) First() <-chan struct{} { return s.first }

// learn is called with mu held.
func (s *Source) learn() {
	if !s.learned {
		s.learned = true
		close(s.first)
	}
}

// State returns how the source fares.
func (s *Source) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// plan sets the timer of the next look; it is called with mu held.
func (s *Source) plan(d time.Duration) {
	if s.stopped {
		return
	}
	s.unset = s.o.Clock.AfterFunc(d, s.look)
}

// look looks once. No two looks overlap, as the end of each plans the next.
func (s *Source) look() {
	s.mu.Lock()
	if s.stopped {
		s.mu.Unlock()
		return
	}
	s.unset = nil
	s.looking.Add(1)
	s.mu.Unlock()
	defer s.looking.Done()

	r := s.reader.read(s.ctx)
	if s.ctx.Err() != nil { // what Stop cut off says nothing
		return
	}
	other := s.take(&r)
	s.note(r)
	s.tellLists(other)

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hurried {
		s.hurried, r.again = false, 0
	}
	s.plan(r.again)
}

// take hands a list on that can be used and is another one, and reports whether it was.
func (s *Source) take(r *reading) (other bool) {
	if r.parts == nil {
		return false
	}
	found, conflict := merge(s.d, r.parts)
	switch {
	case len(found) > s.o.Limit:
		r.fail(Refused, fmt.Sprintf("%s: %s in all: expected at most as many as the pool's `limit`, %d", s, targets(len(found)), s.o.Limit))
		return false
	case len(found) == 0:
		if r.fortune == Good {
			r.fail(Empty, fmt.Sprintf("%s: %s", s, ErrEmpty))
		}
		return false
	case conflict != "":
		r.fail(Refused, conflict)
	}
	s.mu.Lock()
	other = !slices.Equal(found, s.known)
	s.mu.Unlock()
	if other {
		s.o.Take(found)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts, s.known, s.state.Known = r.parts, found, len(found)
	return other
}

// fail adds a fault.
func (r *reading) fail(f Fortune, fault string) {
	if r.fault != "" {
		fault = r.fault + "\n" + fault
	}
	r.fortune, r.fault = f, fault
}

// note keeps how the source fares, and tells when that has changed.
func (s *Source) note(r reading) {
	s.mu.Lock()
	now := s.o.Clock.Now()
	told := s.state.Fortune == r.fortune && s.state.Fault == r.fault
	switch {
	case r.fortune == Good:
		s.state.FaultSince = time.Time{}
		if !r.pending {
			s.state.Good = now
		}
	case s.state.Fortune == Good:
		s.state.FaultSince = now
	}
	s.state.Fortune, s.state.Fault = r.fortune, r.fault
	s.learn()
	report := Report{Source: s.String(), Fortune: r.fortune, Fault: r.fault, Known: s.state.Known, Age: -1}
	if !s.state.Good.IsZero() {
		report.Age = now.Sub(s.state.Good)
	}
	s.mu.Unlock()
	if !told && s.o.Report != nil {
		s.o.Report(report)
	}
}
