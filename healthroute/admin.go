package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/scenario"
	"github.com/healthroute/healthroute/plugin/status"
)

const adminDetails = `What an operator says stands over what the Corefile says, over reloads too, until it is said otherwise or its time is over:

  disable OBJECT...       not answered, not attempted, not even in a last resort
  drain OBJECT...         not answered, still attempted
  always OBJECT...        answered whatever its health, not attempted
  enable OBJECT...        ends what was said before
  shift BALANCER SITE     no clients to this site of the balancer, for 1m to 72h: -for says how long; again makes it longer or shorter
  deregister POOL/TARGET  not answered; attempted for the pool's drain time, and then not any more
  register POOL/TARGET    ends that; a target that begins anew waits for its first pass where new ones do
  failback GROUP...       lets those answer again that failback manual keeps out
  list                    what is said now, and what it is about

OBJECT is GROUP, GROUP/RECORD, pool POOL, pool POOL/TARGET, site SITE or shift BALANCER/SITE, by the very name or with * and ?;
a target goes by its address too. A site is everything that stands in it; enable shift BALANCER ends the shift of its sites.
What would leave a group, a pool or a balancer with nothing usable is refused, and tells what would answer; -force does it all the same.

` + apiDetails

// adminVerbs are the admin states that the words of the command stand for.
var adminVerbs = map[string]health.AdminState{
	"disable": health.Disabled, "drain": health.Draining, "always": health.Always, "enable": health.Enabled, "shift": health.Shifted,
	"deregister": health.Deregistered, "register": health.Enabled,
}

// administering is the command admin with its flags.
type administering struct {
	calling
	lasts          time.Duration
	reason, author string
	force          bool
}

func adminCommand(flags *flag.FlagSet) runner {
	var a administering
	a.declare(flags)
	flags.DurationVar(&a.lasts, "for", 0, "for `DURATION`, as in 30m; until it is changed if not given")
	flags.StringVar(&a.reason, "reason", "", "say why, in a `TEXT`")
	flags.StringVar(&a.author, "author", "", "say who, by `NAME`; the user's name if not given")
	flags.BoolVar(&a.force, "force", false, "also if a group has nothing usable left")
	return a.run
}

func (a *administering) run(ctx context.Context, args []string, out io.Writer) error {
	words := []string{"always", "deregister", "disable", "drain", "enable", "failback", "list", "register", "shift"}
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	switch {
	case !slices.Contains(words, verb):
		text := fmt.Sprintf("admin cannot %q: expected %s", verb, config.OneOf(words))
		if nearest := config.Nearest(verb, words); nearest != "" {
			text += fmt.Sprintf("; did you mean %q?", nearest)
		}
		return usageError(text)
	case verb == "list" && len(args) > 0:
		return usageError(fmt.Sprintf("list takes no objects, got %q", args))
	case verb != "list" && len(args) == 0:
		return usageError(verb + " of what? Name an object")
	case a.lasts < 0:
		return usageError("-for needs a duration above 0")
	}
	client, err := a.client()
	if err != nil {
		return err
	}
	defer client.Close()
	switch verb {
	case "list":
		return a.list(ctx, client, out)
	case "failback":
		return a.failback(ctx, client, args, out)
	}
	return a.say(ctx, client, verb, args, out)
}

// who is the author of what is said.
func who(author string) string {
	if me, err := user.Current(); author == "" && err == nil {
		return me.Username
	}
	return author
}

// objectsOf joins the words of objects that have a kind before them.
func objectsOf(verb string, args []string) ([]string, error) {
	if verb == "shift" {
		name := strings.Join(args, "/")
		if len(args) > 2 || !strings.Contains(name, "/") {
			return nil, usageError(fmt.Sprintf("shift takes BALANCER SITE, got %q", args))
		}
		return []string{"shift " + name}, nil
	}
	var objects []string
	targets := verb == "register" || verb == "deregister"
	for i := 0; i < len(args); i++ {
		word := args[i]
		if slices.Contains([]string{"group", "pool", "site", "shift"}, word) && i+1 < len(args) {
			i++
			word += " " + args[i]
		} else if targets {
			word = "pool " + word
		}
		if targets && (!strings.HasPrefix(word, "pool ") || !strings.Contains(word, "/")) {
			return nil, usageError(fmt.Sprintf("%s takes POOL/TARGET, got %q", verb, word))
		}
		objects = append(objects, word)
	}
	return objects, nil
}

