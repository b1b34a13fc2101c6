package health

import (
	"time"

	"github.com/healthroute/healthroute/plugin/probe"
)

// Observer is told what happens to the checks of an engine. Its methods are called from the goroutines that
// make the attempts, several at once, and must return quickly.
type Observer interface {
	// AttemptStarted tells that an attempt began, and how long after it was due.
	AttemptStarted(c *Check, lag time.Duration)
	// AttemptEnded tells how one ended, before any transition that follows from it.
	AttemptEnded(c *Check, r probe.Result)
	// Untestable tells that attempts of the check began to end without telling anything, and why, or that they tell again.
	Untestable(c *Check, on bool, r probe.Result)
	// Frozen tells that verdicts stand still because all canaries fail, or that they move again. It must not call the engine.
	Frozen(on bool, canaries []*Check)
	// Transition tells that the status changed; also the first verdict.
	Transition(c *Check, t Transition)
	// ProbePanicked tells that an attempt ended in a panic; it counts as one that could not tell.
	ProbePanicked(c *Check, value any)
}

// Transition is a change of a check's status.
type Transition struct {
	From, To Status
	At       time.Time
	Lasted   time.Duration // how long the status before it had stood
	Run      int           // consecutive attempts with this outcome; 0 if no attempt of ours made the change
	Reason   string        // of the last of them, or what else made it
}

// silent observes nothing.
type silent struct{}

func (silent) AttemptStarted(*Check, time.Duration)  {}
func (silent) AttemptEnded(*Check, probe.Result)     {}
func (silent) Untestable(*Check, bool, probe.Result) {}
func (silent) Frozen(bool, []*Check)                 {}
func (silent) Transition(*Check, Transition)         {}
func (silent) ProbePanicked(*Check, any)             {}
