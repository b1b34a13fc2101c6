package health

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/healthroute/healthroute/plugin/config"
)

// Lease is one configuration's hold on the checks that it uses. Checks are kept by the engine as long as any
// lease holds them, so that a reload, which takes the new lease before it releases the old one, loses none.
//
// Check and Drop may be called at any time until Release, which comes once; Start comes after the checks that are to begin, and again after those that
// come later. All methods may be called from any goroutine; those called after Release do nothing.
type Lease struct {
	// Scope tells leases of different server blocks of one Corefile apart: a check hands its verdict on only within one. It is set
	// before the first Check.
	Scope string
	// Formerly is the scope under which an earlier configuration has the same server block, "" for the same one. No lease of this configuration has that
	// as its Scope. It is set before the first Check.
	Formerly string

	engine   *Engine
	onChange func(*Check)
	roster   roster            // guarded by engine.mu
	fresh    []*Check          // guarded by engine.mu: new since Start; some may have been dropped
	lineages map[string]*Check // guarded by engine.mu
	released bool              // guarded by engine.mu
	ending   sync.WaitGroup    // attempts of checks that stopped with this lease; grows only while engine.mu is held and released is not set
	timers   timers
	drafts   drafts
}

// Check returns the check for the spec: the one that exists already, with all that it knows, or a new one.
// A new one takes the verdict of a check that differs only in its probe's options (design, Packages), or what was restored of it (restore.go). After Release it is one
// that nobody attempts.
func (l *Lease) Check(s Spec) *Check {
	e := l.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	identity := s.identity()
	c, known := e.checks[identity]
	if l.released {
		if !known {
			c = stillborn(s, identity, l)
		}
		return c
	}
	if !known {
		c = newCheck(s, identity, e, e.clock.Now())
		e.checks[identity] = c
	}
	t, first := l.roster.add(c)
	lineage := l.enter(l.Scope+" "+s.lineage(), c, t)
	if !known {
		if old := e.ancestor(l.formerly(lineage), l); old != nil {
			c.inherit(s.Probe, old.State(), c.state.Since)
		} else {
			e.remember(c, s.Probe, lineage)
		}
	}
	if first {
		c.hold(l, s)
		l.fresh = append(l.fresh, c)
	}
	if !known && s.Probe.Type == config.ProbePush {
		e.expireAnew(c)
	}
	return c
}

// formerly is what the earlier configuration calls something of the lease's scope.
func (l *Lease) formerly(name string) string {
	if l.Formerly == "" {
		return name
	}
	return l.Formerly + strings.TrimPrefix(name, l.Scope)
}

// siblingMark stands between a lineage and a number.
const siblingMark = ", number "

// enter notes the check under its lineage and returns that. Records of one group and address that differ in their
// headers have checks of one lineage: those are told apart by their order. It is called with engine.mu held.
func (l *Lease) enter(lineage string, c *Check, t *tenure) string {
	if name := t.knownAs(lineage); name != "" {
		return name
	}
	name := lineage
	for n := 2; l.lineages[name] != nil; n++ {
		name = fmt.Sprintf("%s%s%d", lineage, siblingMark, n)
	}
	l.lineages[name] = c
	t.lineages = append(t.lineages, name)
	return name
}

// hold adds the lease to those of the check.
func (c *Check) hold(l *Lease, s Spec) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds = append(c.holds, hold{lease: l, spec: s})
}

// stillborn is a check that has stopped before it began, and that no engine knows.
func stillborn(s Spec, identity string, l *Lease) *Check {
	c := newCheck(s, identity, l.engine, l.engine.clock.Now())
	c.detach()
	c.holds = []hold{{lease: l, spec: s}}
	c.stop()
	return c
}

// has reports whether the hold is the lease's.
func (l *Lease) has(h hold) bool { return h.lease == l }

// Probe returns the definition by which the lease knows a check that it holds, or held when the check stopped; nil for another one. It must not be
// changed.
func (l *Lease) Probe(c *Check) *config.Probe {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.holds, l.has); i >= 0 {
		return c.holds[i].spec.Probe
	}
	return nil
}

