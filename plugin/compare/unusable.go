package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// unusable returns the groups, pools and balancers that have nothing usable for some types, in the order of declaration.
func unusable(s *side) []Unusable {
	var out []Unusable
	for _, b := range s.blocks {
		for _, g := range b.Table.Choosers() {
			out = append(out, ofGroup(g)...)
		}
	}
	return out
}

// ofGroup is what a group has nothing usable for: one entry for all its types, unless they answer differently.
func ofGroup(g *route.Group) []Unusable {
	var out []Unusable
	for _, set := range g.View().Sets() {
		if set == nil {
			continue
		}
		if set.Usable() {
			out = append(out, ofSites(set)...)
			continue
		}
		u := Unusable{Name: g.Name, Types: []string{}, Answers: answersOf(set), Why: reasonsOf(set)}
		if set.Type != dns.TypeANY {
			u.Types = []string{dns.Type(set.Type).String()}
		}
		i := slices.IndexFunc(out, func(o Unusable) bool { return o.Answers == u.Answers && slices.Equal(o.Why, u.Why) })
		if i < 0 {
			out = append(out, u)
			continue
		}
		out[i].Types = append(out[i].Types, u.Types...)
	}
	return out
}

// ofSites are the sites of a balancer that do not answer.
func ofSites(s *route.Set) []Unusable {
	if s.Balance == nil {
		return nil
	}
	var out []Unusable
	for _, site := range s.Balance.Sites {
		if !site.Answers && site.Bad {
			out = append(out, Unusable{
				Name: s.Group.Name + ", site " + site.Site, Types: []string{dns.Type(s.Type).String()}, Answers: "nothing", Why: []string{site.Why},
			})
		}
	}
	return out
}

// answersOf says what a set answers that has nothing usable.
func answersOf(s *route.Set) string {
	last := s.Group.LastResort
	switch {
	case last == config.LastResortAlias:
		return "last_resort alias " + s.Group.Config.Sorry[0]
	case !s.Eligible():
		return "nothing"
	}
	return "last_resort " + string(last)
}

// reasonsOf says why nothing is usable: each reason with how many there are of it.
func reasonsOf(s *route.Set) []string {
	of := map[string]int{}
	candidates := s.Candidates
	what := "record"
	if s.Balance != nil {
		candidates, what = targetsOf(s.Balance), "target"
	}
	for _, c := range candidates {
		of[reasonOf(c, s.Type)]++
	}
	delete(of, "")
	if len(candidates) == 0 {
		return []string{"no " + what + " for the type"}
	}
	var out []string
	for reason, n := range of {
		out = append(out, fmt.Sprintf("%s %s", plural(n, what), reason))
	}
	slices.Sort(out)
	if s.Balance != nil && s.Balance.Why != "" {
		out = append(out, s.Balance.Why)
	}
	if out == nil {
		return []string{}
	}
	return out
}

// targetsOf are the targets of all sites, each once.
func targetsOf(b *route.Balance) []*route.Candidate {
	var out []*route.Candidate
	for _, site := range b.Sites {
		for _, p := range site.Pools {
			for _, c := range p.Targets() {
				if !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// reasonOf says why a candidate is not usable.
func reasonOf(c *route.Candidate, qtype uint16) string {
	if c.Standing == route.Usable {
		return ""
	}
	switch admin := c.Record.Admin(); {
	case c.Standing == route.Removed:
		return string(admin)
	case c.Target != nil:
		return "alias of something that has nothing usable"
	}
	var words []string
	for _, check := range c.Record.ChecksFor(qtype) {
		word := "not healthy"
		switch p := check.Probe(); {
		case p.Assume != "":
			word = "assumed " + string(p.Assume)
		case check.State().Status == health.Checking:
			word = "without a verdict (initial " + string(p.Initial) + ")"
		case p.Type == config.ProbeCalculated:
			word = "counted unhealthy"
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// unusable lists what has nothing usable in the new Corefile: for good, or, as it starts, until new checks have a verdict.
func (c *comparison) unusable(starting []Unusable) {
	before := map[string]bool{}
	for _, u := range unusable(c.before) {
		for _, t := range append(u.Types, "") {
			before[u.Name+" "+t] = true
		}
	}
	lasting := map[string]bool{}
	for _, u := range unusable(c.after) {
		if lasting[u.Name+" "+strings.Join(u.Types, " ")] {
			continue // several aliases use the balancer, each in its own way
		}
		u.Before = !slices.ContainsFunc(u.Types, func(t string) bool { return !before[u.Name+" "+t] }) && before[u.Name+" "]
		lasting[u.Name+" "+strings.Join(u.Types, " ")] = true
		c.report.Unusable = append(c.report.Unusable, u)
	}
	for _, u := range starting {
		if !lasting[u.Name+" "+strings.Join(u.Types, " ")] {
			u.Starts = true
			lasting[u.Name+" "+strings.Join(u.Types, " ")] = true
			c.report.Unusable = append(c.report.Unusable, u)
		}
	}
}

// plural writes a number of things.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
