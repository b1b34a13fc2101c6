package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/healthroute/healthroute/plugin/config"
)

// Parse reads a scenario file: a txtar archive whose comment is the script and whose files are the Corefile and what it needs. All that is
// wrong with the script comes at once; what is wrong with the Corefile shows when it is run. The script may be run if there are no problems.
func Parse(name string, text []byte) (*Script, config.Problems) {
	archive := txtar.Parse(text)
	p := &parser{script: &Script{Name: name, Files: map[string][]byte{}}}
	for _, f := range archive.Files {
		p.script.Files[f.Name] = f.Data
	}
	if _, ok := p.script.Files[corefileName]; !ok {
		p.report(1, fmt.Sprintf("the archive has no file %q", corefileName), "a line `-- Corefile --` and the Corefile below it", "")
	}
	for i, text := range strings.Split(string(archive.Comment), "\n") {
		l, err := splitLine(i+1, text)
		switch {
		case err != nil:
			p.report(i+1, err.Error(), "", "")
		case len(l.words) > 0:
			p.line(l)
		}
	}
	p.judge()
	return p.script, p.problems
}

// parser reads one script.
type parser struct {
	script   *Script
	now      time.Duration // of the line that is read
	asked    bool          // the lines above ask a question, and nothing has happened since
	qtype    uint16        // that it asks for
	expected bool          // an expectation came already
	every    *statement    // the open `every`, whose lines are indented; nil if there is none
	problems config.Problems
}

func (p *parser) position(line int) config.Position {
	return config.Position{File: p.script.Name, Line: line}
}

func (p *parser) report(line int, message, expected, nearest string) {
	p.problems = append(p.problems, config.Problem{Position: p.position(line), Message: message, Expected: expected, Nearest: nearest})
}

// line reads one line by the table of its first word.
func (p *parser) line(l line) {
	name := strings.ToLower(l.words[0])
	w, ok := wordOf(name)
	if !ok {
		p.report(l.number, fmt.Sprintf("unknown word %q", l.words[0]), "a statement or an expectation", config.Nearest(name, wordList()))
		return
	}
	if !l.indented {
		p.closeEvery()
	}
	s, err := w.parse(p, l.words[1:], l)
	if err != nil {
		message := err.Error()
		if strings.HasPrefix(message, "expected ") {
			message = fmt.Sprintf("%q lacks something: %s", l.words[0], message)
		}
		p.report(l.number, message, "`"+w.form+"`", "")
		s = statement{} // what stands below must not be judged by it
	}
	s.at, s.kind = p.position(l.number), w.kind
	p.add(l, s)
}

// add puts a statement where it belongs.
func (p *parser) add(l line, s statement) {
	switch s.kind {
	case asks:
		p.asked = true
	case moves, changes:
		p.asked = false
	case inspects:
		p.expected = true
	case expects:
		p.expected = true
		if !p.asked {
			p.report(l.number, fmt.Sprintf("%q expects something of a question, and none was asked", l.words[0]), "a `query` before it, with nothing but its expectations between", "")
		}
	case repeats:
		p.asked = false
		if p.every != nil { // its lines would be lost
			p.report(l.number, "`every` stands below `every`", "", "")
			return
		}
		p.every = &s
		return
	}
	switch {
	case s.play == nil: // config_error and config_warning, which the script keeps apart, and lines that could not be read
	case l.indented && p.every != nil:
		if s.kind == moves {
			p.report(l.number, "`every` moves the clock itself", "`at` on a line that is not indented", "")
		}
		p.every.below = append(p.every.below, s)
	default:
		p.script.statements = append(p.script.statements, s)
	}
}

// closeEvery ends the lines below an `every`.
func (p *parser) closeEvery() {
	if p.every == nil {
		return
	}
	if len(p.every.below) == 0 {
		p.report(p.every.at.Line, "nothing stands below `every`", "indented lines", "")
	}
	p.script.statements = append(p.script.statements, *p.every)
	p.every, p.asked = nil, false
}

// judge finds what is wrong with the script as a whole.
func (p *parser) judge() {
	p.closeEvery()
	s := p.script
	if len(s.configErrors) > 0 && (len(s.statements) > 0 || len(s.configWarnings) > 0) {
		p.report(s.configErrors[0].at.Line, "config_error stands beside other lines, which a refused Corefile cannot play", "config_error alone", "")
	}
	if !p.expected && len(p.problems) == 0 {
		p.report(1, "the scenario expects nothing, so it cannot fail", "an expectation such as `answer 192.0.2.1`", "")
	}
}

// wordList is every word that may begin a line.
func wordList() []string {
	out := slices.AppendSeq(slices.Collect(maps.Keys(statementWords)), maps.Keys(expectationWords))
	slices.Sort(out)
	return out
}
