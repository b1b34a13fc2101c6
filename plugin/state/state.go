// Package state keeps what a server knows over restarts: health, counters, latches, what operators said, and which targets were found.
//
// Encode and Decode are pure: a State to the text of a file and back. A Keeper owns the file: it reads it once, at the start, and
// writes it from one goroutine of its own, never on the path of a query. What is kept is health's business (health.Snapshot,
// health.Standing) and discover's (discover.Standing), and so is what becomes of it.
package state

import (
	"time"

	"github.com/healthroute/healthroute/plugin/discover"
	"github.com/healthroute/healthroute/plugin/health"
)

// State is all that is kept.
type State struct {
	Health  health.Snapshot
	Admin   []health.Standing
	Sources []discover.Standing
}

// MaxAge is how old what is known of a check may be when the check is asked for again, counted from when it was written last; beyond it the
// check begins as a new one. Latches, what operators said and the lists of sources have no age, but what was said until a time ends then; what was pushed has
// that of its probe.
const MaxAge = 10 * time.Minute
