package corefile

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// balancerOptions are the options of balancers.
func balancerOptions() []option[*config.Balancer] {
	return belongs("a balancer", []option[*config.Balancer]{
		{word: "preset", usage: presetUsage, min: 1, max: 1, set: func(p *parser, b *config.Balancer, l *line) { p.preset(l, &b.Preset) }},
		{word: "pools", usage: "NAME,...", min: 1, max: 1, set: (*parser).poolNames},
		{word: "site", usage: "NAME [address ADDRESS[,ADDRESS]] [probe NAME]", min: 1, max: many, repeat: true, set: (*parser).site},
		{word: "cross_site", usage: "on|off", min: 1, max: 1, set: func(p *parser, b *config.Balancer, l *line) {
			if p.crossSite(l, &b.CrossSite); b.CrossSite == config.CrossSiteOff {
				b.CrossSite = "" // there is nothing around it that says otherwise
			}
		}},
		{word: "affinity", usage: "any|full|partial", min: 1, max: 1, set: func(p *parser, b *config.Balancer, l *line) {
			choice(p, l, l.args()[0], []config.Affinity{config.AffinityAny, config.AffinityFull, config.AffinityPartial}, &b.Affinity)
		}},
		{word: "ttl", usage: "DURATION[-DURATION]", min: 1, max: 1, set: func(p *parser, b *config.Balancer, l *line) { p.ttl(l, &b.TTL, &b.MinTTL) }},
	})
}

// siteOptions are the options of a site of a balancer.
func siteOptions() []option[*config.Site] {
	return belongs("a `site` of a balancer", []option[*config.Site]{
		{word: "address", usage: "ADDRESS[,ADDRESS]", min: 1, max: 1, set: func(p *parser, s *config.Site, l *line) { s.Addresses = p.addresses(l, l.args()[0]) }},
		{word: "probe", usage: "NAME", min: 1, max: 1, set: func(p *parser, s *config.Site, l *line) { s.Probe = probeName(l.args()[0]) }},
	})
}

// balancer reads `balancer NAME` and its block.
func (p *parser) balancer(s *config.Stanza, l *line) {
	faulty := p.faulty()
	b := config.DefaultBalancer(p.poolName(l))
	b.Preset = presetOf(l.block, s.Preset)
	b.Places.Own = l.at
	fill(p, "the balancer "+b.Name, &b.Places, balancerOptions(), b, l.block)
	b.Places.Faulty = l.faulty || faulty()
	s.Balancers = append(s.Balancers, b)
}

// poolNames reads the names of a balancer's pools.
func (p *parser) poolNames(b *config.Balancer, l *line) {
	for name := range strings.SplitSeq(l.args()[0], ",") {
		if name == "" {
			p.report(l.at, fmt.Sprintf("%q of %q lacks a name", l.args()[0], "pools"), "`pools NAME,...` without blanks", "")
			return
		}
		b.Pools = append(b.Pools, strings.ToLower(name))
	}
}

// site reads `site NAME OPTION...`.
func (p *parser) site(b *config.Balancer, l *line) {
	faulty := p.faulty()
	s := &config.Site{Name: strings.ToLower(l.args()[0])}
	s.Places.Own = l.at
	fillLine(p, "a site of the balancer "+b.Name, &s.Places, siteOptions(), s, l.args()[1:], l)
	s.Places.Faulty = faulty()
	b.Sites = append(b.Sites, s)
}
