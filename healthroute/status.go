package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/healthroute/healthroute/plugin/scenario"
	"github.com/healthroute/healthroute/plugin/status"
)

const statusDetails = `It asks a running server. Without NAME it prints all groups with their records: health, since when, what part of answers each
record stands in, and the reason of the check that decides. With NAME, a group by its name or with * and ?, it prints those groups, what
stands behind their aliases, and the last attempts of their checks.

` + apiDetails

// showing is the command status with its flags.
type showing struct{ calling }

func statusCommand(flags *flag.FlagSet) runner {
	var s showing
	s.declare(flags)
	return s.run
}

// shown is what status prints. Field names are stable.
type shown struct {
	Server status.State   `json:"server"`
	Groups []status.Group `json:"groups"`
	Pools  []status.Pool  `json:"pools,omitempty"`
	Checks []status.Check `json:"checks,omitempty"` // with NAME: those of the groups
	name   string
}

func (s *showing) run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 1 {
		return usageError(fmt.Sprintf("expected at most one NAME, got %q", args))
	}
	client, err := s.client()
	if err != nil {
		return err
	}
	defer client.Close()
	x := shown{name: append(args, "")[0]}
	if x.Server, err = client.State(ctx); err != nil {
		return refusal(err)
	}
	if x.Groups, err = client.Groups(ctx, x.name); err != nil {
		return refusal(err)
	}
	if x.name == "" {
		if x.Pools, err = client.Pools(ctx, ""); err != nil {
			return refusal(err)
		}
		return s.output.print(out, x, x.text)
	}
	if err := x.addBehind(ctx, client); err != nil {
		return err
	}
	if err := x.addChecks(ctx, client); err != nil {
		return err
	}
	return s.output.print(out, x, x.text)
}

// addBehind adds the groups behind aliases, each once.
func (x *shown) addBehind(ctx context.Context, client *status.Client) error {
	for i := 0; i < len(x.Groups); i++ {
		for _, r := range x.Groups[i].Records {
			if r.Alias == "" || len(r.Values) > 0 || slices.ContainsFunc(x.Groups, func(g status.Group) bool { return g.Group == r.Alias }) {
				continue
			}
			behind, err := client.Groups(ctx, r.Alias)
			if err != nil {
				return refusal(err)
			}
			x.Groups = append(x.Groups, behind...)
		}
	}
	return nil
}

// addChecks adds the checks of the groups, each once.
func (x *shown) addChecks(ctx context.Context, client *status.Client) error {
	seen := map[string]bool{}
	for _, g := range x.Groups {
		for _, r := range g.Records {
			for _, ref := range r.Checks {
				if seen[ref.ID] {
					continue
				}
				seen[ref.ID] = true
				checks, err := client.Checks(ctx, ref.ID)
				if err != nil {
					return refusal(err)
				}
				x.Checks = append(x.Checks, checks...)
			}
		}
	}
	return nil
}

// countWords are how many checks have each health, in an order that begins with what works.
func countWords(checks map[string]int) []string {
	var out []string
	for _, word := range []string{"healthy", "unhealthy", "checking", "stopped"} {
		if n := checks[word]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, word))
		}
	}
	return out
}

// total is the number of checks.
func total(checks map[string]int) string {
	sum := 0
	for _, n := range checks {
		sum += n
	}
	return scenario.Count(sum, "check")
}
