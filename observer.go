package healthroute

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/route"
)

// observer turns what happens to checks and groups into metrics and log lines. A line is written for a change only, never for an
// attempt or a query.
type observer struct{}

// AttemptStarted counts how late an attempt is.
func (observer) AttemptStarted(_ *health.Check, lag time.Duration) { attemptLag.Observe(lag.Seconds()) }

// AttemptEnded counts an attempt.
func (observer) AttemptEnded(c *health.Check, r probe.Result) {
	name := c.Probe().Name
	attemptsTotal.WithLabelValues(name, r.Outcome.String()).Inc()
	attemptDuration.WithLabelValues(name).Observe(r.Duration.Seconds())
}

// Transition logs and counts a change of status.
func (observer) Transition(c *health.Check, t health.Transition) {
	transitionsTotal.WithLabelValues(c.Probe().Name, c.TargetString(), t.To.String()).Inc()
	line := transitionLine(c.String(), t)
	if t.From == health.Checking && t.To == health.Healthy {
		log.Debug(line) // that everything works at a start is no news
		return
	}
	log.Info(line)
}

// transitionLine says what changed, and why.
func transitionLine(check string, t health.Transition) string {
	attempts := "attempts"
	if t.Run == 1 {
		attempts = "attempt"
	}
	line := fmt.Sprintf("check %s is %s after %d %s", check, t.To, t.Run, attempts)
	if t.Reason != "" {
		line += ": " + t.Reason
	}
	return fmt.Sprintf("%s (was %s for %.3gs)", line, t.From, t.Lasted.Seconds())
}

// ProbePanicked counts and logs a fault of ours.
func (observer) ProbePanicked(c *health.Check, value any) {
	panicsTotal.Inc()
	log.Errorf("the probe of check %s panicked, the attempt counts as one that could not tell: %v\n%s", c, value, debug.Stack())
}

// lastResorts is what was logged last of each group and type, so that a reload does not tell again what holds already.
var lastResorts = ledger{on: map[string]bool{}}

type ledger struct {
	mu sync.Mutex
	on map[string]bool // guarded by mu; by group and type
}

// change notes the state and reports whether it is news.
func (l *ledger) change(key string, on bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.on[key] == on {
		return false
	}
	if on {
		l.on[key] = true
	} else {
		delete(l.on, key)
	}
	return true
}

// LastResort logs that a group has run out of usable records, or has one again.
func (observer) LastResort(g *route.Group, qtype uint16, on bool) {
	if !lastResorts.change(g.Name+" "+dns.Type(qtype).String(), on) {
		return
	}
	if on {
		log.Warningf("group %s has no usable record for %s: last_resort %s answers", g.Name, dns.Type(qtype), g.LastResort)
		return
	}
	log.Infof("group %s has a usable record for %s again", g.Name, dns.Type(qtype))
}
