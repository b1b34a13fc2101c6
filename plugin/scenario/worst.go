package scenario

import (
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// variation is by which part of an interval a server's attempts may start late, so that checks do not march in step
// (health.Engine). Virtual time has none.
const variation = 20

// worstDetection is how long a check of the probe may take to become unhealthy, counted from the death of its target; vary is how much later
// than an interval after the one before it an attempt may start. Never is false: attempts decide (`assume` makes none).
//
// Let n be the failures that it takes, I the interval and T the timeout. The death that is noticed last falls just behind the
// start of an attempt at s, which still passes.
//
//   - Counted start to start, the attempts that fail start at s+I, s+2I, ..., s+nI; T is below I, so none waits for another. The
//     last one has ended, at the latest by timing out, at s + nI + T.
//   - Counted from the end, the attempt at s may pass as late as s+T; each of the n that fail starts I after the end of the one before it
//     and takes T. The last one has ended at s + T + n(I + T).
//
// That is spec 5.1, "Derived bounds", with tolerated+1 = n. Attempts that cannot tell move no counter: while there are such, no bound holds.
func worstDetection(p *config.Probe, vary time.Duration) (worst time.Duration, never bool) {
	if p.Assume != "" {
		return 0, true
	}
	if p.Type == config.ProbePush { // whoever tells may die with the target: then only silence tells
		silenceTells := p.Push.Missing == config.MissingUnhealthy && !p.Invert || p.Push.Missing == config.MissingHealthy && p.Invert
		return p.Push.MaxAge, !silenceTells
	}
	n := time.Duration(p.Fall)
	if p.Invert {
		n = time.Duration(p.Rise) // it becomes unhealthy by passing
	}
	wait := p.Interval + vary
	if p.FromEnd {
		return p.Timeout + n*(wait+p.Timeout), false
	}
	return n*wait + p.Timeout, false
}
