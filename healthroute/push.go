package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/healthroute/healthroute/plugin/status"
)

const pushDetails = `It tells the checks of the push probe NAME what they are. That holds for the probe's max_age: tell it again before that.

` + apiDetails

// pushing is the command push with its flags.
type pushing struct {
	calling
	reason, author string
}

func pushCommand(flags *flag.FlagSet) runner {
	var p pushing
	p.declare(flags)
	flags.StringVar(&p.reason, "reason", "", "say why, in a `TEXT`")
	flags.StringVar(&p.author, "author", "", "say who, by `NAME`; the user's name if not given")
	return p.run
}

func (p *pushing) run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return usageError(fmt.Sprintf("expected NAME healthy|unhealthy, got %q", args))
	}
	client, err := p.client()
	if err != nil {
		return err
	}
	defer client.Close()
	reached, err := client.Push(ctx, status.Pushed{Probe: args[0], Health: args[1], Reason: p.reason, Author: who(p.author)})
	if err != nil {
		return refusal(err)
	}
	return p.output.print(out, reached, func() string {
		var b strings.Builder
		for _, c := range reached.Checks {
			fmt.Fprintf(&b, "%s is %s\n", c.Check, c.Health)
		}
		return b.String()
	})
}
