package health

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// AdminState is config.AdminState: an operator says it in the Corefile or later.
type AdminState = config.AdminState

// The admin states.
const (
	Enabled  = config.Enabled
	Disabled = config.Disabled
	Draining = config.Draining
	Always   = config.Always

	// What is said of targets and sites in words of their own, and has no word in a Corefile.
	Deregistered AdminState = "deregistered" // a target of a pool: draining for the pool's drain time, then unused
	Unused       AdminState = "unused"       // what a deregistered target is after that: neither answered nor attempted
	Shifted      AdminState = "shifted"      // a site of a balancer: left out of its answers
)

// AdminStates are those that can be said of any object.
func AdminStates() []AdminState { return []AdminState{Enabled, Disabled, Draining, Always} }

// Override is an admin state with who said it, why and until when.
type Override struct {
	State  AdminState
	Reason string
	Author string
	Since  time.Time
	Until  time.Time // zero: until changed
}

// Admin holds the overrides of a process. It may be used from any number of goroutines.
type Admin struct {
	clock Clock

	changes atomic.Uint64

	mu        sync.Mutex
	overrides map[Object]*standing               // guarded by mu
	watchers  map[*func([]Object)]func([]Object) // guarded by mu
}

// standing is an override that holds now.
type standing struct {
	Override
	unset func() bool // calls its expiry off; nil without one
	kept  *Override   // the always that a disabled one stands over, and that comes back after it; nil for none
}

// NewAdmin returns an empty layer.
func NewAdmin(c Clock) *Admin {
	return &Admin{clock: c, overrides: map[Object]*standing{}, watchers: map[*func([]Object)]func([]Object){}}
}

// Set puts an override in force; an earlier one of the object ends. Since is filled in. One that has expired already, or says
// enabled with no end, takes the earlier one away. But an always that was disabled comes back then, and when the disabling
// expires: it is how the object is served while it is (spec 3.2, T-230).
func (a *Admin) Set(o Object, v Override) { a.SetAll([]Object{o}, v) }

// SetAll is Set for each of the objects at one instant. Watchers are told once, of all of them: what follows for a thousand targets of a pool costs
// them little more than what follows for one.
func (a *Admin) SetAll(objects []Object, v Override) {
	v.Since = a.clock.Now()
	var changed []Object
	a.mu.Lock()
	for _, o := range objects {
		if a.set(o, v) {
			changed = append(changed, o)
		}
	}
	a.mu.Unlock()
	a.tell(changed...)
}

// set is Set at the time Since, and reports whether anything was or is said; it is called with mu held.
func (a *Admin) set(o Object, v Override) bool {
	before, had := a.overrides[o]
	next := &v
	var kept *Override
	switch {
	case expired(v, v.Since), v.State == Enabled && v.Until.IsZero():
		next = nil
		if had {
			next = before.kept
		}
	case v.State == Disabled && had && before.State == Always:
		kept = &before.Override
	case v.State == Disabled && had:
		kept = before.kept
	}
	a.remove(o)
	set := next != nil && !expired(*next, v.Since)
	if set {
		a.enter(o, *next, kept)
	}
	return had || set
}

// expired reports whether the override has ended at that time.
func expired(v Override, now time.Time) bool { return !v.Until.IsZero() && !v.Until.After(now) }

// enter puts an override in force, of which there is none of the object; it is called with mu held.
func (a *Admin) enter(o Object, v Override, kept *Override) {
	s := &standing{Override: v, kept: kept}
	a.overrides[o] = s
	if !v.Until.IsZero() {
		a.plan(o, s)
	}
}

// plan makes an override end at its time; it is called with mu held.
func (a *Admin) plan(o Object, s *standing) {
	s.unset = a.clock.AfterFunc(s.Until.Sub(a.clock.Now()), func() { a.expire(o, s) })
}

// Clear ends the override of the object and what stands under it, and reports whether there was one.
func (a *Admin) Clear(o Object) bool {
	a.mu.Lock()
	had := a.remove(o)
	a.mu.Unlock()
	if had {
		a.tell(o)
	}
	return had
}

// expire ends an override at its time, unless another one has taken its place, and all others whose time is over: what was said together ends
// together.
func (a *Admin) expire(o Object, s *standing) {
	var ended []Object
	a.mu.Lock()
	now := a.clock.Now()
	switch {
	case a.overrides[o] != s:
	case !expired(s.Override, now): // the clock has been set back meanwhile
		a.plan(o, s)
	default:
		for o, s := range a.overrides {
			if expired(s.Override, now) {
				ended = append(ended, o)
			}
		}
		slices.SortFunc(ended, Object.compare)
		for _, o := range ended {
			kept := a.overrides[o].kept
			a.remove(o)
			if kept != nil && !expired(*kept, now) {
				a.enter(o, *kept, nil)
			}
		}
	}
	a.mu.Unlock()
	a.tell(ended...)
}

// remove takes the override of the object away and reports whether there was one; it is called with mu held.
func (a *Admin) remove(o Object) bool {
	s, ok := a.overrides[o]
	if !ok {
		return false
	}
	if s.unset != nil {
		s.unset()
	}
	delete(a.overrides, o)
	return true
}

// Override returns the override of the object, or false.
func (a *Admin) Override(o Object) (Override, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.overrides[o]
	if !ok {
		return Override{State: Enabled}, false
	}
	return s.Override, true
}

// Objects returns what overrides are in force for, in the order of their names; some may match nothing that is configured now.
func (a *Admin) Objects() []Object {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make([]Object, 0, len(a.overrides))
	for o := range a.overrides {
		out = append(out, o)
	}
	slices.SortFunc(out, Object.compare)
	return out
}

// Watch calls f, from any goroutine and with no lock held, after overrides of objects began, changed or ended, with those that did so together. The
// returned function ends that.
func (a *Admin) Watch(f func([]Object)) (stop func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := &f
	a.watchers[key] = f
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.watchers, key)
	}
}

func (a *Admin) tell(objects ...Object) {
	if len(objects) == 0 {
		return
	}
	a.changes.Add(uint64(len(objects)))
	a.mu.Lock()
	watchers := make([]func([]Object), 0, len(a.watchers))
	for _, f := range a.watchers {
		watchers = append(watchers, f)
	}
	a.mu.Unlock()
	for _, f := range watchers {
		f(objects)
	}
}
