// Package state keeps what a server knows over restarts: health, counters, latches, and what operators said.
//
// Encode and Decode are pure: a State to the text of a file and back. A Keeper owns the file: it reads it once, at the start, and
// writes it from one goroutine of its own, never on the path of a query. What is kept is health's business (health.Snapshot,
// health.Standing), and so is what becomes of it.
package state

import (
	"time"

	"github.com/healthroute/healthroute/plugin/health"
)

// State is all that is kept.
type State struct {
	Health health.Snapshot
	Admin  []health.Standing
}

// MaxAge is how old what is known of a check may be when the check is asked for again, counted from when it was written last; beyond it the
// check begins as a new one. Latches and what operators said have no age, but what was said until a time ends then.
const MaxAge = 10 * time.Minute
