package corefile

import (
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// aliasKinds are the words that say what kind of thing the next word names; without one it is a group. They are kinds only
// if a word follows that is no option of an alias: `alias name weight 3` and `alias name` are about a group called name,
// and so is, always, its whole name with the dot.
var aliasKinds = []string{aliasName, aliasPool, aliasBalancer}

const (
	aliasGroup    = ""
	aliasName     = "name"
	aliasPool     = "pool"
	aliasBalancer = "balancer"
)

// aliasOptions are the options that only aliases have.
func aliasOptions() []option[*recordDraft] {
	isAlias := func(r *recordDraft) bool { return r.Alias != nil }
	return []option[*recordDraft]{
		{word: "evaluate", usage: "on|off", min: 1, max: 1, home: "an alias", fits: isAlias,
			set: func(p *parser, r *recordDraft, l *line) {
				evaluate := "on"
				choice(p, l, l.args()[0], []string{"on", "off"}, &evaluate)
				r.Alias.Evaluate = evaluate == "on"
			}},
		{word: "min_healthy", usage: "N|N% [ipv4 N] [ipv6 N]", min: 1, max: 6, take: takeMinHealthy, home: "an alias", fits: isAlias,
			set: func(p *parser, r *recordDraft, l *line) {
				p.minHealthy(l, &r.Alias.MinHealthy)
				if r.Alias.MinHealthy.ShowAll {
					p.report(l.at, `"show_all" in an alias: what a group answers is its own matter`, "`min_healthy N show_all` in the group", "")
				}
			}},
	}
}

// alias reads `alias NAME OPTION...`, or with one of aliasKinds before the name, and its block.
func (p *parser) alias(g *groupDraft, l *line) {
	faulty := p.faulty()
	r := &recordDraft{Record: &config.Record{Alias: &config.Alias{Evaluate: true}}, group: g}
	target, options := l.args()[0], l.args()[1:]
	kind := strings.ToLower(target)
	if slices.Contains(aliasKinds, kind) && len(options) > 0 && options[0] != "{}" && find(p.ofRecords, options[0]) < 0 {
		target, options = options[0], options[1:]
	} else {
		kind = aliasGroup
	}
	name := strings.ToLower(target)
	switch kind {
	case aliasName:
		if names := p.canonical(l, nil, target); len(names) > 0 {
			r.Alias.Name = names[0]
		}
	case aliasPool:
		r.Alias.Pool = name
	case aliasBalancer:
		r.Alias.Balancer = name
	default:
		r.Alias.Group = p.names(l, g.stanza, target)
	}
	r.ID = name
	p.recordOptions(r, "an alias", options, l)
	if kind == aliasBalancer {
		r.Alias.Site = r.Site // where the record is, and which of the balancer's sites it is
	}
	r.Places.Faulty = l.faulty || faulty()
	g.Records = append(g.Records, r.Record)
}

// aliasTarget writes the name of a group in an alias or a last resort: whole, or relative if it stands for one name in each
// zone.
func aliasTarget(s *config.Stanza, names []string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return nameWord(names[0])
	}
	relative := config.RelativeName(names[0], s.Zones[0])
	if cut, dot := strings.CutSuffix(relative, `\.`); dot { // it would read as the end of a whole name
		relative = cut + `\046`
	}
	return nameWord(relative)
}

// aliasWords writes what an alias has besides the options of all records, and the id that it has by default.
func aliasWords(s *config.Stanza, a *config.Alias) (words []string, id string) {
	target := aliasTarget(s, a.Group)
	words = []string{"alias", target}
	switch {
	case a.Name != "":
		target = nameWord(a.Name)
		words = []string{"alias", aliasName, target}
	case a.Pool != "":
		target = a.Pool
		words = []string{"alias", aliasPool, target}
	case a.Balancer != "":
		target = a.Balancer
		words = []string{"alias", aliasBalancer, target}
	}
	if !a.Evaluate {
		words = append(words, "evaluate", "off")
	}
	if a.MinHealthy != (config.MinHealthy{}) {
		words = append(words, printMinHealthy(a.MinHealthy)...)
	}
	return words, strings.ToLower(target)
}
