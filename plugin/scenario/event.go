package scenario

import (
	"fmt"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/route"
)

// Event is a change that happened in the world.
type Event struct {
	At         time.Duration // since the start
	Check      *health.Check // of a transition; nil otherwise
	Transition health.Transition
	Group      *route.Group // of a last resort that begins or ends; nil otherwise
	Type       uint16
	LastResort bool
	Freezes    bool // all canaries fail: verdicts stand still from here on
	Thaws      bool // they move again
}

// Events returns what has changed so far, oldest first.
func (w *World) Events() []Event { return w.events }

// AttemptStarted is health.Observer's.
func (w *World) AttemptStarted(*health.Check, time.Duration) {}

// AttemptEnded is health.Observer's.
func (w *World) AttemptEnded(*health.Check, probe.Result) {}

// Untestable is health.Observer's.
func (w *World) Untestable(*health.Check, bool, probe.Result) {}

// Frozen is health.Observer's.
func (w *World) Frozen(on bool, _ []*health.Check) {
	w.events = append(w.events, Event{At: w.Now(), Freezes: on, Thaws: !on})
}

// ProbePanicked is health.Observer's; a pretended attempt has no prober that could.
func (w *World) ProbePanicked(*health.Check, any) {}

// Transition is health.Observer's.
func (w *World) Transition(c *health.Check, t health.Transition) {
	if t.From != health.Checking {
		w.transitions[c]++
	}
	w.events = append(w.events, Event{At: w.Now(), Check: c, Transition: t})
}

// FilterFull is route.Observer's.
func (w *World) FilterFull(*route.Filter) {}

// FilterForgot is route.Observer's.
func (w *World) FilterForgot(*route.Filter, []*health.Check) {}

// ShowsAll is route.Observer's.
func (w *World) ShowsAll(*route.Group, uint16, bool) {}

// LastResort is route.Observer's.
func (w *World) LastResort(g *route.Group, qtype uint16, on bool) {
	key := fmt.Sprint(g.Name, qtype)
	if w.lastResorts[key] == on {
		return // a reload tells again what holds
	}
	w.lastResorts[key] = on
	w.events = append(w.events, Event{At: w.Now(), Group: g, Type: qtype, LastResort: on})
}
