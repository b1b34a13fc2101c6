package healthroute

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// observer turns what happens to checks and groups into metrics and log lines. A line is written for a change only, never for an
// attempt or a query.
type observer struct {
	block string // whose groups it observes; "" for the engine's checks
}

// AttemptStarted counts how late an attempt is.
func (observer) AttemptStarted(_ *health.Check, lag time.Duration) { attemptLag.Observe(lag.Seconds()) }

// AttemptEnded counts an attempt.
func (observer) AttemptEnded(c *health.Check, r probe.Result) {
	name := c.Probe().Name
	attemptsTotal.WithLabelValues(name, r.Outcome.String()).Inc()
	attemptDuration.WithLabelValues(name).Observe(r.Duration.Seconds())
	observeSteps(name, r.Times)
	if r.Outcome == probe.CannotTell {
		untestableTotal.WithLabelValues(name, r.Cause.String()).Inc()
	}
}

// Untestable logs that a check can no longer be tested, or can be again: once for each time, whatever number of attempts that takes.
func (observer) Untestable(c *health.Check, on bool, r probe.Result) {
	if on {
		log.Warningf("check %s cannot be tested, its state stands: %s", c, r.Reason)
		return
	}
	log.Infof("check %s can be tested again", c)
}

// Frozen logs that verdicts stand still, or move again.
func (observer) Frozen(on bool, canaries []*health.Check) {
	names := make([]string, len(canaries))
	for i, c := range canaries {
		names[i] = c.String()
	}
	events.Publish(status.Event{Frozen: &status.Frozen{On: on, Canaries: names}})
	if !on {
		log.Info("a canary answers again, or there is none: verdicts move again, and all checks count anew")
		return
	}
	log.Errorf("all canaries fail (%s): this server seems to be cut off; verdicts are frozen and the last states stand", strings.Join(names, ", "))
}

// Transition logs and counts a change of status.
func (observer) Transition(c *health.Check, t health.Transition) {
	transitionsTotal.WithLabelValues(c.Probe().Name, c.TargetString(), t.To.String()).Inc()
	events.Publish(status.Event{Transition: &status.Transition{
		ID: c.ID(), Check: c.String(), From: t.From.String(), To: t.To.String(), Lasted: t.Lasted.Seconds(), Run: t.Run, Reason: t.Reason,
	}})
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
	line := fmt.Sprintf("check %s is %s", check, t.To)
	if t.Run > 0 { // otherwise others' health or verdicts made the change
		line += fmt.Sprintf(" after %d %s", t.Run, attempts)
	}
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

// lastResorts is what the log said last of each group's last resort and `show_all`, so that a reload does not tell again what holds already, nor
// forget what ends.
var lastResorts = ledger{on: map[resort]bool{}}

// resort is a last resort that may be in force, or show_all: of a group in one server block, for one type.
type resort struct {
	block, group string
	qtype        uint16
	showsAll     bool
}

// what is the group in words; a pool or a balancer says itself what it is.
func (r resort) what() string {
	if strings.HasSuffix(r.group, ".") {
		return "group " + r.group
	}
	return r.group
}

type ledger struct {
	mu sync.Mutex
	on map[resort]bool // guarded by mu; those in force
}

// change notes the state and reports whether it is news.
func (l *ledger) change(r resort, on bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.on[r] == on {
		return false
	}
	if on {
		l.on[r] = true
	} else {
		delete(l.on, r)
	}
	return true
}

// compare holds the ledger against the instances that run, newer ones over older ones: what is news is logged, and groups that none of them has
// are forgotten.
func (l *ledger) compare(running []*instance) {
	words := map[resort]config.LastResort{}
	holds := map[resort]bool{}
	for _, i := range running {
		for _, b := range i.blocks {
			for _, g := range b.table.Choosers() {
				for _, s := range g.View().Sets() {
					r := resort{b.key, g.Name, s.Type, false}
					words[r], holds[r] = g.LastResort, s.LastResort
					r.showsAll = true
					holds[r] = s.ShowsAll
				}
			}
		}
	}
	l.mu.Lock()
	for r := range l.on {
		if _, known := holds[r]; !known {
			delete(l.on, r)
		}
	}
	l.mu.Unlock()
	for r, on := range holds {
		l.tell(r, words[r], on)
	}
}

// tell logs that a group has run out of usable records or has too few, or has them again, if that is news.
func (l *ledger) tell(r resort, word config.LastResort, on bool) {
	if !l.change(r, on) {
		return
	}
	switch {
	case r.showsAll && on:
		log.Warningf("%s has fewer usable records for %s than min_healthy asks for: show_all answers with all", r.what(), dns.Type(r.qtype))
		return
	case r.showsAll:
		log.Infof("%s no longer shows all records for %s", r.what(), dns.Type(r.qtype))
		return
	}
	events.Publish(status.Event{LastResort: &status.LastResort{
		Block: r.block, Group: r.group, Type: dns.Type(r.qtype).String(), Word: string(word), On: on,
	}})
	if on {
		log.Warningf("%s has no usable record for %s: last_resort %s answers", r.what(), dns.Type(r.qtype), word)
		return
	}
	log.Infof("%s has a usable record for %s again", r.what(), dns.Type(r.qtype))
}

// FilterFull logs that some addresses will not be checked.
func (observer) FilterFull(f *route.Filter) {
	log.Warningf("filter %s knows %d addresses, which is its limit: what else is answered passes unchecked until some of them have not been seen for %gs",
		f.Name, f.Config.Limit, f.Config.Idle.Seconds())
}

// FilterForgot deletes the series of checks that are no more.
func (observer) FilterForgot(_ *route.Filter, checks []*health.Check) { running.forgetChecks(checks) }

// LastResort logs a change of a group.
func (o observer) LastResort(g *route.Group, qtype uint16, on bool) {
	lastResorts.tell(resort{o.block, g.Name, qtype, false}, g.LastResort, on)
}

// ShowsAll logs that a group has fewer usable records than it should.
func (o observer) ShowsAll(g *route.Group, qtype uint16, on bool) {
	lastResorts.tell(resort{o.block, g.Name, qtype, true}, "", on)
}
