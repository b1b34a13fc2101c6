package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

var policies = []config.Policy{config.PolicySimple, config.PolicyWeighted, config.PolicyFailover, config.PolicyMultivalue}

var lastResorts = []config.LastResort{config.LastResortAll, config.LastResortNone, config.LastResortServfail,
	config.LastResortRefused, config.LastResortNXDomain}

// groupDraft is a group while it is read.
type groupDraft struct {
	*config.Group
	probe string // for each record that names none
}

// groupOptions are the options of groups; some belong to one policy.
func groupOptions() []option[*groupDraft] {
	return []option[*groupDraft]{
		{word: "ttl", usage: "DURATION", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) { p.duration(l, l.args()[0], &g.TTL) }},
		{word: "probe", usage: "NAME", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) { g.probe = probeName(l.args()[0]) }},
		{word: "record", usage: "ADDRESS,...|TYPE DATA [OPTION...]", min: 1, max: many, repeat: true, block: true, home: "a group",
			set: (*parser).record},
		{word: "max", usage: "N", min: 1, max: 1, home: "a multivalue group",
			fits: func(g *groupDraft) bool { return g.isPolicy(config.PolicyMultivalue) },
			set:  func(p *parser, g *groupDraft, l *line) { p.integer(l, l.args()[0], &g.Max) }},
		{word: "last_resort", usage: "all|none|servfail|refused|nxdomain", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) { choice(p, l, l.args()[0], lastResorts, &g.LastResort) }},
		{word: "families", usage: "together", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) {
				var how string
				g.FamiliesTogether = choice(p, l, l.args()[0], []string{"together"}, &how)
			}},
	}
}

// group reads `group NAME... POLICY` and its block.
func (p *parser) group(s *config.Stanza, l *line) {
	faulty := p.faulty()
	last := len(l.args()) - 1
	if last > 1 && l.args()[last] == "{}" {
		p.report(l.at, bracesWord, "", "")
		last--
	}
	g := &groupDraft{Group: &config.Group{LastResort: config.LastResortAll}}
	g.Places.Own = l.at
	choice(p, &line{words: []string{"group"}, at: l.at}, l.args()[last], policies, &g.Policy)
	for _, name := range l.args()[:last] {
		g.Names = append(g.Names, p.names(l, s, name)...)
	}
	if g.Policy == config.PolicyMultivalue {
		g.Max = config.DefaultMax
	}
	fill(p, strings.TrimSpace(fmt.Sprintf("the %s group", g.Policy)), &g.Places, groupOptions(), g, l.block)
	p.inheritProbe(g)
	g.Places.Faulty = l.faulty || faulty()
	s.Groups = append(s.Groups, g.Group)
}

// inheritProbe gives the group's probe to the records that name none.
func (p *parser) inheritProbe(g *groupDraft) {
	taken := g.probe == "" || len(g.Records) == 0
	for _, r := range g.Records {
		if !r.Places.Has("probe") {
			r.Probe, taken = g.probe, true
		}
	}
	if !taken {
		p.warn(g.Places.Of("probe"), fmt.Sprintf("probe %q of the group is taken by no record: each names its own", g.probe))
	}
}

// probeName reads the argument of `probe` in a group or a record; `none` is no probe.
func probeName(text string) string {
	if name := strings.ToLower(text); name != noProbe {
		return name
	}
	return ""
}

// noProbe is the word that stands for no probe; no probe can have it as its name.
const noProbe = "none"

// isPolicy reports whether the group has one of the policies, or an unknown one, which is fault enough.
func (g *groupDraft) isPolicy(policies ...config.Policy) bool {
	return g.Policy == "" || slices.Contains(policies, g.Policy)
}
