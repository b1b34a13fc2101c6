package health

import (
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// Verdict is what one observer's attempts say of a check.
type Verdict uint8

// The verdicts.
const (
	NoVerdict Verdict = iota // too few attempts yet
	Up
	Down
)

func (v Verdict) String() string { return [...]string{"none", "up", "down"}[v] }

// Rules are the thresholds by which attempts become a verdict.
type Rules struct {
	Fall    int // consecutive failures until down
	Rise    int // consecutive passes until up
	Initial config.Initial
	Admits  bool // the first pass is a verdict, whatever Rise says
}

// rulesOf takes the rules out of a probe.
func rulesOf(p *config.Probe) Rules {
	return Rules{Fall: p.Fall, Rise: p.Rise, Initial: p.Initial, Admits: p.FirstPassAdmits()}
}

// Counter is the whole memory of the counting step: the verdict so far and the current run.
type Counter struct {
	Verdict Verdict
	Passes  int // consecutive, 0 after a failure
	Fails   int // consecutive, 0 after a pass
}

// Step returns the counter after an attempt (spec 2.4, 2.5). A single pass wipes the run of failures and a
// single failure the run of passes; an attempt that could not tell changes nothing.
func (c Counter) Step(r Rules, o probe.Outcome) Counter {
	switch o {
	case probe.Pass:
		c.Fails = 0
		c.Passes++
		if c.Passes >= r.Rise || c.Verdict == NoVerdict && r.Admits {
			c.Verdict = Up
		}
	case probe.Fail:
		c.Passes = 0
		c.Fails++
		if c.Fails >= r.Fall || c.Verdict == NoVerdict && r.Initial == config.InitialFirst {
			c.Verdict = Down
		}
	}
	return c
}

// turning is how far the counter has come towards another verdict, which is what a restart must not forget: the passes of one that is down or has no
// verdict yet, and, below 0, the failures of one that is up or has none.
func (c Counter) turning() int {
	switch c.Verdict {
	case Up:
		return -c.Fails
	case Down:
		return c.Passes
	}
	return c.Passes - c.Fails
}
