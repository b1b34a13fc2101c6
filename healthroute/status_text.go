package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/scenario"
	"github.com/healthroute/healthroute/plugin/status"
)

// attemptsShown is how many of a check's last attempts are printed.
const attemptsShown = 3

func (x shown) text() string {
	var b strings.Builder
	x.server(&b)
	b.WriteString("\n")
	if len(x.Groups) > 0 || len(x.Pools)+len(x.Balancers) == 0 {
		aligned(&b, func(table io.Writer) {
			fmt.Fprint(table, "group, record\thealth\tfor\tanswers\tsite\treason\n")
			for _, g := range x.Groups {
				x.group(table, g)
			}
		})
	}
	x.balancers(&b)
	x.pools(&b)
	x.checks(&b)
	return b.String()
}

// checksShown is how many checks are printed: of more only those that do not work.
const checksShown = 40

// checks prints the checks, or of many those that are out of the ordinary.
func (x shown) checks(b *strings.Builder) {
	shown := x.Checks
	if len(shown) > checksShown {
		shown = slices.DeleteFunc(slices.Clone(shown), func(c status.Check) bool { return c.Health == health.Healthy.String() })
		shown = shown[:min(checksShown, len(shown))]
	}
	for _, c := range shown {
		x.check(b, c)
	}
	if more := len(x.Checks) - len(shown); more > 0 {
		fmt.Fprintf(b, "\nand %s that are not shown: -o json has all\n", scenario.Count(more, "check"))
	}
}

// aligned writes lines of cells, which tabs end, in columns.
func aligned(b *strings.Builder, write func(table io.Writer)) {
	var lines strings.Builder
	table := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	write(table)
	_ = table.Flush() // into memory
	for line := range strings.Lines(lines.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n") // the last cells may be empty
	}
}

// server is the first lines: what there is, and what is out of the ordinary.
func (x shown) server(b *strings.Builder) {
	s := x.Server
	fmt.Fprintf(b, "healthroute %s, up %s: %s, ", s.Version, x.ago(s.Started), scenario.Count(s.Groups, "group"))
	if s.Pools > 0 {
		fmt.Fprintf(b, "%s, %s, ", scenario.Count(s.Pools, "pool"), scenario.Count(s.Targets, "target"))
	}
	b.WriteString(total(s.Checks))
	if words := countWords(s.Checks); len(words) > 0 {
		fmt.Fprintf(b, " (%s)", strings.Join(words, ", "))
	}
	b.WriteString("\n")
	if !s.Ready {
		b.WriteString("not every check has ended an attempt yet\n")
	}
	if s.Frozen {
		fmt.Fprintf(b, "VERDICTS ARE FROZEN: all canaries fail (%s)\n", strings.Join(s.Canaries, ", "))
	}
	if s.AttemptsWaiting > 0 {
		fmt.Fprintf(b, "%s for a place, the oldest for %s\n", scenario.Count(s.AttemptsWaiting, "attempt")+" waiting",
			config.FormatDays(time.Duration(s.OldestDue*float64(time.Second))))
	}
	x.stateFile(b)
	if s.Overrides > 0 {
		fmt.Fprintf(b, "%s: see healthroute admin list\n", scenario.Count(s.Overrides, "override"))
	}
}

// stateFile is what a restart would know.
func (x shown) stateFile(b *strings.Builder) {
	f := x.Server.File
	if f == nil {
		return
	}
	written := "not written yet"
	if f.Written != nil {
		written = "written " + x.ago(*f.Written) + " ago"
	}
	fmt.Fprintf(b, "state in %s, %s\n", f.File, written)
	if f.Failing != nil {
		fmt.Fprintf(b, "A RESTART WOULD FORGET what changed in the last %s: %s\n", x.ago(*f.Failing), f.Error)
	}
	if f.Refused != "" {
		fmt.Fprintf(b, "began without the state of before: %s\n", f.Refused)
	}
}

// ago is how long ago something was when the server answered.
func (x shown) ago(t time.Time) string { return config.FormatDays(max(0, x.Server.Now.Sub(t))) }

// left is how long it was until something when the server answered.
func (x shown) left(t time.Time) string { return config.FormatDays(max(0, t.Sub(x.Server.Now))) }

