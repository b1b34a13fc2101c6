package health

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// What was known before a restart waits here until somebody asks for the checks. A check of the same identity goes on where that one stopped: verdict,
// counters, since when, the last result, and how it recovered. One of the same lineage, whose definition changed meanwhile, takes the verdict
// over, as at a reload. The status stands until the check's own attempts say otherwise, and is a verdict under `initial first` too.

// memory is what was restored and not adopted yet. The zero value is empty. It is guarded by the engine's mutex.
type memory struct {
	limit      time.Duration // older knowledge is none
	byIdentity map[string]*Known
	byLineage  map[string]*Known
}

// Restore lets checks that are asked for from now on adopt what the snapshot knows of them, once each, unless that is older than the limit then; of what a
// pushed check was told its probe says how long it counts. Checks that the engine has already stay as they are. Latches are set at once, for good, unless they
// are set already.
func (e *Engine) Restore(s Snapshot, limit time.Duration) {
	m := memory{limit: limit, byIdentity: make(map[string]*Known, len(s.Checks)), byLineage: make(map[string]*Known, len(s.Checks))}
	for _, k := range s.Checks {
		k.Lineages = slices.Clone(k.Lineages)
		if identity, err := hex.DecodeString(k.Identity); err == nil {
			m.byIdentity[string(identity)] = &k
		}
		for _, lineage := range k.Lineages {
			if other := m.byLineage[lineage]; other == nil || other.At.Before(k.At) {
				m.byLineage[lineage] = &k
			}
		}
	}
	e.mu.Lock()
	e.restored = m
	e.mu.Unlock()
	e.latches.restore(s.Latches)
}

// take returns what is known of the identity, or else of the lineage, and whether it is the former; nil for nothing. It is not known any more then. Ageless
// says that it may be of any age.
func (m *memory) take(identity, lineage string, ageless bool, now time.Time) (k *Known, same bool) {
	k, same = m.byIdentity[identity]
	if !same {
		k = m.byLineage[lineage]
	}
	if k == nil {
		return nil, false
	}
	if same {
		delete(m.byIdentity, identity)
	}
	delete(m.byLineage, lineage)
	k.Lineages = slices.DeleteFunc(k.Lineages, func(name string) bool { return name == lineage })
	if !ageless && !m.fresh(k, now) {
		return nil, false
	}
	return k, same
}

// fresh reports whether the knowledge is young enough. A clock that was set back makes it no younger than it was.
func (m *memory) fresh(k *Known, now time.Time) bool { return now.Sub(k.At).Abs() <= m.limit }

// left is what nobody has adopted, but may still.
func (m *memory) left(now time.Time) []Known {
	useless := func(_ string, k *Known) bool {
		return !strings.HasSuffix(k.Name, "@"+PushTarget) && !m.fresh(k, now) // a host may be called so, too, and is kept in vain
	}
	maps.DeleteFunc(m.byIdentity, useless)
	maps.DeleteFunc(m.byLineage, useless)
	out := make([]Known, 0, len(m.byIdentity))
	for _, k := range m.byIdentity {
		one := *k
		one.Lineages = slices.Clone(k.Lineages)
		out = append(out, one)
	}
	return out
}

// remember lets a new check adopt what was restored of it. It is called with e.mu held, before anybody else knows c.
func (e *Engine) remember(c *Check, p *config.Probe, lineage string) {
	now := c.state.Since
	k, same := e.restored.take(c.identity, lineage, p.Type == config.ProbePush, now)
	switch {
	case k == nil:
	case same:
		c.adopt(p, k.before(now))
	default:
		c.inherit(p, k.before(now).state(), k.At)
		c.stale = true
	}
}

// adopt goes on where the check stopped. It is called before anybody else knows c.
func (c *Check) adopt(p *config.Probe, k Known) {
	now := c.state.Since
	if p.Type != config.ProbeCalculated {
		c.told, c.stale = k.At, true
		c.state.Verdict, c.state.Last, c.state.LastAt, c.state.Expires = k.Verdict, k.Last, k.LastAt, k.Expires
		c.set(p, k.Counter, now)
	}
	if c.state.Status == k.Status {
		c.state.Since, c.state.Recovery = k.Since, k.Recovery.recovery()
	}
	if c.state.Counter.Verdict != NoVerdict && !c.Attempted() {
		close(c.first)
	}
}

// before is the knowledge with no time after now: the clock may have been set back.
func (k Known) before(now time.Time) Known {
	for _, at := range []*time.Time{&k.Since, &k.LastAt, &k.Recovery.Clean} {
		if at.After(now) {
			*at = now
		}
	}
	return k
}

// state is the State of the check that the knowledge is of.
func (k Known) state() State {
	return State{
		Status: k.Status, Counter: k.Counter, Verdict: k.Verdict, Since: k.Since, Last: k.Last, LastAt: k.LastAt, Expires: k.Expires,
		Recovery: k.Recovery.recovery(),
	}
}
