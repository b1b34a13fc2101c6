package health

import (
	"context"
	"fmt"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
)

// Lease is one configuration's hold on the checks that it uses. Checks are kept by the engine as long as any
// lease holds them, so that a reload, which takes the new lease before it releases the old one, loses none.
//
// The order of calls is Check for every spec, Start once, Release once.
type Lease struct {
	// Scope tells leases of different server blocks of one Corefile apart: a check hands its verdict on only within one. It is set
	// before the first Check.
	Scope string

	engine   *Engine
	onChange func(*Check)
	checks   []*Check          // guarded by engine.mu until Start
	lineages map[string]*Check // guarded by engine.mu
	timers   timers
	drafts   drafts
}

// Check returns the check for the spec: the one that exists already, with all that it knows, or a new one.
// A new one takes the verdict of a check that differs only in its probe's options (design, Packages).
func (l *Lease) Check(s Spec) *Check {
	e := l.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	identity := s.identity()
	c, known := e.checks[identity]
	if !known {
		c = newCheck(s, identity, e, e.clock.Now())
		e.checks[identity] = c
	}
	lineage := l.enter(l.Scope+" "+s.lineage(), c)
	if !known {
		if old := e.ancestor(lineage, l); old != nil {
			c.inherit(s.Probe, old.State())
		}
	}
	if c.hold(l, s) {
		l.checks = append(l.checks, c)
	}
	if !known && s.Probe.Type == config.ProbePush {
		e.expireAnew(c)
	}
	return c
}

// enter notes the check under its lineage and returns that. Records of one group and address that differ in their
// headers have checks of one lineage: those are told apart by their order. It is called with engine.mu held.
func (l *Lease) enter(lineage string, c *Check) string {
	name := lineage
	for n := 2; ; n++ {
		switch l.lineages[name] {
		case nil:
			l.lineages[name] = c
			return name
		case c:
			return name
		}
		name = fmt.Sprintf("%s, number %d", lineage, n)
	}
}

// hold adds the lease to those of the check and reports whether it is new there.
func (c *Check) hold(l *Lease, s Spec) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.ContainsFunc(c.holds, l.has) {
		return false
	}
	c.holds = append(c.holds, hold{lease: l, spec: s})
	return true
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

// Checks returns the checks that the lease holds, in the order in which they were asked for.
func (l *Lease) Checks() []*Check { return l.checks }

// Start schedules the first attempts of the checks that have none yet (schedule.go). Checks that run already stay on their
// schedule.
func (l *Lease) Start() {
	l.publish()
	var fresh []*Check
	for _, c := range l.checks {
		l.engine.settle(c)
		if c.waits() {
			fresh = append(fresh, c)
		}
	}
	l.engine.beginAll(fresh)
}

// WaitFirst waits until every check has ended an attempt, or until the context ends, and reports which.
func (l *Lease) WaitFirst(ctx context.Context) bool {
	for _, c := range l.checks {
		select {
		case <-c.first:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Attempted reports whether every check has ended an attempt.
func (l *Lease) Attempted() bool {
	for _, c := range l.checks {
		if !c.Attempted() {
			return false
		}
	}
	return true
}

// Release gives the checks back. Those that nobody else holds stop: an attempt under way is abandoned, and
// Release waits until it is over. What After has planned is called off. A second call does nothing.
func (l *Lease) Release() {
	e := l.engine
	e.mu.Lock()
	if !slices.Contains(e.leases, l) {
		e.mu.Unlock()
		return
	}
	e.leases = slices.DeleteFunc(e.leases, func(other *Lease) bool { return other == l })
	var stopped, kept []*Check
	for _, c := range l.checks {
		if c.drop(l) {
			delete(e.checks, c.identity)
			stopped = append(stopped, c)
		} else {
			kept = append(kept, c)
		}
	}
	e.mu.Unlock()
	l.timers.end()
	for _, c := range stopped {
		c.detach()
	}
	for _, c := range kept {
		e.settle(c)
	}
	for _, c := range stopped {
		c.attempts.Wait()
	}
}

// drop takes the lease from those of the check, stops the check if it was the last, and reports that.
func (c *Check) drop(l *Lease) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.holds) > 1 {
		c.holds = slices.DeleteFunc(slices.Clone(c.holds), l.has) // a copy: the attempt under way may be reading
		return false
	}
	c.stopped = true
	c.idle.Store(true)
	c.disarm()
	if c.unexpire != nil {
		c.unexpire()
	}
	return true
}
