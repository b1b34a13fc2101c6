package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// groupDraft is a group while it is read.
type groupDraft struct {
	*config.Group
	stanza *config.Stanza
	probe  string     // for each record that names none
	masked []hostBits // prefixes that were written with host bits; the preset says what that means
}

// groupOptions are the options of groups; some belong to some policies.
func groupOptions() []option[*groupDraft] {
	return slices.Concat([]option[*groupDraft]{
		{word: "ttl", usage: "DURATION[-DURATION]", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) { p.ttl(l, &g.TTL, &g.MinTTL) }},
		{word: "probe", usage: "NAME", min: 1, max: 1, home: "a group",
			set: func(p *parser, g *groupDraft, l *line) { g.probe = probeName(l.args()[0]) }},
		{word: "record", usage: "ADDRESS,...|TYPE DATA [OPTION...]", min: 1, max: many, repeat: true, block: true, home: "a group",
			set: (*parser).record},
		{word: "alias", usage: "NAME|name HOST|pool NAME|balancer NAME [OPTION...]", min: 1, max: many, repeat: true, block: true, home: "a group",
			set: (*parser).alias},
	}, choosingOptions(), otherGroupOptions())
}

// group reads `group NAME... POLICY` and its block.
func (p *parser) group(s *config.Stanza, l *line) {
	faulty := p.faulty()
	last := len(l.args()) - 1
	if last > 1 && l.args()[last] == "{}" {
		p.report(l.at, bracesWord, "", "")
		last--
	}
	g := &groupDraft{Group: &config.Group{LastResort: config.LastResortAll}, stanza: s}
	g.Places.Own = l.at
	choice(p, &line{words: []string{"group"}, at: l.at}, l.args()[last], config.Policies(), &g.Policy)
	for _, name := range l.args()[:last] {
		g.Names = append(g.Names, p.names(l, s, name)...)
	}
	fill(p, strings.TrimSpace(fmt.Sprintf("the %s group", g.Policy)), &g.Places, p.ofGroups, g, l.block)
	p.inheritProbe(g)
	p.fillPriorities(g)
	g.nameOverrides()
	g.Places.Faulty = l.faulty || faulty()
	s.Groups = append(s.Groups, g.Group)
	p.drafts = append(p.drafts, g)
}

// inheritProbe gives the group's probe to the records that name none. Aliases have health from their targets.
func (p *parser) inheritProbe(g *groupDraft) {
	taken, records := g.probe == "", false
	for _, r := range g.Records {
		if r.Alias != nil {
			continue
		}
		records = true
		if !r.Places.Has("probe") {
			r.Probe, taken = g.probe, true
		}
	}
	switch {
	case taken || len(g.Records) == 0:
	case records:
		p.warn(g.Places.Of("probe"), fmt.Sprintf("probe %q of the group is taken by no record: each names its own", g.probe))
	default:
		p.warn(g.Places.Of("probe"), fmt.Sprintf("probe %q of the group is taken by no record: aliases have the health of their targets", g.probe))
	}
}

// fillPriorities numbers the records of a priority group in their order if none has a number; some cannot.
func (p *parser) fillPriorities(g *groupDraft) {
	if g.Policy != config.PolicyPriority {
		return
	}
	given := slices.IndexFunc(g.Records, func(r *config.Record) bool { return r.Places.Has("priority") })
	for i, r := range g.Records {
		switch {
		case given < 0:
			r.Priority = i + 1
		case !r.Places.Has("priority"):
			p.report(r.Places.Own, fmt.Sprintf("record %q has no priority, while that on line %d has", r.ID, g.Records[given].Places.Own.Line),
				"`priority N` in all records of the group, or in none", "")
			r.Places.Faulty = true
		}
	}
}

// nameOverrides writes the ids of overrides as the records have them: letter case does not count.
func (g *groupDraft) nameOverrides() {
	for i := range g.Overrides {
		for _, r := range g.Records {
			if strings.EqualFold(r.ID, g.Overrides[i].Use) {
				g.Overrides[i].Use = r.ID
			}
		}
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
