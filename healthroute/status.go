package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/scenario"
	"github.com/healthroute/healthroute/plugin/status"
)

const statusDetails = `It asks a running server. Without NAME it prints all groups with their records: health, since when, what part of answers each
record stands in, and the reason of the check that decides; then balancers with their sites, and pools with their targets, of a large pool only those
that are out of the ordinary. With NAME, a group, a pool or a balancer by its name or with * and ?, it prints those, what stands behind their aliases,
and the last attempts of their checks. "pool NAME" and "balancer NAME" are no groups.

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
	Server    status.State      `json:"server"`
	Groups    []status.Group    `json:"groups"`
	Balancers []status.Balancer `json:"balancers,omitempty"`
	Pools     []status.Pool     `json:"pools,omitempty"`
	Checks    []status.Check    `json:"checks,omitempty"` // with NAME: those of the groups and pools
	name      string
}

// kindsShown are the words that may stand before a name.
var kindsShown = []string{"group", "pool", "balancer"}

func (s *showing) run(ctx context.Context, args []string, out io.Writer) error {
	kind := ""
	if len(args) == 2 && slices.Contains(kindsShown, args[0]) {
		kind, args = args[0], args[1:]
	}
	if len(args) > 1 {
		return usageError(fmt.Sprintf("expected at most one NAME, be it with %s before it, got %q", config.OneOf(kindsShown), args))
	}
	client, err := s.client()
	if err != nil {
		return err
	}
	defer client.Close()
	x := shown{Groups: []status.Group{}, name: append(args, "")[0]}
	if x.Server, err = client.State(ctx); err != nil {
		return refusal(err)
	}
	if err := x.find(ctx, client, kind); err != nil {
		return refusal(err)
	}
	if x.name == "" {
		return s.output.print(out, x, x.text)
	}
	if err := x.addBehind(ctx, client); err != nil {
		return refusal(err)
	}
	if err := x.addChecks(ctx, client); err != nil {
		return refusal(err)
	}
	return s.output.print(out, x, x.text)
}

// find asks for what has the name, of any kind or of the one; without a name it is everything.
func (x *shown) find(ctx context.Context, client *status.Client, kind string) error {
	found := false
	var missing error // what the API says of a name that nothing of a kind has
	for _, of := range []struct {
		kind string
		read func() error
	}{
		{"group", func() error { return x.addGroups(ctx, client, x.name) }},
		{"pool", func() error { return x.addPools(ctx, client, x.name) }},
		{"balancer", func() error { return x.addBalancers(ctx, client, x.name) }},
	} {
		if kind != "" && kind != of.kind {
			continue
		}
		var p *status.Problem
		switch err := of.read(); {
		case err == nil:
			found = true
		case !errors.As(err, &p) || p.Status != http.StatusNotFound:
			return err
		case missing == nil || p.Nearest != "":
			missing = err
		}
	}
	if found {
		return nil
	}
	return missing
}

func (x *shown) addGroups(ctx context.Context, client *status.Client, name string) error {
	groups, err := client.Groups(ctx, name)
	x.Groups = union(x.Groups, groups, func(g status.Group) string { return g.Group + " " + g.Block })
	return err
}

func (x *shown) addPools(ctx context.Context, client *status.Client, name string) error {
	pools, err := client.Pools(ctx, name)
	x.Pools = union(x.Pools, pools, func(p status.Pool) string { return p.Pool + " " + p.Block + " " + p.Zone })
	return err
}

func (x *shown) addBalancers(ctx context.Context, client *status.Client, name string) error {
	balancers, err := client.Balancers(ctx, name)
	x.Balancers = union(x.Balancers, balancers, func(b status.Balancer) string { return b.Balancer + " " + b.Block + " " + b.Zone })
	return err
}

// union adds those of more that are not there yet.
func union[T any](all, more []T, key func(T) string) []T {
	for _, m := range more {
		if !slices.ContainsFunc(all, func(a T) bool { return key(a) == key(m) }) {
			all = append(all, m)
		}
	}
	return all
}

// addBehind adds the groups, balancers and pools behind aliases, and what answers from pools.
func (x *shown) addBehind(ctx context.Context, client *status.Client) error {
	for i := 0; i < len(x.Groups); i++ {
		for _, r := range x.Groups[i].Records {
			add, name := x.addGroups, r.Alias
			if kind, of, ok := strings.Cut(r.Alias, " "); ok && (kind == "pool" || kind == "balancer") {
				add, name = x.addBalancers, of
			}
			if name == "" || len(r.Values) > 0 {
				continue
			}
			if err := add(ctx, client, name); err != nil {
				return err
			}
		}
	}
	for _, p := range x.Pools {
		for _, name := range p.Balancers {
			if err := x.addBalancers(ctx, client, name); err != nil {
				return err
			}
		}
	}
	for _, b := range x.Balancers {
		for _, name := range b.Pools {
			if err := x.addPools(ctx, client, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// fewChecks are asked for one by one.
const fewChecks = 20

// addChecks adds the checks of what is shown, each once.
func (x *shown) addChecks(ctx context.Context, client *status.Client) error {
	var ids []string
	wanted := map[string]bool{}
	want := func(refs []status.CheckRef) {
		for _, ref := range refs {
			if !wanted[ref.ID] {
				wanted[ref.ID] = true
				ids = append(ids, ref.ID)
			}
		}
	}
	for _, g := range x.Groups {
		for _, r := range g.Records {
			want(r.Checks)
		}
	}
	for _, b := range x.Balancers {
		for _, s := range b.Sites {
			want(s.Checks)
		}
	}
	for _, p := range x.Pools {
		for _, t := range p.Targets {
			want(t.Checks)
		}
	}
	if len(ids) > fewChecks {
		all, err := client.Checks(ctx, "")
		x.Checks = slices.DeleteFunc(all, func(c status.Check) bool { return !wanted[c.ID] })
		return err
	}
	for _, id := range ids {
		checks, err := client.Checks(ctx, id)
		if err != nil {
			return err
		}
		x.Checks = append(x.Checks, checks...)
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
