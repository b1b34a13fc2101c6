package scenario

import (
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Script is a scenario file that could be read. It is only read after Parse, so that any number of Runs may play it.
type Script struct {
	Name           string
	Files          map[string][]byte // of the archive; "Corefile" is among them
	statements     []statement
	configErrors   []expectedProblem
	configWarnings []expectedProblem
}

// corefileName is the archive's Corefile.
const corefileName = "Corefile"

// statement is one line of a script, ready to be played.
type statement struct {
	at   config.Position
	kind kind
	play func(p *player) error
	// of `every`: the lines below it, again each period until a time
	below  []statement
	period time.Duration
	until  time.Duration
}

// kind is what a statement does.
type kind int

const (
	moves    kind = iota // the clock
	changes              // the world
	asks                 // a question
	expects              // something of the last question
	inspects             // something of the world or of the Corefile
	repeats              // the lines below it
)

// expectedProblem is a text that the Corefile's errors or warnings must contain.
type expectedProblem struct {
	at   config.Position
	text string
}

// Report is how a scenario went.
type Report struct {
	Name         string
	Failures     []Failure
	Statements   int           // lines that changed or asked something
	Expectations int           // that were judged
	Virtual      time.Duration // how far the clock went
}

// Passed reports whether everything held.
func (r Report) Passed() bool { return len(r.Failures) == 0 }

// Failure is a line of a scenario that did not hold, or could not be played.
type Failure struct {
	Position config.Position
	At       time.Duration // virtual time
	Message  string
	Explain  string // the explain tree of the question that failed; "" without one
	Broken   bool   // the scenario itself is wrong: it names something that does not exist
}
