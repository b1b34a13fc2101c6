package corefile

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// ofPolicies limits a group option to policies.
func ofPolicies(policies ...config.Policy) func(*groupDraft) bool {
	return func(g *groupDraft) bool { return g.isPolicy(policies...) }
}

var lastResorts = []config.LastResort{config.LastResortAll, config.LastResortNone, config.LastResortServfail,
	config.LastResortRefused, config.LastResortNXDomain, config.LastResortAlias}

// choosingOptions say which records are candidates and how one is chosen.
func choosingOptions() []option[*groupDraft] {
	return []option[*groupDraft]{
		{word: "max", usage: "N", min: 1, max: 1, home: "a multivalue group, or one that is not weighted and has an alias of a pool or balancer",
			fits: func(g *groupDraft) bool { return g.Policy != config.PolicyWeighted },
			set:  func(p *parser, g *groupDraft, l *line) { p.integer(l, l.args()[0], &g.Max) }},
		{word: "last_resort", usage: "all|none|servfail|refused|nxdomain|alias NAME", min: 1, max: 2, home: "a group", set: (*parser).lastResort},
		{word: "families", usage: "together", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) {
				var how string
				g.FamiliesTogether = choice(p, l, l.args()[0], []string{"together"}, &how)
			}},
		{word: "sticky", usage: "[ipv4 BITS] [ipv6 BITS]", max: 4, home: "a weighted, multivalue, roundrobin, latency or proximity group",
			fits: ofPolicies(config.PolicyWeighted, config.PolicyMultivalue, config.PolicyRoundRobin, config.PolicyLatency, config.PolicyProximity),
			set:  (*parser).sticky},
		{word: "strict", home: "a geo group", fits: ofPolicies(config.PolicyGeo),
			set: func(p *parser, g *groupDraft, l *line) { g.Strict = true }},
		{word: "override", usage: "from CIDR|START-END,... use ID", min: 4, max: 4, repeat: true, home: "a group", set: (*parser).override},
	}
}

// otherGroupOptions say how records come back, and what the group is to others.
func otherGroupOptions() []option[*groupDraft] {
	return []option[*groupDraft]{
		{word: "min_healthy", usage: minHealthyUsage, min: 1, max: 6, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) { p.minHealthy(l, &g.MinHealthy) }},
		{word: "hold", usage: "DURATION", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) { p.duration(l, l.args()[0], &g.Hold) }},
		{word: "failback", usage: "manual", min: 1, max: 1, home: "a failover or priority group",
			fits: ofPolicies(config.PolicyFailover, config.PolicyPriority),
			set: func(p *parser, g *groupDraft, l *line) {
				var how string
				g.FailbackManual = choice(p, l, l.args()[0], []string{"manual"}, &how)
			}},
		{word: "ramp", usage: "DURATION", min: 1, max: 1, home: "a weighted group", fits: ofPolicies(config.PolicyWeighted),
			set: func(p *parser, g *groupDraft, l *line) { p.duration(l, l.args()[0], &g.Ramp) }},
		{word: "preset", usage: "none|route53|nlb|traffic_manager", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) { choice(p, l, l.args()[0], config.Presets(), &g.Preset) }},
		{word: "hidden", home: "a group", set: func(p *parser, g *groupDraft, l *line) { g.Hidden = true }},
		{word: "disabled", home: "a group", set: func(p *parser, g *groupDraft, l *line) { g.Disabled = true }},
	}
}

// lastResort reads `last_resort WORD` or `last_resort alias NAME`.
func (p *parser) lastResort(g *groupDraft, l *line) {
	args := l.args()
	var word config.LastResort
	if !choice(p, l, args[0], lastResorts, &word) {
		return
	}
	switch alias := word == config.LastResortAlias; {
	case alias && len(args) == 1:
		p.report(l.at, `"last_resort alias" lacks the name of a group`, "`last_resort alias NAME`", "")
		return
	case alias:
		g.Sorry = p.names(l, g.stanza, args[1])
	case len(args) > 1:
		p.report(l.at, fmt.Sprintf("unexpected %q after \"last_resort %s\"", args[1], word), "`last_resort "+string(word)+"`", "")
		return
	}
	g.LastResort = word
}

// sticky reads `sticky`, with the bits of one or both families.
func (p *parser) sticky(g *groupDraft, l *line) {
	sticky := config.DefaultSticky
	bits := map[string]*int{"ipv4": &sticky.IPv4, "ipv6": &sticky.IPv6}
	p.families(l, l.args(), bits, "`sticky [ipv4 BITS] [ipv6 BITS]`")
	g.Sticky = &sticky
}

// families reads `ipv4` and `ipv6` with a number behind each, each at most once.
func (p *parser) families(l *line, args []string, numbers map[string]*int, expected string) {
	for i := 0; i < len(args); i += 2 {
		word := strings.ToLower(args[i])
		if numbers[word] == nil || i+1 == len(args) {
			nearest := config.Nearest(word, []string{"ipv4", "ipv6"})
			if word == "ipv4" || word == "ipv6" {
				nearest = ""
			}
			p.report(l.at, fmt.Sprintf("%q of %q cannot be read", strings.Join(args[i:], " "), l.words[0]), expected, nearest)
			return
		}
		p.integer(l, args[i+1], numbers[word])
		delete(numbers, word)
	}
}

// override reads `override from CIDR,... use ID`.
func (p *parser) override(g *groupDraft, l *line) {
	args := l.args()
	if !strings.EqualFold(args[0], "from") || !strings.EqualFold(args[2], "use") {
		p.report(l.at, fmt.Sprintf("%q of %q cannot be read", strings.Join(args, " "), "override"), "`override from CIDR,... use ID`", "")
		return
	}
	from, masked := p.sources(l, args[1])
	g.masked = append(g.masked, masked...)
	g.Overrides = append(g.Overrides, config.Override{From: from, Use: args[3], Position: l.at})
}
