package corefile

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// discoverUsage is within backquotes: two forms.
const discoverUsage = "dns NAME A|AAAA|SRV [port N] [site NAME]` or `discover file PATTERN [port N] [site NAME]"

// discoverOptions are the options of a source of targets, for those of which it says nothing else.
func discoverOptions() []option[*config.Discovery] {
	return belongs("a `discover` of a pool", []option[*config.Discovery]{
		{word: "port", usage: "N", min: 1, max: 1, set: func(p *parser, d *config.Discovery, l *line) { p.port(l, &d.Port) }},
		{word: "site", usage: "NAME", min: 1, max: 1, set: func(p *parser, d *config.Discovery, l *line) { d.Site = strings.ToLower(l.args()[0]) }},
	})
}

// discover reads `discover dns NAME TYPE OPTION...` or `discover file PATTERN OPTION...`.
func (p *parser) discover(pool *config.Pool, l *line) {
	d := config.Discovery{Position: l.at}
	faulty := p.faulty()
	if !choice(p, l, l.args()[0], []config.DiscoveryKind{config.DiscoverDNS, config.DiscoverFile}, &d.Kind) {
		return
	}
	options := l.args()[2:]
	switch {
	case d.Kind == config.DiscoverFile:
		d.Files = p.file(l.args()[1])
	case len(options) == 0 || find(discoverOptions(), options[0]) >= 0:
		p.report(l.at, fmt.Sprintf("\"discover dns %s\" lacks its type", l.args()[1]), "`discover dns NAME A|AAAA|SRV`", "")
	default:
		if names := p.canonical(l, nil, l.args()[1]); len(names) > 0 {
			d.Name = names[0]
		}
		t, known := config.ParseType(options[0])
		if !known {
			p.report(l.at, fmt.Sprintf("%q of \"discover dns\" is no type", options[0]), config.OneOf(discoverTypes), config.Nearest(options[0], discoverTypes))
		}
		d.Type, options = t, options[1:]
	}
	fillLine(p, "a `discover` of the pool "+pool.Name, &config.Places{}, discoverOptions(), &d, options, l)
	if !faulty() {
		pool.Sources = append(pool.Sources, d)
	}
}

// discoverTypes are the types of records that name targets.
var discoverTypes = []string{"A", "AAAA", "SRV"}
