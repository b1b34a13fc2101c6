package corefile

import (
	"net/netip"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
)

func stanzaOptions() []option[*config.Stanza] {
	return slices.Concat([]option[*config.Stanza]{
		{word: "preset", usage: presetUsage, min: 1, max: 1, home: "the stanza",
			set: func(p *parser, s *config.Stanza, l *line) { p.preset(l, &s.Preset) }},
		{word: "ttl", usage: "DURATION[-DURATION]", min: 1, max: 1, home: "the stanza",
			set: func(p *parser, s *config.Stanza, l *line) { p.ttl(l, &s.TTL, &s.MinTTL) }},
		{word: "other_types", usage: "next|nodata", min: 1, max: 1, home: "the stanza",
			set: func(p *parser, s *config.Stanza, l *line) {
				choice(p, l, l.args()[0], []config.OtherTypes{config.OtherTypesNext, config.OtherTypesNoData}, &s.OtherTypes)
			}},
		{word: "nameserver", usage: "NAME [ADDRESS...]", min: 1, max: many, repeat: true, home: "the stanza", set: (*parser).nameserver},
		{word: "probe", usage: probeUsage(), min: 2, max: 2, repeat: true, block: true, home: "the stanza", set: (*parser).probe},
		{word: "group", usage: "NAME... POLICY", min: 2, max: many, repeat: true, block: true, home: "the stanza", set: (*parser).group},
		{word: "pool", usage: "NAME", min: 1, max: 1, repeat: true, block: true, home: "the stanza", set: (*parser).pool},
		{word: "balancer", usage: "NAME", min: 1, max: 1, repeat: true, block: true, home: "the stanza", set: (*parser).balancer},
		{word: "filter", usage: "[NAMES...]", max: many, repeat: true, block: true, home: "the stanza", set: (*parser).filter},
	}, clientOptions(), processOptions())
}

// stanza reads one occurrence of the directive.
func (p *parser) stanza(l *line) *config.Stanza {
	s := &config.Stanza{TTL: config.DefaultTTL, OtherTypes: config.OtherTypesNext}
	s.Places.Own = l.at
	s.Zones = p.zones(l)
	p.drafts = nil
	s.Preset = presetOf(l.block, "")
	fill(p, "the stanza", &s.Places, stanzaOptions(), s, l.block)
	p.inherit(s)
	return s
}

// nameserver reads a `nameserver` line: one name server, or one in each zone if its name is relative.
func (p *parser) nameserver(s *config.Stanza, l *line) {
	var addresses []string
	for _, arg := range l.args()[1:] {
		address := arg
		if a, err := netip.ParseAddr(arg); err == nil {
			address = a.String()
		}
		addresses = append(addresses, address)
	}
	for _, name := range p.names(l, s, l.args()[0]) {
		s.Nameservers = append(s.Nameservers, config.Nameserver{Name: name, Addresses: addresses, Position: l.at})
	}
}
