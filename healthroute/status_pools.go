package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/scenario"
	"github.com/healthroute/healthroute/plugin/status"
)

// balancers prints balancers with their sites.
func (x shown) balancers(b *strings.Builder) {
	if len(x.Balancers) == 0 {
		return
	}
	if len(x.Groups) > 0 {
		b.WriteString("\n")
	}
	aligned(b, func(table io.Writer) {
		fmt.Fprint(table, "balancer, site\tanswers\tusable\treason\n")
		for _, balancer := range x.Balancers {
			fmt.Fprintf(table, "%s\t\t\t%s\n", balancer.Balancer, strings.Join(notesOf(balancer), "; "))
			sites := bySite(balancer.Sites)
			for i, s := range sites {
				if !sameSite(sites[:i], s) {
					x.site(table, balancer, s)
				}
			}
		}
	})
}

// bySite puts the families of a site together.
func bySite(sites []status.Site) []status.Site {
	first := map[string]int{}
	for i, s := range slices.Backward(sites) {
		first[s.Site] = i
	}
	return slices.SortedStableFunc(slices.Values(sites), func(a, b status.Site) int { return first[a.Site] - first[b.Site] })
}

// notesOf is what is worth a word of a balancer as a whole.
func notesOf(b status.Balancer) []string {
	var notes []string
	if !b.Declared {
		notes = append(notes, "a pool by itself")
	}
	if b.CrossSite {
		notes = append(notes, "cross-site")
	}
	if b.Affinity != "any" {
		notes = append(notes, "affinity "+b.Affinity)
	}
	for _, f := range b.Families {
		if !f.Healthy {
			notes = append(notes, fmt.Sprintf("unhealthy for %s: %s", f.Family, f.Why))
		}
	}
	return notes
}

// sameSite reports whether another family of the site stands alike.
func sameSite(before []status.Site, s status.Site) bool {
	return slices.ContainsFunc(before, func(o status.Site) bool {
		return o.Site == s.Site && o.Answers == s.Answers && o.Why == s.Why && slices.Equal(o.Pools, s.Pools)
	})
}

func (x shown) site(table io.Writer, b status.Balancer, s status.Site) {
	name, answers, why := s.Site, "out", s.Why
	if name == "" {
		name = "(no site)"
	}
	var addresses []string
	alike := true
	for _, o := range b.Sites {
		if o.Site == s.Site && (o.Family == s.Family || sameSite([]status.Site{o}, s)) {
			addresses = append(addresses, o.Addresses...)
		}
		alike = alike && (o.Site != s.Site || sameSite([]status.Site{o}, s))
	}
	if !alike {
		name += " " + s.Family
	}
	if len(addresses) > 0 {
		name += " -> " + strings.Join(addresses, ",")
	}
	if s.Answers {
		answers = "in"
	}
	var usable []string
	for _, p := range s.Pools {
		usable = append(usable, fmt.Sprintf("%s %d of %d%s", p.Pool, p.Usable, p.Registered, map[bool]string{true: ", all are used"}[p.FailOpen && p.Registered > 0]))
	}
	if s.Shifted && b.Shift != nil {
		why += ": " + x.said(b.Shift, "")
	}
	if o := s.Override; o != nil && strings.HasSuffix(why, o.State) {
		why += ": " + x.said(o, "")
	}
	fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", name, answers, strings.Join(usable, "; "), why)
}

// targetsShown is how many targets of a pool are printed while nobody asks for the pool: of more only those that are out of the ordinary.
const targetsShown = 20

// pools prints pools with their targets.
func (x shown) pools(b *strings.Builder) {
	if len(x.Pools) == 0 {
		return
	}
	b.WriteString("\n")
	aligned(b, func(table io.Writer) {
		fmt.Fprint(table, "pool, target\thealth\tfor\tanswers\tsite\treason\n")
		for _, p := range x.Pools {
			x.pool(table, p)
		}
	})
}

func (x shown) pool(table io.Writer, p status.Pool) {
	notes := []string{countsOf(p.Targets)}
	word := ""
	if p.Admin != string(health.Enabled) {
		word = p.Admin
	}
	if o := p.Override; o != nil {
		notes = append(notes, x.said(o, ""))
	}
	for _, s := range p.Sources {
		if s.Fault != "" {
			notes = append(notes, fmt.Sprintf("%s is %s (%s), what was known stays: %s", s.Source, s.Fortune, s.Fault, scenario.Count(s.Known, "target")))
		}
	}
	fmt.Fprintf(table, "%s\t%s\t\t\t\t%s\n", p.Pool, word, strings.Join(notes, "; "))
	targets, more := p.Targets, 0
	if x.name == "" && len(targets) > targetsShown {
		targets = slices.DeleteFunc(slices.Clone(targets), isOrdinary)
		targets = targets[:min(targetsShown, len(targets))]
		more = len(p.Targets) - len(targets)
	}
	for _, t := range targets {
		x.target(table, t)
	}
	if more > 0 {
		fmt.Fprintf(table, "  and %d more\t\t\t\t\tsee healthroute status pool %s\n", more, p.Pool)
	}
}

// countsOf is how many targets each word holds for, the commonest first.
func countsOf(targets []status.Target) string {
	counts := map[string]int{}
	for _, t := range targets {
		word := t.Admin
		if word == string(health.Enabled) {
			word = t.Health
		}
		counts[word]++
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for i, word := range words {
		words[i] = fmt.Sprintf("%d %s", counts[word], word)
	}
	return cmp.Or(strings.Join(words, ", "), "no targets")
}

// isOrdinary reports whether a target works and nobody says anything of it.
func isOrdinary(t status.Target) bool {
	return t.Admin == string(health.Enabled) && (t.Health == health.Healthy.String() || t.Health == health.Unmonitored.String())
}

func (x shown) target(table io.Writer, t status.Target) {
	name := t.Target
	if !slices.ContainsFunc(t.Values, func(a string) bool { return strings.Contains(name, a) }) {
		name += " = " + strings.Join(t.Values, ",")
	}
	word, since, reason := x.standing(t.Health, t.Since, t.Admin, t.Override, t.Reason)
	o := t.Override
	deregistered := o != nil && o.State == string(health.Deregistered)
	switch left := t.DrainingUntil; {
	case deregistered && left != nil:
		since, reason = x.ago(o.Since), fmt.Sprintf("%s, drains %s more", x.said(o, "deregistered"), x.left(*left))
	case deregistered && t.Admin == string(health.Unused):
		since, reason = x.ago(o.Since), x.said(o, t.Reason)
	case left != nil:
		reason = fmt.Sprintf("no source names it any more, forgotten in %s", x.left(*left))
	}
	words := map[string]string{}
	for qtype, part := range t.Shares {
		words[qtype] = partWord(part)
	}
	fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\n", name, word, since, byType(words), t.Site, reason)
}
