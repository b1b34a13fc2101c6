package healthroute

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/status"
)

// allChecks are those of all blocks, each once.
func (b apiBackend) allChecks() []*health.Check {
	var out []*health.Check
	seen := map[*health.Check]bool{}
	for _, block := range b.blocks() {
		for _, c := range block.lease.Checks() {
			if !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// ref names a check.
func ref(c *health.Check) status.CheckRef {
	return status.CheckRef{ID: c.ID(), Check: c.String(), Health: c.State().Status.String()}
}

func refs(checks []*health.Check) []status.CheckRef {
	out := make([]status.CheckRef, len(checks))
	for i, c := range checks {
		out[i] = ref(c)
	}
	return out
}

// called reports whether a word names the check.
func called(word string, c *health.Check) bool {
	return status.Names(word, []string{c.ID(), c.String()}, "")
}

// Checks are the checks of the newest instance.
func (b apiBackend) Checks(_ context.Context, s status.Selection) (status.Page[status.Check], error) {
	all := b.allChecks()
	var chosen []*health.Check
	named := s.Name == ""
	for _, c := range all {
		if s.Name != "" && !called(s.Name, c) {
			continue
		}
		named = true
		if s.Health == "" || s.Health == c.State().Status.String() {
			chosen = append(chosen, c)
		}
	}
	if !named {
		return status.Page[status.Check]{}, noCheck(s.Name, all)
	}
	return status.Cut(s, chosen, func(c *health.Check) string { return c.String() + " " + c.ID() }, showCheck), nil
}

// noCheck says that no check has the name.
func noCheck(name string, all []*health.Check) *status.Problem {
	var names []string
	for _, c := range all[:min(len(all), 10_000)] { // nobody waits for more to be compared
		names = append(names, c.String())
	}
	return &status.Problem{
		Status: http.StatusNotFound, Message: fmt.Sprintf("no check is called %q", name),
		Expected: "PROBE@TARGET or the id of a check, with * and ? or without", Nearest: config.Nearest(name, names),
	}
}

func showCheck(c *health.Check) status.Check {
	state, p, target := c.State(), c.Probe(), c.Target()
	out := status.Check{
		ID: c.ID(), Check: c.String(), Probe: p.Name, Type: string(p.Type), Target: c.TargetString(), Host: target.Host, SNI: target.SNI,
		Health: state.Status.String(), Usable: state.Usable, Since: state.Since.UTC(), Passes: state.Counter.Passes, Fails: state.Counter.Fails,
		Next: unlessZero(state.Next), Last: []status.Attempt{},
	}
	if state.Expires != 0 {
		out.Expires = unlessZero(time.Unix(state.Expires, 0))
	}
	for _, a := range slices.Backward(c.History()) {
		out.Last = append(out.Last, showAttempt(a))
	}
	if len(out.Last) == 0 && !state.LastAt.IsZero() { // told or counted
		out.Last = append(out.Last, showAttempt(health.Attempt{EndedAt: state.LastAt, Result: state.Last}))
	}
	return out
}

func showAttempt(a health.Attempt) status.Attempt {
	out := status.Attempt{At: a.EndedAt.UTC(), Outcome: a.Result.Outcome.String(), Reason: a.Result.Reason, Duration: a.Result.Duration.Seconds()}
	if a.Result.Cause != probe.NoCause {
		out.Cause = a.Result.Cause.String()
	}
	for _, step := range probe.Steps() {
		if took, finished := a.Result.Times.Of(step); finished {
			if out.Steps == nil {
				out.Steps = map[string]float64{}
			}
			out.Steps[step.String()] = took.Seconds()
		}
	}
	return out
}

// Push tells the checks of a push probe what they are.
func (b apiBackend) Push(_ context.Context, p status.Pushed, _ status.By) (status.Reached, error) {
	var pushed []*health.Check
	var names []string
	untold := false // a probe of another type has the name
	for _, c := range b.allChecks() {
		d := c.Probe()
		switch {
		case d.Type == config.ProbePush && strings.EqualFold(d.Name, p.Probe):
			pushed = append(pushed, c)
		case d.Type == config.ProbePush:
			names = append(names, d.Name)
		case strings.EqualFold(d.Name, p.Probe):
			untold = true
		}
	}
	switch {
	case len(pushed) > 0:
	case untold:
		return status.Reached{}, &status.Problem{
			Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("probe %q is told nothing", p.Probe), Expected: "a probe of type push",
		}
	default:
		return status.Reached{}, &status.Problem{
			Status: http.StatusNotFound, Message: fmt.Sprintf("no record uses a push probe %q", p.Probe), Expected: "the name of one that is used",
			Nearest: config.Nearest(p.Probe, names),
		}
	}
	outcome, at := probe.Fail, time.Now()
	if p.Health == health.Healthy.String() {
		outcome = probe.Pass
	}
	if p.At != nil {
		at = *p.At
	}
	engine.Push(p.Probe, outcome, at, p.Reason)
	return status.Reached{Checks: refs(pushed)}, nil
}

// Attempt makes attempts at once, of all checks that are named or of none.
func (b apiBackend) Attempt(_ context.Context, o status.AttemptOrder, _ status.By) (status.Reached, error) {
	all := b.allChecks()
	chosen := map[*health.Check]bool{}
	for _, name := range o.Checks {
		found := slices.DeleteFunc(slices.Clone(all), func(c *health.Check) bool { return !called(name, c) })
		if len(found) == 0 {
			return status.Reached{}, noCheck(name, all)
		}
		for _, c := range found {
			chosen[c] = true
		}
	}
	made := slices.DeleteFunc(all, func(c *health.Check) bool { return !chosen[c] || !engine.AttemptNow(c) })
	if len(made) == 0 {
		return status.Reached{}, &status.Problem{
			Status: http.StatusUnprocessableEntity, Message: "none of these checks makes attempts now",
			Expected: "checks that are neither told nor counted, of records that are not taken out",
		}
	}
	return status.Reached{Checks: refs(made)}, nil
}
