package compare

import (
	"strings"
)

func (w *writer) unusable(all []Unusable) {
	if len(all) == 0 {
		return
	}
	w.title("without a usable member")
	for i, u := range all {
		if i == someEntries {
			break
		}
		when := ""
		switch {
		case u.Starts:
			when = ", until its new checks have a verdict"
		case u.Before:
			when = ", as before"
		}
		w.line("  ! %s%s: answers %s", strings.TrimSpace(u.Name+" "+strings.Join(u.Types, ", ")), when, u.Answers)
		w.reasons("", u.Why)
	}
	w.rest(len(all))
}

// checks writes what becomes of the checks: those of one probe that change alike together.
func (w *writer) checks(c Checks) {
	w.title("checks: %d stay, %d added, %d changed, %d dropped", c.Kept, len(c.Added), len(c.Changed), len(c.Dropped))
	entries := 0
	show := func(sign string, names []string, why []string) {
		if entries++; entries <= someEntries {
			w.line("  %s %s", sign, listed(unique(names), someNames))
			w.reasons("", why)
		}
	}
	ofProbe := func(names []string) (groups [][]string) {
		at := map[string]int{}
		for _, name := range names {
			probe, _, _ := strings.Cut(name, "@")
			i, known := at[probe]
			if !known {
				i, at[probe] = len(groups), len(groups)
				groups = append(groups, nil)
			}
			groups[i] = append(groups[i], name)
		}
		return groups
	}
	for _, names := range ofProbe(c.Added) {
		show("+", names, nil)
	}
	by := map[string][]string{}
	var order []CheckChange
	for _, change := range c.Changed {
		probe, _, _ := strings.Cut(change.Check, "@")
		key := probe + "\n" + strings.Join(change.Why, "\n")
		if by[key] == nil {
			order = append(order, CheckChange{key, change.Why})
		}
		by[key] = append(by[key], change.Check)
	}
	for _, change := range order {
		show("~", by[change.Check], change.Why)
	}
	for _, names := range ofProbe(c.Dropped) {
		show("-", names, nil)
	}
	w.rest(entries)
	if len(c.Changed) > 0 {
		w.line("  what changes keeps its verdict and counts anew")
	}
	if before, after := c.AttemptsBefore.String(), c.AttemptsAfter.String(); before != after {
		w.line("  attempts a second: %s -> %s", before, after)
	}
}
