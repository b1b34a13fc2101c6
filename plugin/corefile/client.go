package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// clientOptions are the options of a stanza that tell where a client is.
func clientOptions() []option[*config.Stanza] {
	return []option[*config.Stanza]{
		{word: "geoip", usage: "FILE...", min: 1, max: many, home: "the stanza",
			set: func(p *parser, s *config.Stanza, l *line) {
				for _, name := range l.args() {
					s.GeoIP = append(s.GeoIP, p.file(name))
				}
			}},
		{word: "locations", usage: "FILE", min: 1, max: 1, home: "the stanza",
			set: func(p *parser, s *config.Stanza, l *line) { s.Locations = p.file(l.args()[0]) }},
		{word: "ecs", usage: "on|off|from CIDR...", min: 1, max: many, home: "the stanza", set: (*parser).ecs},
	}
}

// ecs reads `ecs on`, `ecs off` or `ecs from CIDR...`; the blocks may have commas between them as well as blanks.
func (p *parser) ecs(s *config.Stanza, l *line) {
	var word string
	if !choice(p, l, l.args()[0], []string{"on", "off", "from"}, &word) {
		return
	}
	blocks := l.args()[1:]
	switch {
	case word == "from" && len(blocks) == 0:
		p.report(l.at, `"ecs from" lacks a block of addresses`, "`ecs from CIDR...`", "")
	case word != "from" && len(blocks) > 0:
		p.report(l.at, fmt.Sprintf("unexpected %q after \"ecs %s\"", blocks[0], word), "`ecs on|off|from CIDR...`", "")
	case word == "off":
		s.ECS.Off = true
	}
	if word != "from" {
		return
	}
	for _, text := range blocks {
		for part := range strings.SplitSeq(text, ",") {
			prefix, masked, ok := p.prefix(l, part)
			p.judgeHostBits(masked, false)
			if ok {
				s.ECS.From = append(s.ECS.From, prefix)
			}
		}
	}
}

// clients writes what clientOptions read.
func (w *printer) clients(s *config.Stanza) {
	if len(s.GeoIP) > 0 {
		w.line(slices.Concat([]string{"geoip"}, s.GeoIP)...)
	}
	w.differs("locations", s.Locations, "")
	if s.ECS.Off {
		w.line("ecs", "off")
	}
	if len(s.ECS.From) > 0 {
		words := []string{"ecs", "from"}
		for _, prefix := range s.ECS.From {
			words = append(words, prefix.String())
		}
		w.line(words...)
	}
}
