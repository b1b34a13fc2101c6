package health

import (
	"slices"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// Recovery is how a check came back after it was unhealthy: what groups with `hold` and `ramp` ask for (spec 4.13). The zero value
// is that of a check that has not been unhealthy since it began, or since it began anew.
type Recovery struct {
	fallen bool        // it has been unhealthy
	clean  time.Time   // since when the attempts have been good in a row often enough; zero while they have not
	runs   *[]cleanRun // earlier such times since it was unhealthy, each longer than all before it; nil for none; replaced, never changed
}

// cleanRun is a time without a bad attempt, from the attempt that made the check healthy again.
type cleanRun struct {
	from  time.Time
	lasts time.Duration
}

// maxRuns bounds what a check that fails for months without falling can cost: beyond it the shortest run is forgotten, which
// matters to holds that are no longer than that one only.
const maxRuns = 64

// Later is an instant behind all others: what waits for attempts that nobody can foresee.
var Later = time.Unix(1<<36, 0)

// turn is the recovery after a change of status.
func (r Recovery) turn(to Status, at time.Time) Recovery {
	switch {
	case to == Unhealthy:
		return Recovery{fallen: true}
	case to == Healthy && r.fallen:
		return Recovery{fallen: true, clean: at}
	default: // a first verdict, or no verdict
		return Recovery{}
	}
}

// attempt is the recovery after an attempt of a healthy check that was good or bad; enough means that as many good ones came in a
// row as make an unhealthy check healthy.
func (r Recovery) attempt(good, enough bool, at time.Time) Recovery {
	switch {
	case !r.fallen:
	case !good && !r.clean.IsZero():
		run, runs := cleanRun{r.clean, at.Sub(r.clean)}, r.earlier()
		r.clean = time.Time{}
		if n := len(runs); n == 0 || run.lasts > runs[n-1].lasts {
			runs = append(slices.Clone(runs), run)
			runs = runs[max(0, len(runs)-maxRuns):]
			r.runs = &runs
		}
	case good && enough && r.clean.IsZero():
		r.clean = at
	}
	return r
}

// recover takes an attempt into account that left a healthy check healthy. Where several observers decide, only their verdict does. It is
// called with mu held.
func (c *Check) recover(p *config.Probe, o probe.Outcome, before Status, at time.Time) {
	if before != Healthy || c.state.Status != Healthy || o == probe.CannotTell || len(c.votes) > 0 {
		return
	}
	good, run, needed := o == probe.Pass, c.state.Counter.Passes, p.Rise
	if p.Invert {
		good, run, needed = !good, c.state.Counter.Fails, p.Fall
	}
	c.state.Recovery = c.state.Recovery.attempt(good, run >= needed, at)
}

// earlier are the earlier clean runs, which must not be changed.
func (r Recovery) earlier() []cleanRun {
	if r.runs == nil {
		return nil
	}
	return *r.runs
}

// served returns when a hold of that length was over, or will be if no attempt is bad; Later if good attempts have to come first.
func (r Recovery) served(hold time.Duration) time.Time {
	for _, run := range r.earlier() {
		if run.lasts >= hold {
			return run.from.Add(hold)
		}
	}
	if r.clean.IsZero() {
		return Later
	}
	return r.clean.Add(hold)
}

// HeldUntil says until when a group with that `hold` leaves a healthy check out that was unhealthy before: the hold begins when
// `rise` is reached, and a failed attempt in that time makes both begin anew (spec 4.13, T-280, T-281). The zero time, or one that
// has come, means that it is not left out; a first verdict never is. While `rise` has to be reached again it is Later, and
// the lease is called when it is.
func (s State) HeldUntil(hold time.Duration) time.Time {
	if hold <= 0 || s.Status != Healthy || !s.Recovery.fallen {
		return time.Time{}
	}
	return s.Recovery.served(hold)
}

// RecoveredAt returns when a healthy check came back from being unhealthy, a hold of that length included (spec 4.13, `ramp`); zero
// if it has not been unhealthy since it began, or is not healthy. It lies ahead while HeldUntil does.
func (s State) RecoveredAt(hold time.Duration) time.Time {
	if s.Status != Healthy || !s.Recovery.fallen {
		return time.Time{}
	}
	return s.Recovery.served(max(0, hold))
}
