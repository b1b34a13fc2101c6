package route

import (
	"time"

	"github.com/healthroute/healthroute/plugin/locate"
)

// Query is what a choice depends on besides the view: who asks, chance, and, where time itself changes a choice, the time.
type Query struct {
	Client *locate.Client   // nil unless the set needs it (Set.NeedsClient)
	Rand   Rand             //
	Now    func() time.Time // asked by `ramp` alone
	// Everybody asks Outcomes and Shares about the clients of all networks, where `sticky` gives each network a record of its own.
	Everybody bool
}

// Rand is the source of random numbers of a choice: uniform in [0, n), n > 0. *rand.Rand of math/rand/v2 is one.
type Rand interface{ Uint64N(n uint64) uint64 }
