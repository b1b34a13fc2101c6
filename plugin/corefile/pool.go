package corefile

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// poolOptions are the options of pools.
func poolOptions() []option[*config.Pool] {
	options := []option[*config.Pool]{
		{word: "preset", usage: presetUsage, min: 1, max: 1, set: func(p *parser, o *config.Pool, l *line) { p.preset(l, &o.Preset) }},
		{word: "probe", usage: "NAME", min: 1, max: 1, set: func(p *parser, o *config.Pool, l *line) { o.Probe = probeName(l.args()[0]) }},
		{word: "ttl", usage: "DURATION[-DURATION]", min: 1, max: 1, set: func(p *parser, o *config.Pool, l *line) { p.ttl(l, &o.TTL, &o.MinTTL) }},
		{word: "target", usage: "ADDRESS[,ADDRESS] [OPTION...]", min: 1, max: many, repeat: true, block: true, set: (*parser).target},
		{word: "discover", usage: discoverUsage, min: 2, max: many, repeat: true, set: (*parser).discover},
		{word: "dns_failover", usage: thresholdUsage, min: 1, max: 4, set: func(p *parser, o *config.Pool, l *line) { p.threshold(l, o, &o.DNSFailover) }},
		{word: "fail_open", usage: "[count N] [percent N|off]", min: 1, max: 4, set: func(p *parser, o *config.Pool, l *line) { p.threshold(l, o, &o.FailOpen) }},
		{word: "cross_site", usage: "on|off", min: 1, max: 1, set: func(p *parser, o *config.Pool, l *line) { p.crossSite(l, &o.CrossSite) }},
		{word: "drain", usage: "DURATION", min: 1, max: 1, set: func(p *parser, o *config.Pool, l *line) { p.duration(l, l.args()[0], &o.Drain) }},
		{word: "unhealthy_drain", usage: "DURATION", min: 1, max: 1,
			set: func(p *parser, o *config.Pool, l *line) { p.duration(l, l.args()[0], &o.UnhealthyDrain) }},
		{word: "limit", usage: "N", min: 1, max: 1, set: func(p *parser, o *config.Pool, l *line) { p.integer(l, l.args()[0], &o.Limit) }},
		{word: "rate", usage: "N", min: 1, max: 1, set: func(p *parser, o *config.Pool, l *line) { p.integer(l, l.args()[0], &o.Rate) }},
		{word: "disabled", set: func(p *parser, o *config.Pool, l *line) { o.Disabled = true }},
	}
	return belongs("a pool", options)
}

// belongs says of options where they may stand.
func belongs[T any](home string, options []option[T]) []option[T] {
	for i := range options {
		options[i].home = home
	}
	return options
}

// pool reads `pool NAME` and its block.
func (p *parser) pool(s *config.Stanza, l *line) {
	faulty := p.faulty()
	pool := config.DefaultPool(p.poolName(l))
	pool.Preset = presetOf(l.block, s.Preset)
	pool.Places.Own = l.at
	fill(p, "the pool "+pool.Name, &pool.Places, poolOptions(), pool, l.block)
	for _, t := range pool.Targets {
		if !t.Places.Has("probe") {
			t.Probe = pool.Probe
		}
	}
	pool.Places.Faulty = l.faulty || faulty()
	s.Pools = append(s.Pools, pool)
}

// poolName reads the name of a pool or a balancer. A word that is an option of aliases would not be a name behind `alias pool`.
func (p *parser) poolName(l *line) string {
	name := strings.ToLower(l.args()[0])
	if find(p.ofRecords, name) >= 0 {
		p.report(l.at, fmt.Sprintf("%q cannot be the name of a %s: it is an option of aliases", name, l.words[0]), "another name", "")
	}
	return name
}

// crossSite reads `cross_site on|off`.
func (p *parser) crossSite(l *line, to *config.CrossSite) {
	choice(p, l, l.args()[0], []config.CrossSite{config.CrossSiteOn, config.CrossSiteOff}, to)
}