// Checks returns the checks that the lease holds now, or held when it was released, in the order in which they were asked for.
func (l *Lease) Checks() []*Check {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	return l.roster.list()
}

// Start schedules the first attempts of the checks that came since it was called last (schedule.go). Checks that run already stay on their
// schedule.
func (l *Lease) Start() {
	e := l.engine
	e.mu.Lock()
	if l.released {
		e.mu.Unlock()
		return
	}
	came := slices.DeleteFunc(l.fresh, func(c *Check) bool { return !l.roster.has(c) })
	l.fresh = nil
	e.mu.Unlock()
	var fresh []*Check
	for _, c := range came {
		e.settle(c)
		if c.waits() {
			fresh = append(fresh, c)
		}
	}
	e.beginAll(fresh)
}

// WaitFirst waits until every check that the lease holds now has ended an attempt or will make none, or until the context ends, and
// reports which.
func (l *Lease) WaitFirst(ctx context.Context) bool {
	for _, c := range l.Checks() {
		select {
		case <-c.first:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Attempted reports whether every check that the lease holds now has ended an attempt or will make none.
func (l *Lease) Attempted() bool {
	return !slices.ContainsFunc(l.Checks(), func(c *Check) bool { return !c.Attempted() })
}

// Drop gives a check back, however often it was asked for: who shares it within a lease counts for himself. If no other lease holds it, it
// stops: an attempt under way is abandoned and counts for nothing, and Release waits for its end. Its lineage is forgotten, so that nothing
// hands its verdict on. What a calculated check counts is dropped after that one.
//
// Drop waits for nothing and calls nobody back. It may be called from anywhere where no lock is held that an observer or the lease's onChange takes: also
// from these themselves and from what After has planned. A check that the lease does not hold is left alone.
func (l *Lease) Drop(c *Check) {
	e := l.engine
	e.mu.Lock()
	if l.released {
		e.mu.Unlock()
		return
	}
	t := l.roster.remove(c)
	if t == nil {
		e.mu.Unlock()
		return
	}
	for _, name := range t.lineages {
		delete(l.lineages, name)
	}
	stopped := e.drop(c, l)
	e.mu.Unlock()
	e.dropped(c, stopped)
}

// Release gives all checks back. Those that nobody else holds stop: an attempt under way is abandoned, and
// Release waits until it is over, and those that Drop has abandoned. What After has planned is called off. A second call does nothing.
func (l *Lease) Release() {
	e := l.engine
	e.mu.Lock()
	if l.released {
		e.mu.Unlock()
		return
	}
	l.released, l.fresh = true, nil
	e.leases = slices.DeleteFunc(e.leases, func(other *Lease) bool { return other == l })
	checks := l.roster.list()
	stopped := make([]bool, len(checks))
	for i, c := range checks {
		stopped[i] = e.drop(c, l)
	}
	e.mu.Unlock()
	l.timers.end()
	for i, c := range checks {
		e.dropped(c, stopped[i])
	}
	l.ending.Wait()
}

// drop takes the lease from those of the check, stops the check if it was the last, and reports that. It is called with e.mu held.
func (e *Engine) drop(c *Check, l *Lease) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.holds) > 1 {
		c.holds = slices.DeleteFunc(slices.Clone(c.holds), l.has) // a copy: the attempt under way may be reading
		return false
	}
	delete(e.checks, c.identity)
	l.ending.Add(c.running)
	c.stop()
	return true
}

// dropped lets those know of a drop that it matters to: what a stopped check counted, or the check itself, which may be wanted by nobody now. It is
// called without a lock.
func (e *Engine) dropped(c *Check, stopped bool) {
	if !stopped {
		e.settle(c)
		return
	}
	c.detach()
	e.wakeChildren(c)
}

// stop ends the check for good; its last hold stays, and what that lease waits for. It is called with mu held, or before anybody else knows c.
func (c *Check) stop() {
	c.stopped = true
	c.idle.Store(true)
	c.disarm()
	if c.unexpire != nil {
		c.unexpire()
	}
	if !c.Attempted() {
		close(c.first) // there is nothing to wait for
	}
}
