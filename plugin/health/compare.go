package health

import "slices"

// Exchange is what becomes of checks when one configuration takes another one's place. Each list is in the order in which the checks were asked for.
type Exchange struct {
	Kept    []*Check     // of the new configuration: they go on with all that they know
	Changed []Succession // they keep their verdicts, and count anew
	Added   []*Check     // they know nothing
	Dropped []*Check     // of the old configuration: they stop, and nothing of them stays
}

// Succession is a check whose definition changed.
type Succession struct{ Before, After *Check }

// Compare tells what a reload would do to the checks of one configuration's leases if it were replaced by that of others. They may be leases of
// different engines.
func Compare(before, after []*Lease) Exchange {
	var x Exchange
	known, goesOn := map[string]bool{}, map[string]bool{}
	for _, l := range before {
		for _, c := range l.Checks() {
			known[c.identity] = true
		}
	}
	for _, l := range after {
		for _, c := range l.Checks() {
			if goesOn[c.identity] {
				continue
			}
			goesOn[c.identity] = true
			switch old := predecessor(before, l.lineageOf(c)); {
			case known[c.identity]:
				x.Kept = append(x.Kept, c)
			case old != nil:
				x.Changed = append(x.Changed, Succession{old, c})
			default:
				x.Added = append(x.Added, c)
			}
		}
	}
	for _, s := range x.Changed {
		goesOn[s.Before.identity] = true
	}
	for _, l := range before {
		for _, c := range l.Checks() {
			if !goesOn[c.identity] {
				goesOn[c.identity] = true
				x.Dropped = append(x.Dropped, c)
			}
		}
	}
	return x
}

// lineageOf is the lineage under which the lease asked for the check first.
func (l *Lease) lineageOf(c *Check) string {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	return l.roster.held[c].lineages[0]
}

// predecessor is Engine.ancestor for a lease that is to come.
func predecessor(before []*Lease, lineage string) *Check {
	for _, l := range slices.Backward(before) {
		if c := l.checkOf(lineage); c != nil {
			return c
		}
	}
	return nil
}

func (l *Lease) checkOf(lineage string) *Check {
	l.engine.mu.Lock()
	defer l.engine.mu.Unlock()
	return l.lineages[lineage]
}
