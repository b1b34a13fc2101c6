package corefile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// prometheusOptions are the options of prometheus probes alone.
func prometheusOptions() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "url", usage: "URL", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			o.Prometheus.URL = strings.TrimRight(l.args()[0], "/")
		}},
		{word: "query", usage: "EXPR", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.Prometheus.Query = l.args()[0] }},
		{word: "healthy", usage: "OP NUMBER", min: 2, max: 2, set: (*parser).compare},
		{word: "missing", usage: missingUsage, min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { p.missing(l, &o.Prometheus.Missing) }},
		{word: "token", usage: "FILE", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.Prometheus.Token = p.file(l.args()[0]) }},
		{word: "ca", usage: "FILE", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.TLS.CA = p.file(l.args()[0]) }},
	}
}

// compare reads `healthy OP NUMBER`.
func (p *parser) compare(o *config.Probe, l *line) {
	var operator string
	if !choice(p, l, l.args()[0], config.Compares(), &operator) {
		return
	}
	n, err := strconv.ParseFloat(l.args()[1], 64)
	if err != nil {
		p.report(l.at, fmt.Sprintf("%q of %q is not a number", l.args()[1], "healthy"), "a number, as in 0.95 or 1e3", "")
		return
	}
	o.Prometheus.Compare, o.Prometheus.Number = operator, n
}

const missingUsage = "healthy|unhealthy|last"

// missing reads what counts while there is no data.
func (p *parser) missing(l *line, to *config.Missing) {
	choice(p, l, l.args()[0], []config.Missing{config.MissingHealthy, config.MissingUnhealthy, config.MissingLast}, to)
}

// prometheus writes what a prometheus probe asks.
func (w *printer) prometheus(q, d config.Prometheus) {
	w.differs("url", q.URL, "")
	w.differs("query", q.Query, "")
	if q.Compare != "" {
		w.line("healthy", q.Compare, strconv.FormatFloat(q.Number, 'g', -1, 64))
	}
	w.differs("missing", string(q.Missing), string(d.Missing))
	w.differs("token", q.Token, "")
}
