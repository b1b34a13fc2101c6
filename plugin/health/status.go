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
	Stopped                   // what it watches is said to be stopped
)

func (s Status) String() string {
	return [...]string{"checking", "healthy", "unhealthy", "unmonitored", "stopped"}[s]
}

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
	case Unhealthy:
		return false
	default:
		return true
	}
}

// Best is the health of something that works if any of its checks passes: healthy before checking before unhealthy, and unmonitored
// without checks.
func Best(checks []*Check) Status {
	if len(checks) == 0 {
		return Unmonitored
	}
	best := Unhealthy
	for _, c := range checks {
		switch c.State().Status {
		case Healthy:
			return Healthy
		case Checking:
			best = Checking
		}
	}
	return best
}
