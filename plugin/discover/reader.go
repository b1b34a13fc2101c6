package discover

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// reader looks at a source. No two looks run at the same time.
type reader interface {
	read(ctx context.Context) reading
	// inherit takes over what is known from another reader of the same source, which may be at work.
	inherit(old reader)
	// recall takes over what the parts of the source said before a restart.
	recall(parts []part)
}

// reading is what a look came to.
type reading struct {
	parts   []part // all of the source, also what was good before of what is not now; nil: what was known stays
	fortune Fortune
	fault   string
	again   time.Duration // when to look again
	pending bool          // something has changed that is not read yet
}

// part is what one file of a source says, or one name.
type part struct {
	from  string
	found []config.Found
	stale bool // it was good before, and is not now
}

// merge makes one list of all parts, in the order of Compare, with the port and site that the Corefile has for targets that have none. Of a
// target that two name with another site or weight the first one stands; fault says so, unless a stale one is among them.
func merge(d config.Discovery, parts []part) (found []config.Found, fault string) {
	type origin struct {
		config.Found
		part int
	}
	known := map[netip.AddrPort]origin{}
	var first string
	more := -1
	for i, p := range parts {
		for _, f := range p.found {
			if f.Port == 0 {
				f.Port = d.Port
			}
			if f.Site == "" {
				f.Site = d.Site
			}
			at := netip.AddrPortFrom(f.Address, f.Port)
			before, twice := known[at]
			switch {
			case !twice:
				known[at] = origin{f, i}
			case before.Found != f && !p.stale && !parts[before.part].stale:
				if more++; more == 0 {
					first = fmt.Sprintf("%s: %s has %s, and %s in %s: expected one site and one weight of a target, the latter is taken",
						p.from, config.DefaultTargetID(f.Address, f.Port), labels(f), labels(before.Found), parts[before.part].from)
				}
			}
		}
	}
	found = make([]config.Found, 0, len(known))
	for _, o := range known {
		found = append(found, o.Found)
	}
	sort(found)
	if more > 0 {
		first += fmt.Sprintf("; %d more have that fault", more)
	}
	return found, first
}

// freshFirst sorts parts so that those that are good now stand over those that were.
func freshFirst(parts []part) {
	slices.SortStableFunc(parts, func(a, b part) int {
		switch {
		case a.stale == b.stale:
			return 0
		case a.stale:
			return 1
		}
		return -1
	})
}
