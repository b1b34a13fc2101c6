package health

import "slices"

// Standing is an override that is in force, and what it is said of. Override has who, why, since when and until when.
type Standing struct {
	Object   Object
	Override Override
	Under    *Override // the always that comes back when this one ends (T-230); nil for none. It must not be changed
}

// Standing returns all overrides that are in force, or have just ended, in the order of their objects. Some may match nothing that is configured now: they stay,
// and hold for nothing else.
func (a *Admin) Standing() []Standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	out := make([]Standing, 0, len(a.overrides))
	for o, s := range a.overrides {
		one := Standing{o, s.Override, s.kept}
		if one.Under != nil && expired(*one.Under, now) {
			one.Under = nil
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(x, y Standing) int { return x.Object.compare(y.Object) })
	return out
}

// Restore puts overrides in force as they stood, with the times at which they were said. Those that have ended since are left out, and what an
// operator has said of an object meanwhile stands.
func (a *Admin) Restore(standing []Standing) {
	var changed []Object
	for _, s := range standing {
		if a.restore(s) {
			changed = append(changed, s.Object)
		}
	}
	a.tell(changed...)
}

// restore reports whether the override is in force now.
func (a *Admin) restore(s Standing) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	if s.Under != nil && expired(*s.Under, now) {
		s.Under = nil
	}
	if expired(s.Override, now) {
		if s.Under == nil {
			return false
		}
		s.Override, s.Under = *s.Under, nil
	}
	if _, had := a.overrides[s.Object]; had {
		return false
	}
	if s.Override.Since.After(now) { // the clock was set back
		s.Override.Since = now
	}
	a.enter(s.Object, s.Override, s.Under)
	return true
}

// Changes counts what began, changed or ended so far.
func (a *Admin) Changes() uint64 { return a.changes.Load() }
