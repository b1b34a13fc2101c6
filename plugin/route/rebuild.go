package route

import (
	"context"

	"github.com/healthroute/healthroute/plugin/health"
)

// Changed rebuilds the views of the groups that use the check, before it returns or, when another caller is
// rebuilding already, before that one does. Changes that arrive meanwhile are taken together, so that a thousand records of
// a group that die at once cost a few rebuilds and not a thousand.
func (t *Table) Changed(c *health.Check) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, g := range t.byCheck[c] {
		t.mark(g)
	}
	t.work()
}

// mark notes that the group's view waits for a rebuild; it is called with mu held.
func (t *Table) mark(g *Group) {
	if !g.dirty {
		g.dirty = true
		t.dirty[g.level] = append(t.dirty[g.level], g)
	}
}

// work rebuilds what is marked, unless another caller does so already. It is called with mu held and gives it up meanwhile.
func (t *Table) work() {
	if t.rebuilding {
		return
	}
	t.rebuilding = true
	for g := t.nextDirty(); g != nil; g = t.nextDirty() {
		g.dirty = false // from here on a change is seen by the rebuild or makes another one
		t.mu.Unlock()
		t.rebuild(g)
		t.mu.Lock()
		for _, parent := range g.parents {
			t.mark(parent) // its view holds this one
		}
	}
	t.rebuilding = false
	if t.settled != nil {
		close(t.settled)
		t.settled = nil
	}
}

// together lets what f changes of checks cost each view one rebuild: a thousand checks that are paused tell a thousand changes. Where another caller is
// rebuilding already, that one takes what it can along. f must not wait for a rebuild. It is called without mu.
func (t *Table) together(f func()) {
	t.mu.Lock()
	first := !t.rebuilding
	t.rebuilding = true // so that Changed only marks
	t.mu.Unlock()
	f()
	if !first {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rebuilding = false
	t.work()
}

// Settled reports whether no view waits for a rebuild. A check that has ended its first attempt has told us, but we may not have been done
// with what others told before.
func (t *Table) Settled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.rebuilding
}

// Settle waits until no view waits for a rebuild, or until the context ends, and reports which.
func (t *Table) Settle(ctx context.Context) bool {
	t.mu.Lock()
	if !t.rebuilding {
		t.mu.Unlock()
		return true
	}
	if t.settled == nil {
		t.settled = make(chan struct{})
	}
	settled := t.settled
	t.mu.Unlock()
	select {
	case <-settled:
		return true
	case <-ctx.Done():
		return false
	}
}

// again judges the group anew because time has passed.
func (t *Table) again(g *Group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mark(g)
	t.work()
}

// maxLevels bounds how deep aliases may go (spec 3.7); config.Validate refuses more.
const maxLevels = 12

// nextDirty takes out a group of the lowest level that waits, so that what stands behind an alias is new before the alias is judged; nil if none
// waits. It is called with mu held.
func (t *Table) nextDirty() *Group {
	for level, waiting := range t.dirty {
		if len(waiting) > 0 {
			t.dirty[level] = waiting[1:]
			return waiting[0]
		}
	}
	return nil
}

// rebuild replaces the group's view by one of the health of now, and tells of last resorts, and of records that are all shown, where that begins or
// ends. The first view of all is no change.
func (t *Table) rebuild(g *Group) {
	before := g.view.Load()
	j := newJudge(g)
	after := j.buildView(t.checks)
	g.view.Store(after)
	if g.unplan != nil {
		g.unplan()
		g.unplan = nil
	}
	if !j.wake.IsZero() {
		g.unplan = t.checks.After(j.wake.Sub(j.now), func() { t.again(g) })
	}
	for i, s := range after.Sets() {
		if before == nil {
			return
		}
		was := before.Sets()[i]
		if was.LastResort != s.LastResort {
			t.observer.LastResort(g, s.Type, s.LastResort)
		}
		if was.ShowsAll != s.ShowsAll {
			t.observer.ShowsAll(g, s.Type, s.ShowsAll)
		}
	}
}
