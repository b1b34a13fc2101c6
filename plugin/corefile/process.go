package corefile

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// processOptions are the options of a stanza that are about the whole process.
func processOptions() []option[*config.Stanza] {
	return []option[*config.Stanza]{
		{word: "max_attempts", usage: "N", min: 1, max: 1, home: "the stanza",
			set: func(p *parser, s *config.Stanza, l *line) {
				p.integerFrom(l, l.args()[0], 1, config.MaxMaxAttempts, &s.MaxAttempts)
			}},
		{word: "canary", usage: "PROBE,...", min: 1, max: 1, home: "the stanza", set: (*parser).canary},
		{word: "state", usage: "FILE", min: 1, max: 1, home: "the stanza",
			set: func(p *parser, s *config.Stanza, l *line) { s.State = p.file(l.args()[0]) }},
		{word: "status", usage: "ADDRESS", min: 1, max: 1, block: true, home: "the stanza", set: (*parser).status},
	}
}

// canary reads the names of probes.
func (p *parser) canary(s *config.Stanza, l *line) {
	for name := range strings.SplitSeq(l.args()[0], ",") {
		if name == "" {
			p.report(l.at, fmt.Sprintf("%q of %q lacks a name", l.args()[0], "canary"), "`PROBE,...` without blanks", "")
			return
		}
		s.Canary = append(s.Canary, strings.ToLower(name))
	}
}

// process writes what processOptions read.
func (w *printer) process(s *config.Stanza) {
	if s.MaxAttempts != 0 {
		w.line("max_attempts", fmt.Sprint(s.MaxAttempts))
	}
	if len(s.Canary) > 0 {
		w.line("canary", strings.Join(s.Canary, ","))
	}
	w.differs("state", s.State, "")
	w.status(s.Status)
}