func (a *administering) say(ctx context.Context, client *status.Client, verb string, args []string, out io.Writer) error {
	objects, err := objectsOf(verb, args)
	if err != nil {
		return err
	}
	if verb == "shift" && a.lasts == 0 {
		return usageError("shift for how long? Say -for, from 1m to 72h")
	}
	o := status.Order{Objects: objects, State: string(adminVerbs[verb]), Reason: a.reason, Author: who(a.author), Force: a.force}
	if a.lasts > 0 {
		o.For = config.FormatDuration(a.lasts)
	}
	said, err := client.Say(ctx, o)
	if err != nil {
		return refusal(err)
	}
	return a.output.print(out, said, func() string { return saidText(said, a.lasts) })
}

func saidText(said status.Said, lasts time.Duration) string {
	var b strings.Builder
	if len(said.Changed) == 0 {
		b.WriteString("nothing had been said of that\n")
	}
	for _, c := range said.Changed {
		fmt.Fprintf(&b, "%s is %s", c.Object, c.State)
		if c.Note != "" {
			fmt.Fprintf(&b, ": %s", c.Note)
		} else if lasts > 0 {
			fmt.Fprintf(&b, " for %s", config.FormatDuration(lasts))
		}
		if c.Before != "" && c.Before != c.State {
			fmt.Fprintf(&b, " (it was %s)", c.Before)
		}
		b.WriteString("\n")
	}
	for _, r := range said.Emptied {
		fmt.Fprintf(&b, "nothing usable is left: %s\n", r)
	}
	return b.String()
}

func (a *administering) failback(ctx context.Context, client *status.Client, groups []string, out io.Writer) error {
	back, err := client.Failback(ctx, status.FailbackOrder{Groups: groups, Reason: a.reason, Author: who(a.author)})
	if err != nil {
		return refusal(err)
	}
	return a.output.print(out, back, func() string {
		var b strings.Builder
		for _, g := range back.Groups {
			what := "kept nothing out"
			if g.Held {
				what = "answers again with what it had kept out"
			}
			fmt.Fprintf(&b, "%s %s\n", g.Group, what)
		}
		return b.String()
	})
}

func (a *administering) list(ctx context.Context, client *status.Client, out io.Writer) error {
	overrides, err := client.Overrides(ctx)
	if err != nil {
		return refusal(err)
	}
	return a.output.print(out, status.Overrides{Overrides: overrides}, func() string { return overridesText(overrides) })
}

func overridesText(overrides []status.Override) string {
	if len(overrides) == 0 {
		return "nothing is said: the Corefile holds\n"
	}
	var b strings.Builder
	aligned(&b, func(table io.Writer) { overridesTable(table, overrides) })
	return b.String()
}

func overridesTable(table io.Writer, overrides []status.Override) {
	fmt.Fprint(table, "object\tstate\tsaid\tends\tby\tis about\treason\n")
	for _, o := range overrides {
		age := time.Duration(o.Age * float64(time.Second))
		ends := "-"
		if o.Until != nil {
			ends = "in " + config.FormatDays(o.Until.Sub(o.Since)-age)
		}
		about := cmp.Or(aboutWhat(o.Matches), "nothing that is there now")
		fmt.Fprintf(table, "%s\t%s\t%s ago\t%s\t%s\t%s\t%s\n", o.Object, o.State, config.FormatDays(age), ends, cmp.Or(o.Author, "-"), about, cmp.Or(o.Reason, "-"))
	}
}

// aboutWhat counts what an override is about.
func aboutWhat(matches []string) string {
	counts := map[string]int{}
	for _, m := range matches {
		switch kind, _, _ := strings.Cut(m, " "); kind {
		case "pool":
			counts["target"]++
		case "balancer":
			counts["site"]++
		default:
			counts["record"]++
		}
	}
	var words []string
	for _, what := range []string{"record", "target", "site"} {
		if n := counts[what]; n > 0 {
			words = append(words, scenario.Count(n, what))
		}
	}
	return strings.Join(words, ", ")
}
