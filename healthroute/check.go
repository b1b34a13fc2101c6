package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/scenario"
)

var checkDetails = `It reads the whole Corefile, opens no socket and starts nothing. It prints all errors and warnings of
the healthroute directives. If there is no error the other plugins read their directives too, up to the
first that one refuses; they find relative file names where a server that is started here would. Left out are
` + config.OneOf(busy) + `,
which begin their work when they read.
For a good Corefile it prints what it amounts to: the load of its attempts, and for each group the
longest time until a dead target is noticed, and until clients that obey the TTL have moved.

With -against it says instead what changes for a server that runs the Corefile OLD: names whose answers
change, what has nothing usable, and what a reload does to the checks. Both are asked while every check is
healthy, by a client of every place and range that either names; names that are only declared otherwise are
listed too. Files that OLD names are looked for beside it, so put it beside the new one. What other plugins
answer, what operators said and what a state file knows is not compared. A difference is no error.
`

// checking is the command check with its flags.
type checking struct {
	reading
	against corefile
}

func checkCommand(flags *flag.FlagSet) runner {
	var c checking
	c.reading.declare(flags)
	flags.StringVar((*string)(&c.against), "against", "", "print what changes for a server that runs the Corefile `OLD`")
	return c.run
}

// checked is what check prints. Field names are stable.
type checked struct {
	Corefile string            `json:"corefile"`
	Valid    bool              `json:"valid"`
	Problems []problem         `json:"problems"`
	Notes    []string          `json:"notes"` // what was not looked at
	Summary  *scenario.Summary `json:"summary"`
	Against  *against          `json:"against,omitempty"` // with -against
}

func (c *checking) run(_ context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		return usageError(fmt.Sprintf("check takes no arguments, got %q: name the Corefile with -conf", args))
	}
	w, problems, err := c.corefile.world()
	if err != nil {
		return err
	}
	report := checked{Corefile: string(c.corefile), Problems: []problem{}, Notes: []string{}}
	if w != nil {
		defer w.Close()
		others, notes := checkOthers(string(c.corefile))
		problems, report.Notes = append(problems, others...), append(report.Notes, notes...)
	}
	for _, p := range problems {
		report.Problems = append(report.Problems, problem(p))
	}
	failed := len(problems.Errors())
	if report.Valid = failed == 0; report.Valid {
		summary := w.Summary()
		report.Summary = &summary
	}
	var refused error
	if report.Valid && c.against != "" {
		report.Against, refused = c.compare(w)
	}
	if err := c.output.print(out, report, report.text); err != nil || report.Valid {
		return cmp.Or(err, refused)
	}
	return errors.New(string(c.corefile) + ": " + scenario.Count(failed, "error"))
}

// problem is a config.Problem as JSON.
type problem config.Problem

// MarshalJSON writes the fields that there are.
func (p problem) MarshalJSON() ([]byte, error) {
	severity := "error"
	if p.Warning {
		severity = "warning"
	}
	return json.Marshal(struct {
		File     string `json:"file,omitempty"`
		Line     int    `json:"line,omitempty"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
		Expected string `json:"expected,omitempty"`
		Nearest  string `json:"nearest,omitempty"`
	}{p.Position.File, p.Position.Line, severity, p.Message, p.Expected, p.Nearest})
}

func (c checked) text() string {
	var b strings.Builder
	for _, p := range c.Problems {
		if p.Warning {
			p.Message = "warning: " + p.Message
		}
		b.WriteString(config.Problem(p).Error() + "\n")
	}
	for _, note := range c.Notes {
		b.WriteString("note: " + note + "\n")
	}
	if c.Summary == nil {
		return b.String()
	}
	c.sum(&b)
	if c.Against != nil {
		b.WriteString("\n" + c.Against.Text())
		return b.String()
	}
	c.summary(&b)
	return b.String()
}

// sum says in a line what the Corefile amounts to.
func (c checked) sum(b *strings.Builder) {
	s := c.Summary
	fmt.Fprintf(b, "%s is good: %s, %s, %s, %s, %s\n", c.Corefile, scenario.Count(len(s.Zones), "zone"), scenario.Count(len(s.Groups), "group"),
		scenario.Count(s.Records, "record"), scenario.Count(s.Probes, "probe"), scenario.Count(s.Checks, "check"))
}

func (c checked) summary(b *strings.Builder) {
	s := c.Summary
	if s.Checks > 0 {
		fmt.Fprintf(b, "\nattempts a second: %s\n", s.Attempts)
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, n := range s.Networks {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", n.Network, n.AttemptRate, scenario.Count(n.Checks, "check"))
	}
	_ = table.Flush() // into memory
	b.WriteString("\nworst case of a dead target (attempts vary by up to 5 %, TTLs are obeyed)\n")
	fmt.Fprint(table, "  group\tpolicy\trecords\tchecks\tnoticed after\tclients moved after\n")
	for _, g := range s.Groups {
		fmt.Fprintf(table, "  %s\t%s\t%d\t%d\t%s\n", g.Group, g.Policy, g.Records, g.Checks, failover(g))
	}
	_ = table.Flush() // into memory
	if len(s.Pools) == 0 {
		return
	}
	b.WriteString("\npools\n")
	fmt.Fprint(table, "  pool\ttargets\tsources\tsites\tdns_failover\tfail_open\n")
	for _, p := range s.Pools {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%s\t%s\t%s\n", p.Pool, p.Targets, p.Sources, cmp.Or(strings.Join(p.Sites, " "), "-"), p.DNSFailover, p.FailOpen)
	}
	_ = table.Flush() // into memory
}

// failover writes the bounds of a group.
func failover(g scenario.GroupSummary) string {
	switch {
	case g.Detection == nil:
		return "never\tnever: no check"
	case g.Unchecked > 0:
		return fmt.Sprintf("%s\t%s; %s without a check: never", g.Detection, g.Failover, scenario.Count(g.Unchecked, "record"))
	}
	return fmt.Sprintf("%s\t%s", g.Detection, g.Failover)
}
