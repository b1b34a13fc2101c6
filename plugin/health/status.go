package health

import "github.com/healthroute/healthroute/plugin/config"

// Status is the health of a check in the design's words.
type Status uint8

// The statuses of a check. A record without a check is unmonitored.
const (
	Checking    Status = iota // no verdict yet
	Healthy                   // works
	Unhealthy                 // does not
	Unmonitored               // nobody looks
	Stopped                   // not meant to work: never usable, never eligible (spec 3.1)
)

var statusWords = [...]string{"checking", "healthy", "unhealthy", "unmonitored", "stopped"}

func (s Status) String() string { return statusWords[s] }

// StatusWords are the words for all statuses.
func StatusWords() []string { return statusWords[:] }

// statusOf turns a verdict into a status: raw, then `invert`; `assume` fixes the raw one (spec 2.9).
func statusOf(v Verdict, p *config.Probe) Status {
	switch p.Assume {
	case config.AssumeHealthy:
		v = Up
	case config.AssumeUnhealthy:
		v = Down
	}
	switch {
	case v == NoVerdict:
		return Checking
	case (v == Up) != p.Invert:
		return Healthy
	default:
		return Unhealthy
	}
}

// usable reports whether a check in this status lets its record answer (spec 2.5, 3.1). An inverted check
// without a verdict counts as unhealthy (spec 2.9).
func usable(s Status, p *config.Probe) bool {
	switch s {
	case Checking:
		return p.Initial != config.InitialExcluded && !p.Invert
	case Unhealthy, Stopped:
		return false
	default:
		return true
	}
}

// Best is the health of something that works if any of its checks passes: healthy before checking before unhealthy before
// stopped, and unmonitored without checks.
func Best(checks []*Check) Status {
	if len(checks) == 0 {
		return Unmonitored
	}
	rank := [...]int{Checking: 2, Healthy: 3, Unhealthy: 1, Unmonitored: 3, Stopped: 0}
	best := Stopped
	for _, c := range checks {
		if status := c.State().Status; rank[status] > rank[best] {
			best = status
		}
	}
	return best
}
