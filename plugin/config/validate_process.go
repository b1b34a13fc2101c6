package config

import (
	"fmt"
	"slices"
	"time"
)

// MaxMaxAttempts bounds `max_attempts`: no process has more descriptors.
const MaxMaxAttempts = 1_000_000

// process checks the options that are process-wide.
func (v *validator) process() {
	if v.stanza.MaxAttempts != 0 {
		within(v, v.stanza.Places.Of("max_attempts"), "max_attempts", v.stanza.MaxAttempts, 1, MaxMaxAttempts)
	}
	for i, name := range v.stanza.Canary {
		v.canary(name, slices.Index(v.stanza.Canary, name) < i)
	}
	v.status(v.stanza.Status)
}

// canary checks one probe that `canary` names.
func (v *validator) canary(name string, again bool) {
	v.used[name] = true
	at := v.stanza.Places.Of("canary")
	p := v.stanza.Probe(name)
	switch {
	case p == nil:
		var names []string
		for _, other := range v.stanza.Probes {
			if other.Target != "" {
				names = append(names, other.Name)
			}
		}
		v.report(Problem{Position: at, Message: fmt.Sprintf("%q of \"canary\": there is no such probe", name),
			Expected: "probes with a target", Nearest: Nearest(name, names)})
	case again:
		v.fault(at, fmt.Sprintf("%q is there twice in \"canary\"", name), "each probe once")
	case p.Places.Faulty:
	case !p.IsAttempted():
		v.fault(at, fmt.Sprintf("%q of \"canary\" makes no attempts", name), "a probe that makes attempts, on a target of its own")
	case p.Target == "":
		v.fault(at, fmt.Sprintf("%q of \"canary\" has no target", name), "`target HOST` in that probe: a gateway, or another site")
	default:
		v.slowCanary(p)
	}
}

// slowCanary warns of a canary that notices later than the checks that it is to protect: by then they are unhealthy.
func (v *validator) slowCanary(canary *Probe) {
	for _, p := range v.stanza.Probes {
		if p.IsAttempted() && !p.Places.Faulty && !slices.Contains(v.stanza.Canary, p.Name) && noticedAfter(canary) >= noticedAfter(p) {
			v.report(Problem{Position: v.stanza.Places.Of("canary"), Warning: true, Message: fmt.Sprintf(
				"canary %q may fail after the checks of probe %q: it takes %s to become unhealthy, they take %s; give it a shorter interval or a smaller fall",
				canary.Name, p.Name, FormatDuration(noticedAfter(canary)), FormatDuration(noticedAfter(p)))})
			return
		}
	}
}

// noticedAfter is how long a check may take to become unhealthy; what Corefiles are compared by.
func noticedAfter(p *Probe) time.Duration {
	wait := p.Interval
	if p.FromEnd {
		wait += p.Timeout
	}
	return time.Duration(p.Fall)*wait + p.Timeout
}
