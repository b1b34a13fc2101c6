package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// TargetsOf returns the targets that the word means, with their ports: a target (ADDRESS, ADDRESS:PORT, NAME or NAME:PORT), or else the
// targets of a record (GROUP/RECORD or RECORD) or of a pool (POOL/TARGET or TARGET), or else those of all records, targets and addresses of a site.
func (w *World) TargetsOf(word string) ([]string, error) {
	if key, err := targetKey(word); err == nil {
		targets := targetsOf(w.Checks(), func(host, withPort string) bool { return key == host || key == withPort })
		if len(targets) > 0 {
			return targets, nil
		}
	}
	records := w.recordsNamed(word)
	if len(records) == 0 {
		return nil, w.unknownTarget(word)
	}
	var checks []*health.Check
	for _, r := range records {
		checks = append(checks, r.Checks()...)
	}
	targets := targetsOf(checks, func(string, string) bool { return true })
	if len(targets) == 0 {
		return nil, fmt.Errorf("%q has no check: nothing notices what happens to it", word)
	}
	return targets, nil
}

// targetsOf returns the targets of the checks that are wanted, each once, with their ports.
func targetsOf(checks []*health.Check, wanted func(host, withPort string) bool) []string {
	var out []string
	for _, c := range attempted(checks) {
		host, withPort := targetKeys(c.Target())
		if wanted(host, withPort) && !slices.Contains(out, withPort) {
			out = append(out, withPort)
		}
	}
	return out
}

// recordsNamed returns the record GROUP/RECORD, the target POOL/TARGET, or all with that id, or else all of that site.
func (w *World) recordsNamed(word string) []*route.Record {
	if _, r := w.record(word); r != nil {
		return []*route.Record{r}
	}
	if _, r := w.poolTarget(word); r != nil {
		return []*route.Record{r}
	}
	var named, there []*route.Record
	add := func(records []*route.Record, ids bool) {
		for _, r := range records {
			if ids && strings.EqualFold(r.ID, word) {
				named = append(named, r)
			}
			if r.Site != "" && strings.EqualFold(r.Site, word) {
				there = append(there, r)
			}
		}
	}
	for _, n := range w.servers {
		for _, g := range n.table.Groups() {
			add(g.Records, true)
		}
		for _, p := range n.table.Pools() {
			add(p.Targets(), true)
		}
		for _, g := range n.table.Balancers() {
			add(g.Fronts(), false)
		}
	}
	if len(named) > 0 {
		return named
	}
	return there
}

// unknownTarget is the error for a word that means nothing, with the nearest that does.
func (w *World) unknownTarget(word string) error {
	var names []string
	for _, n := range w.servers {
		for _, g := range n.table.Groups() {
			for _, r := range g.Records {
				names = append(names, r.Site, r.ID, strings.TrimSuffix(g.Name, "."+w.fullName("@"))+"/"+r.ID)
			}
		}
		for _, p := range n.table.Pools() {
			for _, r := range p.Targets() {
				names = append(names, r.Site, r.ID, p.Name+"/"+r.ID)
			}
		}
		for _, c := range n.lease.Checks() {
			host, withPort := targetKeys(c.Target())
			names = append(names, host, withPort)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	text := fmt.Sprintf("%q is no target, record or site of the Corefile", word)
	if nearest := config.Nearest(word, names); nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return fmt.Errorf("%s", text)
}

// Settle lets time pass until no check that is attempted lacks a verdict.
func (w *World) Settle() {
	for !w.settled() {
		w.step()
	}
}

// settled reports whether every check has a verdict, or is not attempted.
func (w *World) settled() bool {
	return !slices.ContainsFunc(w.Checks(), func(c *health.Check) bool {
		state := c.State()
		return state.Status == health.Checking && !state.Next.IsZero()
	})
}

// step moves the clock to the next event, or, where attempts start now, past that instant.
func (w *World) step() {
	at, ok := w.NextEvent()
	switch {
	case !ok:
		return
	case at <= w.Now():
		at = w.Now() + 1
	}
	w.AdvanceTo(at)
}
