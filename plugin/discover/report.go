package discover

import (
	"fmt"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Fortune is how a source fares.
type Fortune string

// The fortunes of a source. In all but Good what was known stays, of a source of several files what was known of those with a fault.
const (
	Good    Fortune = "good"
	Refused Fortune = "refused" // there is something that cannot be used
	Empty   Fortune = "empty"   // there is a list, without targets
	Gone    Fortune = "gone"    // there is no such file, or nobody answers
)

// State is what is known of a source now.
type State struct {
	Known      int       // targets
	Good       time.Time // when all of the source was last read or confirmed without a fault; zero if it never was
	Fortune    Fortune   // Good before the first look
	Fault      string    // one line a fault; "" if Fortune is Good
	FaultSince time.Time // since when it is not Good; zero if it is
}

// Report tells a change of fortune.
type Report struct {
	Source  string // as the Corefile has it
	Fortune Fortune
	Fault   string // one line a fault; "" if Fortune is Good
	Known   int
	Age     time.Duration // since the source was last good; negative if it never was
}

// String is a line for a log, or as many as there are faults.
func (r Report) String() string {
	switch {
	case r.Fortune == Good:
		return fmt.Sprintf("%s: good again, %s", r.Source, targets(r.Known))
	case r.Known == 0:
		return r.Fault + ": no targets are known from it"
	case r.Age < 0:
		return fmt.Sprintf("%s: what was known stays (%s)", r.Fault, targets(r.Known))
	}
	return fmt.Sprintf("%s: what was known stays (%s, all good %s ago)", r.Fault, targets(r.Known), config.FormatDuration(r.Age.Round(time.Second)))
}

func targets(n int) string {
	if n == 1 {
		return "1 target"
	}
	return fmt.Sprintf("%d targets", n)
}
