package corefile

import (
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
)

// execOptions are the options of exec probes alone.
func execOptions() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "command", usage: "PROGRAM ARG...", min: 1, max: many, set: func(p *parser, o *config.Probe, l *line) { o.Command = slices.Clone(l.args()) }},
	}
}

// exec writes which program an exec probe runs.
func (w *printer) exec(command []string) {
	if len(command) > 0 {
		w.line(append([]string{"command"}, command...)...)
	}
}
