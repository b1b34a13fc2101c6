package route

import "github.com/healthroute/healthroute/plugin/health"

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
		t.dirty = append(t.dirty, g)
	}
}

// work rebuilds what is marked, unless another caller does so already. It is called with mu held and gives it up meanwhile.
func (t *Table) work() {
	if t.rebuilding {
		return
	}
	t.rebuilding = true
	for len(t.dirty) > 0 {
		g := t.dirty[0]
		t.dirty = t.dirty[1:]
		g.dirty = false // from here on a change is seen by the rebuild or makes another one
		t.mu.Unlock()
		t.rebuild(g)
		t.mu.Lock()
	}
	t.rebuilding = false
}

// rebuild replaces the group's view by one of the health of now, and tells of last resorts that begin or end. The first view of all is no
// change.
func (t *Table) rebuild(g *Group) {
	before := g.view.Load()
	after := buildView(g)
	g.view.Store(after)
	for i, s := range after.sets {
		if before != nil && before.sets[i].LastResort != s.LastResort {
			t.observer.LastResort(g, s.Type, s.LastResort)
		}
	}
}
