package corefile

import "github.com/healthroute/healthroute/plugin/config"

// pushOptions are the options of push probes alone.
func pushOptions() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "max_age", usage: "DURATION", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { p.duration(l, l.args()[0], &o.Push.MaxAge) }},
		{word: "missing", usage: missingUsage, min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { p.missing(l, &o.Push.Missing) }},
	}
}

// push writes how long what is pushed holds.
func (w *printer) push(p, d config.Push) {
	w.differs("max_age", config.FormatDuration(p.MaxAge), config.FormatDuration(d.MaxAge))
	w.differs("missing", string(p.Missing), string(d.Missing))
}
