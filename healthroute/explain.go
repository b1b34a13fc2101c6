package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	why "github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/scenario"
	"github.com/healthroute/healthroute/plugin/status"
)

const explainDetails = `It runs the Corefile in virtual time, with no socket, until every check has a verdict: targets
pass unless told otherwise. Then it answers the question once and says why: which records are in
and out, and what decided. Names are relative to the first zone unless they end in a dot.
` + objects + `
Instants count from the start; in JSON the start is 2000-01-01T00:00:00Z.

With -server it asks a running server instead: what it answers now, with the health that it knows.
` + apiDetails

// explaining is the command explain with its flags.
type explaining struct {
	reading
	asked  asked
	faults faults
	server bool
	api    apiFlags
}

func explainCommand(flags *flag.FlagSet) runner {
	var e explaining
	e.reading.declare(flags)
	e.asked.declare(flags)
	e.faults.declare(flags)
	flags.BoolVar(&e.server, "server", false, "ask a running server, not the Corefile")
	e.api.declare(flags)
	return e.run
}

// explained is what explain prints: the reasons of one answer, and all that are possible.
type explained struct {
	why.Explanation
	scenario.Distribution
}

func (e *explaining) run(ctx context.Context, args []string, out io.Writer) error {
	q, err := e.asked.question(args)
	if err != nil {
		return err
	}
	if e.server {
		return e.ask(ctx, q, out)
	}
	if e.api != (apiFlags{}) {
		return usageError("-api and what logs in there belong to -server")
	}
	w, err := e.corefile.goodWorld()
	if err != nil {
		return err
	}
	defer w.Close()
	for _, f := range e.faults.list {
		targets, err := w.TargetsOf(f.Object)
		if err != nil {
			return usageError(err.Error())
		}
		for _, t := range targets {
			if err := w.SetTarget(t, scenario.Behaviour{Kind: f.Behaviour}); err != nil {
				return err
			}
		}
	}
	w.Settle()
	var x explained
	if x.Explanation, err = w.Explain(q); err != nil {
		return usageError(err.Error())
	}
	if x.Distribution, err = w.Distribution(q); err != nil {
		return usageError(err.Error())
	}
	return e.output.print(out, x, x.text)
}

// ask asks a running server.
func (e *explaining) ask(ctx context.Context, q scenario.Question, out io.Writer) error {
	if len(e.faults.list) > 0 {
		return usageError("-down is for a Corefile in virtual time, -server knows what is down")
	}
	client, err := e.api.client(e.corefile)
	if err != nil {
		return err
	}
	defer client.Close()
	asked := status.Question{Name: q.Name, Type: q.Type}
	switch {
	case q.Subnet.IsValid():
		asked.Client = q.Subnet.String()
	case q.From.IsValid():
		asked.Client = q.From.String()
	}
	x, err := client.Explain(ctx, asked)
	if err != nil {
		return refusal(err)
	}
	now := time.Now()
	return e.output.print(out, x, func() string {
		return x.Text(func(t time.Time) string { return config.FormatDays(max(0, now.Sub(t))) + " ago" })
	})
}

func (x explained) text() string {
	var b strings.Builder
	b.WriteString(x.Text(scenario.At))
	if len(x.Possible) < 2 {
		return b.String()
	}
	if x.Together {
		fmt.Fprintf(&b, "  records, and the part of answers that each stands in:\n")
	} else {
		fmt.Fprintf(&b, "  that was one of %s:\n", scenario.Count(len(x.Possible), "possible answer"))
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range x.Possible {
		fmt.Fprintf(table, "    %s\t%s\n", p.Share, p.Set())
	}
	_ = table.Flush() // into memory
	return b.String()
}
