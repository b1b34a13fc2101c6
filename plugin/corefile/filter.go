package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// filterOptions are the options of filters.
func filterOptions() []option[*config.Filter] {
	return belongs("a filter", []option[*config.Filter]{
		{word: "probe", usage: "NAME", min: 1, max: 1, set: func(p *parser, f *config.Filter, l *line) { f.Probe = probeName(l.args()[0]) }},
		{word: "ttl", usage: "DURATION", min: 1, max: 1, set: func(p *parser, f *config.Filter, l *line) { p.duration(l, l.args()[0], &f.TTL) }},
		{word: "last_resort", usage: "all|none", min: 1, max: 1, set: func(p *parser, f *config.Filter, l *line) {
			choice(p, l, l.args()[0], []config.LastResort{config.LastResortAll, config.LastResortNone}, &f.LastResort)
		}},
		{word: "limit", usage: "N", min: 1, max: 1, set: func(p *parser, f *config.Filter, l *line) { p.integer(l, l.args()[0], &f.Limit) }},
		{word: "idle", usage: "DURATION", min: 1, max: 1, set: func(p *parser, f *config.Filter, l *line) { p.duration(l, l.args()[0], &f.Idle) }},
	})
}

// filter reads `filter NAME...` and its block; one without a name is for all names of the zones.
func (p *parser) filter(s *config.Stanza, l *line) {
	faulty := p.faulty()
	f := config.DefaultFilter()
	f.Places.Own = l.at
	for _, name := range l.args() {
		if name == "{}" {
			p.report(l.at, bracesWord, "", "")
			continue
		}
		f.Names = append(f.Names, p.names(l, s, name)...)
	}
	if len(l.args()) == 0 {
		f.Names = s.FilterNames()
	}
	fill(p, strings.TrimSpace("the filter "+strings.Join(l.args(), " ")), &f.Places, filterOptions(), f, l.block)
	f.Places.Faulty = l.faulty || faulty()
	s.Filters = append(s.Filters, f)
}

// filter writes a filter.
func (w *printer) filter(s *config.Stanza, f *config.Filter) {
	d := config.DefaultFilter()
	words := []string{"filter"}
	if !slices.Equal(f.Names, s.FilterNames()) {
		words = append(words, nameWords(f.Names)...)
	}
	w.open(words...)
	w.line("probe", f.Probe)
	w.differs("ttl", config.FormatDuration(f.TTL), config.FormatDuration(s.TTL))
	w.differs("last_resort", string(f.LastResort), string(d.LastResort))
	w.differs("limit", fmt.Sprint(f.Limit), fmt.Sprint(d.Limit))
	w.differs("idle", config.FormatDuration(f.Idle), config.FormatDuration(d.Idle))
	w.close()
}
