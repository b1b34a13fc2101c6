package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// An object is named in a script as GROUP, GROUP/RECORD, PROBE@TARGET, POOL, POOL/TARGET (pool.go) or, as two words, site NAME. A group goes by any of its names, relative or absolute.

// groups returns the groups that have the name.
func (w *World) groups(name string) []*route.Group {
	full := strings.ToLower(w.fullName(name))
	var out []*route.Group
	for _, n := range w.servers {
		for _, g := range n.table.Groups() {
			if slices.Contains(g.Names, full) {
				out = append(out, g)
			}
		}
	}
	return out
}

// record returns the record GROUP/RECORD and its group. Neither a relative group name nor a record id needs to be free of slashes, so every
// slash is tried.
func (w *World) record(object string) (*route.Group, *route.Record) {
	for i := range object {
		if object[i] != '/' {
			continue
		}
		for _, g := range w.groups(object[:i]) {
			for _, r := range g.Records {
				if strings.EqualFold(r.ID, object[i+1:]) {
					return g, r
				}
			}
		}
	}
	return nil, nil
}

// object finds what an admin state can be said of.
func (w *World) object(word string) (health.Object, error) {
	if groups := w.groups(word); len(groups) > 0 {
		return health.GroupObject(groups[0].Name, ""), nil
	}
	if g, r := w.record(word); r != nil {
		return health.GroupObject(g.Name, r.ID), nil
	}
	if p := w.pool(word); p != nil {
		return health.PoolObject(p.Name, ""), nil
	}
	if p, target := w.poolTarget(word); target != nil {
		return health.PoolObject(p.Name, target.ID), nil
	}
	if site, ok := strings.CutPrefix(word, "site "); ok && w.hasSite(site) {
		return health.SiteObject(strings.ToLower(site)), nil
	}
	return health.Object{}, w.unknown(word)
}

// hasSite reports whether a record or a target stands in the site.
func (w *World) hasSite(site string) bool {
	here := func(r *route.Record) bool { return strings.EqualFold(r.Site, site) }
	for _, n := range w.servers {
		for _, g := range n.table.Groups() {
			if slices.ContainsFunc(g.Records, here) {
				return true
			}
		}
		for _, p := range n.table.Pools() {
			if slices.ContainsFunc(p.Targets(), here) {
				return true
			}
		}
	}
	return false
}

// checksOf returns the checks of GROUP/RECORD, POOL/TARGET or PROBE@TARGET; the port of the target may be left out.
func (w *World) checksOf(object string) ([]*health.Check, error) {
	_, r := w.record(object)
	if r == nil {
		_, r = w.poolTarget(object)
	}
	if r != nil {
		if checks := r.Checks(); len(checks) > 0 {
			return checks, nil
		}
		return nil, fmt.Errorf("record %q has no check", object)
	}
	name, target, isCheck := strings.Cut(object, "@")
	if !isCheck {
		return nil, w.unknown(object)
	}
	key, err := targetKey(target)
	if err != nil {
		return nil, err
	}
	var out []*health.Check
	for _, n := range w.servers {
		for _, c := range n.lease.Checks() {
			host, withPort := targetKeys(c.Target())
			if strings.EqualFold(c.Probe().Name, name) && (key == host || key == withPort) && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	if len(out) == 0 {
		return nil, w.unknown(object)
	}
	return out, nil
}

// unknown is the error for an object that the Corefile does not have, with the nearest that it has.
func (w *World) unknown(object string) error {
	var names []string
	for _, n := range w.servers {
		for _, g := range n.table.Groups() {
			name := strings.TrimSuffix(g.Name, "."+w.fullName("@"))
			names = append(names, name)
			for _, r := range g.Records {
				names = append(names, name+"/"+r.ID)
			}
		}
		for _, c := range n.lease.Checks() {
			names = append(names, c.String())
		}
	}
	names = append(names, w.poolNames()...)
	text := fmt.Sprintf("the Corefile has no object %q", object)
	if nearest := config.Nearest(object, names); nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return errors.New(text)
}

// RecordState returns the words that hold for GROUP/RECORD or POOL/TARGET (its admin state, and its health unless an operator put something else in its place)
// or for PROBE@TARGET.
func (w *World) RecordState(object string) ([]string, error) {
	if g, r := w.record(object); r != nil {
		return recordWords(g, r), nil
	}
	if p, target := w.poolTarget(object); target != nil {
		return p.Words(target, w.clock.Now()), nil
	}
	checks, err := w.checksOf(object)
	if err != nil {
		return nil, err
	}
	word := checks[0].State().Status.String()
	for _, c := range checks[1:] {
		if other := c.State().Status.String(); other != word {
			return nil, fmt.Errorf("%q is several checks, %s and %s: name the record instead", object, word, other)
		}
	}
	return []string{word}, nil
}

// recordWords are the words of spec 3.1 in the design's terms: an always record is unmonitored.
func recordWords(g *route.Group, r *route.Record) []string {
	switch state := r.Admin(); state {
	case health.Disabled, health.Draining:
		return []string{string(state)}
	case health.Always:
		return []string{string(state), health.Unmonitored.String()}
	}
	return []string{g.Health(r).String(), string(health.Enabled)}
}

// GroupState returns online, degraded, checking, inactive or disabled (spec 3.6).
func (w *World) GroupState(name string) (string, error) {
	full := strings.ToLower(w.fullName(name))
	for _, n := range w.servers {
		for _, g := range n.table.Groups() {
			if slices.Contains(g.Names, full) {
				return string(n.table.State(g)), nil
			}
		}
	}
	return "", w.unknown(name)
}

// Transitions returns how often the check PROBE@TARGET has changed its status after its first verdict.
func (w *World) Transitions(object string) (int, error) {
	checks, err := w.checksOf(object)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, c := range checks {
		sum += w.transitions[c]
	}
	return sum, nil
}
