package health

import (
	"cmp"
	"slices"
	"sync"
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
)

// AdminStates are all of them.
func AdminStates() []AdminState { return []AdminState{Enabled, Disabled, Draining, Always} }

// Object is what an admin state is said of: a group, or a record of it. The binding is to these names alone, so that
// it holds over reloads and never moves to another record.
type Object struct {
	Group  string // the group's name
	Record string // the record's id; "" for the group itself
}

// String is GROUP or GROUP/RECORD.
func (o Object) String() string {
	if o.Record == "" {
		return o.Group
	}
	return o.Group + "/" + o.Record
}

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

	mu        sync.Mutex
	overrides map[Object]*standing           // guarded by mu
	watchers  map[*func(Object)]func(Object) // guarded by mu
}

// standing is an override that holds now.
type standing struct {
	Override
	unset func() bool // calls its expiry off; nil without one
}

// NewAdmin returns an empty layer.
func NewAdmin(c Clock) *Admin {
	return &Admin{clock: c, overrides: map[Object]*standing{}, watchers: map[*func(Object)]func(Object){}}
}

// Set puts an override in force; an earlier one of the object ends. Since is filled in. An override that has expired already, or
// says enabled with no end, is the same as Clear.
func (a *Admin) Set(o Object, v Override) {
	v.Since = a.clock.Now()
	lasts := v.Until.Sub(v.Since)
	if v.State == Enabled && v.Until.IsZero() || !v.Until.IsZero() && lasts <= 0 {
		a.Clear(o)
		return
	}
	s := &standing{Override: v}
	a.mu.Lock()
	a.remove(o)
	a.overrides[o] = s
	if !v.Until.IsZero() {
		s.unset = a.clock.AfterFunc(lasts, func() { a.expire(o, s) })
	}
	a.mu.Unlock()
	a.tell(o)
}

// Clear ends the override of the object, if there is one.
func (a *Admin) Clear(o Object) {
	a.mu.Lock()
	had := a.remove(o)
	a.mu.Unlock()
	if had {
		a.tell(o)
	}
}

// expire ends an override at its time, unless another one has taken its place.
func (a *Admin) expire(o Object, s *standing) {
	a.mu.Lock()
	current := a.overrides[o] == s
	if current {
		delete(a.overrides, o)
	}
	a.mu.Unlock()
	if current {
		a.tell(o)
	}
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
	slices.SortFunc(out, func(x, y Object) int { return cmp.Or(cmp.Compare(x.Group, y.Group), cmp.Compare(x.Record, y.Record)) })
	return out
}

// Watch calls f, from any goroutine and with no lock held, after an override of an object began, changed or ended. The returned
// function ends that.
func (a *Admin) Watch(f func(Object)) (stop func()) {
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

func (a *Admin) tell(o Object) {
	a.mu.Lock()
	watchers := make([]func(Object), 0, len(a.watchers))
	for _, f := range a.watchers {
		watchers = append(watchers, f)
	}
	a.mu.Unlock()
	for _, f := range watchers {
		f(o)
	}
}
