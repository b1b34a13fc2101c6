package health

import (
	"slices"
	"strings"
)

// roster is what a lease holds, in the order in which it was asked for. Adding and removing take constant time. It is guarded by the engine's
// mutex.
type roster struct {
	held  map[*Check]*tenure
	order []*Check // nil where one has left
	gaps  int      // in order
}

// tenure is a lease's use of one check.
type tenure struct {
	place    int      // in the roster's order
	lineages []string // under which the lease knows it
}

// add enters a check, and reports whether it is new.
func (r *roster) add(c *Check) (*tenure, bool) {
	if t, ok := r.held[c]; ok {
		return t, false
	}
	if r.held == nil {
		r.held = map[*Check]*tenure{}
	}
	t := &tenure{place: len(r.order)}
	r.held[c] = t
	r.order = append(r.order, c)
	return t, true
}

// remove takes a check out and returns its tenure; nil if it is not held.
func (r *roster) remove(c *Check) *tenure {
	t, ok := r.held[c]
	if !ok {
		return nil
	}
	delete(r.held, c)
	r.order[t.place] = nil
	if r.gaps++; r.gaps > len(r.order)/2 {
		r.close()
	}
	return t
}

// close takes the gaps out.
func (r *roster) close() {
	r.order, r.gaps = r.list(), 0
	for i, c := range r.order {
		r.held[c].place = i
	}
}

// list returns the checks; it may be kept.
func (r *roster) list() []*Check {
	out := make([]*Check, 0, len(r.held))
	for _, c := range r.order {
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

// has reports whether the check is held.
func (r *roster) has(c *Check) bool {
	_, ok := r.held[c]
	return ok
}

// knownAs returns the name that stands for the lineage, or "" if the lease knows the check under none.
func (t *tenure) knownAs(lineage string) string {
	i := slices.IndexFunc(t.lineages, func(name string) bool {
		return name == lineage || strings.HasPrefix(name, lineage+siblingMark)
	})
	if i < 0 {
		return ""
	}
	return t.lineages[i]
}