func (x shown) group(table io.Writer, g status.Group) {
	var notes []string
	for _, t := range g.Types {
		if t.LastResort {
			notes = append(notes, fmt.Sprintf("no usable record for %s: last_resort %s", t.Type, g.LastResort))
		}
		if t.ShowsAll {
			notes = append(notes, fmt.Sprintf("fewer usable records for %s than min_healthy asks for: show_all", t.Type))
		}
	}
	if g.HeldOut {
		notes = append(notes, "failback manual keeps records out")
	}
	if g.Hidden {
		notes = append(notes, "hidden")
	}
	fmt.Fprintf(table, "%s\t%s\t\t%s\t\t%s\n", g.Group, g.State, g.Policy, strings.Join(notes, "; "))
	for _, r := range g.Records {
		x.record(table, g, r)
	}
}

func (x shown) record(table io.Writer, g status.Group, r status.Record) {
	name := r.Record
	if r.Alias != "" && !strings.EqualFold(r.Alias, r.Record) {
		name += " -> " + r.Alias
	}
	word, since, reason := x.standing(r.Health, r.Since, r.Admin, r.Override, r.Reason)
	fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\n", name, word, since, answers(g, r), r.Site, reason)
}

// standing is the word that holds for a record or a target, how long it has, and why.
func (x shown) standing(healthWord string, since *time.Time, admin string, o *status.Override, reason string) (word, lasts, why string) {
	if since != nil {
		lasts = x.ago(*since)
	}
	switch {
	case admin == string(health.Enabled):
		return healthWord, lasts, reason
	case o != nil && o.State == admin:
		return admin, x.ago(o.Since), x.said(o, reason)
	}
	return admin, lasts, reason
}

// said is why somebody said an override, who, and how much longer it holds. Of one without a reason something else may be known.
func (x shown) said(o *status.Override, otherwise string) string {
	words := []string{cmp.Or(o.Reason, otherwise, "no reason given")}
	if o.Author != "" {
		words = append(words, "by "+o.Author)
	}
	if o.Until != nil {
		words = append(words, x.left(*o.Until)+" left")
	}
	return strings.Join(words, ", ")
}

// answers is what part of the answers a record stands in, by type if it is not the same for all.
func answers(g status.Group, r status.Record) string {
	words := map[string]string{}
	for _, t := range g.Types {
		part, known := r.Shares[t.Type]
		switch {
		case t.ByClient:
			words[t.Type] = "by client"
		case known:
			words[t.Type] = partWord(part)
		}
	}
	return byType(words)
}

// partWord is an exact part of answers in words.
func partWord(part string) string {
	switch part {
	case "0":
		return "out"
	case "1":
		return "in"
	}
	return "in " + part
}

// byType joins words for each type, one word if all are the same.
func byType(words map[string]string) string {
	types := slices.Sorted(maps.Keys(words))
	var out []string
	for _, t := range types {
		if words[t] != words[types[0]] {
			out = nil
			for _, t := range types {
				out = append(out, t+" "+words[t])
			}
			return strings.Join(out, ", ")
		}
		out = append(out, words[t])
	}
	return strings.Join(out[:min(1, len(out))], "")
}

// check prints a check and its last attempts.
func (x shown) check(b *strings.Builder, c status.Check) {
	fmt.Fprintf(b, "\n%s: %s for %s", c.Check, c.Health, x.ago(c.Since))
	if c.Host != "" {
		fmt.Fprintf(b, ", Host %s", c.Host)
	}
	if c.Next != nil {
		fmt.Fprintf(b, ", next attempt in %s", config.FormatDays(max(0, c.Next.Sub(x.Server.Now))))
	}
	if c.Expires != nil {
		fmt.Fprintf(b, ", certificate valid for %s", config.FormatDays(c.Expires.Sub(x.Server.Now)))
	}
	b.WriteString("\n")
	aligned(b, func(table io.Writer) {
		for _, a := range c.Last[:min(attemptsShown, len(c.Last))] {
			fmt.Fprintf(table, "  %s ago\t%s\t%s\n", x.ago(a.At), a.Outcome, a.Reason)
		}
	})
}
