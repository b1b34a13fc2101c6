package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Run plays a script. A line that fails does not stop the ones below it.
func Run(s *Script) Report {
	p := &player{script: s, report: Report{Name: s.Name}}
	world, problems := NewWorld(Source{Name: corefileName, Files: s.Files})
	p.expectProblems(s.configWarnings, problems.Warnings(), "warning")
	switch {
	case world != nil && len(s.configErrors) > 0:
		p.fail(s.configErrors[0].at, failf("expected the Corefile to be refused, got none of its errors"))
	case world == nil && len(s.configErrors) > 0:
		p.expectProblems(s.configErrors, problems.Errors(), "error")
	case world == nil:
		p.fail(config.Position{File: s.Name, Line: 1}, fmt.Errorf("the Corefile is refused:\n%w", problems.Errors()))
	}
	if world == nil {
		return p.report
	}
	defer world.Close()
	p.world = world
	p.playAll(s.statements)
	p.report.Virtual = world.Now()
	return p.report
}

// player plays one script.
type player struct {
	script *Script
	world  *World
	report Report

	question Question
	outcomes []Outcome // of the last question; nil if it could not be answered
	before   []Outcome // of the one before it
}

// failed is an expectation that did not hold; other errors are the scenario's own.
type failed string

func (f failed) Error() string { return string(f) }

func failf(format string, args ...any) error { return failed(fmt.Sprintf(format, args...)) }

func (p *player) playAll(statements []statement) {
	for _, s := range statements {
		if s.kind == repeats {
			p.repeat(s)
			continue
		}
		if s.kind == expects || s.kind == inspects {
			p.report.Expectations++
		} else {
			p.report.Statements++
		}
		if s.kind == expects && p.outcomes == nil {
			continue // the question has failed, which says enough
		}
		if err := s.play(p); err != nil {
			p.fail(s.at, err)
		}
	}
}

// repeat plays the lines below an `every` now, and again each period until its end.
func (p *player) repeat(s statement) {
	for t := p.world.Now(); t <= s.until; t += s.period {
		p.world.AdvanceTo(t)
		p.playAll(s.below)
	}
	p.world.AdvanceTo(s.until)
}

func (p *player) ask(q Question) error {
	p.before = p.outcomes
	p.question = q
	var err error
	p.outcomes, err = p.world.Ask(q)
	return err
}

func (p *player) fail(at config.Position, err error) {
	f := Failure{Position: at, Message: err.Error()}
	if p.world != nil {
		f.At = p.world.Now()
	}
	if !errors.As(err, new(failed)) {
		f.Broken = true
	} else if p.world != nil && p.question.Name != "" {
		if x, err := p.world.Explain(p.question); err == nil {
			f.Explain = x.Text(At)
		}
	}
	p.report.Failures = append(p.report.Failures, f)
}

// expectProblems looks for each text among the problems of the Corefile.
func (p *player) expectProblems(expected []expectedProblem, got config.Problems, what string) {
	for _, e := range expected {
		p.report.Expectations++
		if !strings.Contains(got.Error(), e.text) {
			p.fail(e.at, failf("expected %s %q of the Corefile, got:\n%s", what, e.text, got.Error()))
		}
	}
}

// String is the failure as people read it.
func (f Failure) String() string {
	text := fmt.Sprintf("%s: at %s: %s", f.Position, f.At.Round(time.Microsecond), f.Message)
	if f.Explain != "" {
		text += "\n" + strings.TrimRight(f.Explain, "\n")
	}
	return text
}
