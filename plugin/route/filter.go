package route

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// Filter checks the addresses that later plugins answer for its names (spec 4.14). It meets them in their answers, checks as many at a time as
// it may, and forgets those that it has not met for a while. Its methods may be called from any number of goroutines; a query that meets
// what is known takes no lock.
type Filter struct {
	Name   string         // the first name that was declared
	Config *config.Filter // as it was declared
	TTL    uint32         // the most seconds that what passes may live

	table *Table
	spec  func(netip.Addr) health.Spec

	known sync.Map    // netip.Addr -> *met; stored and deleted with mu held
	full  atomic.Bool // no more may be known

	mu      sync.Mutex
	size    int    // guarded by mu; of known
	fresh   []*met // guarded by mu; those that have no check yet
	watched bool   // guarded by mu; a look at who is idle is planned
	told    bool   // guarded by mu; that the filter is full
}

// met is an address that a filter has met.
type met struct {
	address netip.Addr
	seen    atomic.Int64                 // when it was met last, in Unix nanoseconds
	check   atomic.Pointer[health.Check] // nil until it has one
}

// sweeps is how many times in its idle time an address may be looked at: so much of that may it be forgotten too late.
const sweeps = 16

// Meet reports whether an address that is about to be answered is usable, and whether it is checked at all. One that the filter has not met
// yet is usable until it has a check: nothing of that is waited for. What can be no host's address needs no check, and what comes while
// the filter is full gets none; both are usable.
func (f *Filter) Meet(a netip.Addr, now time.Time) (usable, checked bool) {
	if known, ok := f.known.Load(a); ok {
		m := known.(*met)
		m.seen.Store(now.UnixNano())
		c := m.check.Load()
		return c == nil || c.Usable(), true
	}
	switch {
	case !config.IsUnicast(a):
		return true, true
	case f.full.Load():
		return true, false
	}
	return true, f.learn(a, now)
}

// learn notes an address and has its check begun beside the query. It reports whether there was room.
func (f *Filter) learn(a netip.Addr, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, known := f.enter(a, now.UnixNano())
	if m == nil {
		return known
	}
	if f.fresh = append(f.fresh, m); len(f.fresh) == 1 {
		f.table.checks.After(0, f.admit)
	}
	return true
}

// enter makes an address known. It returns nil if it is so already, or if the filter is full. It is called with mu held.
func (f *Filter) enter(a netip.Addr, seen int64) (m *met, known bool) {
	if _, known := f.known.Load(a); known || f.size >= f.Config.Limit {
		return nil, known
	}
	m = &met{address: a}
	m.seen.Store(seen)
	f.known.Store(a, m)
	f.size++
	f.full.Store(f.size >= f.Config.Limit)
	if !f.watched {
		f.watched = true
		f.table.checks.After(f.Config.Idle, f.forget)
	}
	return m, true
}

// admit gives those a check that have none.
func (f *Filter) admit() {
	f.mu.Lock()
	fresh := f.fresh
	f.fresh = nil
	tell := f.full.Load() && !f.told
	f.told = f.told || tell
	f.mu.Unlock()
	f.table.takeUp(f, fresh)
	if tell {
		f.table.observer.FilterFull(f)
	}
}

// forget gives the checks of those back that have been idle, and plans the next look.
func (f *Filter) forget() {
	now := f.table.checks.Now()
	next := f.Config.Idle // from now, until somebody may be idle
	var idle []*met
	for _, known := range f.known.Range {
		m := known.(*met)
		left := f.Config.Idle - now.Sub(time.Unix(0, m.seen.Load()))
		if left <= 0 && m.check.Load() != nil {
			idle = append(idle, m)
			continue
		}
		next = min(next, left)
	}
	f.mu.Lock()
	for _, m := range idle {
		f.known.Delete(m.address)
	}
	f.size -= len(idle)
	f.full.Store(f.size >= f.Config.Limit)
	if f.watched = f.size > 0; f.watched {
		f.table.checks.After(max(next, f.Config.Idle/sweeps), f.forget)
	}
	f.mu.Unlock()
	if dropped := f.table.giveBack(idle); dropped != nil {
		f.table.observer.FilterForgot(f, dropped)
	}
}

// inherit makes the addresses known that another filter knows, what was seen last first, and returns those that are new here: they have no check yet.
func (f *Filter) inherit(old *Filter) []*met {
	var theirs []*met
	for _, known := range old.known.Range {
		theirs = append(theirs, known.(*met))
	}
	slices.SortFunc(theirs, func(a, b *met) int {
		return cmp.Or(cmp.Compare(b.seen.Load(), a.seen.Load()), a.address.Compare(b.address))
	})
	old.mu.Lock()
	told := old.told
	old.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = f.told || told
	var fresh []*met
	for _, before := range theirs {
		if m, _ := f.enter(before.address, before.seen.Load()); m != nil {
			fresh = append(fresh, m)
		}
	}
	return fresh
}

// Check returns the check of an address, or nil if the filter does not know it or has not begun to check it.
func (f *Filter) Check(a netip.Addr) *health.Check {
	if known, ok := f.known.Load(a); ok {
		return known.(*met).check.Load()
	}
	return nil
}

// Known returns how many addresses the filter knows.
func (f *Filter) Known() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size
}
