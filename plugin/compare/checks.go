package compare

import (
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// checks writes down what becomes of the checks.
func (c *comparison) checks(x health.Exchange) {
	all := &c.report.Checks
	all.Kept = len(x.Kept)
	all.AttemptsBefore = scenario.RateOf(c.before.world.Checks())
	all.AttemptsAfter = scenario.RateOf(c.after.world.Checks())
	name := c.namer()
	for _, added := range x.Added {
		all.Added = append(all.Added, name(added))
	}
	for _, dropped := range x.Dropped {
		all.Dropped = append(all.Dropped, name(dropped))
	}
	if slices.ContainsFunc(all.Added, func(name string) bool { return slices.Contains(all.Dropped, name) }) {
		c.note("a check that is added and dropped loses its verdict, because the keys of its server block change, or the name of what it is for")
	}
	before, after := c.before.stanzas(), c.after.stanzas()
	for _, s := range x.Changed {
		old, now := s.Before.Probe(), s.After.Probe()
		why := difference(
			keys(append(corefile.ProbeLines(before[old], old), targetLines(old, s.Before.Target())...), c.before.world.Dir()),
			keys(append(corefile.ProbeLines(after[now], now), targetLines(now, s.After.Target())...), c.after.world.Dir()), false)
		if len(why) == 0 && now.Type == config.ProbeCalculated {
			why = []string{"what it counts"}
		} else if len(why) == 0 {
			why = []string{"the files that it names"}
		}
		all.Changed = append(all.Changed, CheckChange{name(s.After), why})
	}
	slices.Sort(all.Added)
	slices.Sort(all.Dropped)
	slices.SortFunc(all.Changed, func(a, b CheckChange) int { return strings.Compare(a.Check, b.Check) })
}

// stanzas finds the stanza of a probe.
func (s *side) stanzas() map[*config.Probe]*config.Stanza {
	out := map[*config.Probe]*config.Stanza{}
	for _, b := range s.blocks {
		for _, stanza := range b.Stanzas {
			for _, p := range stanza.Probes {
				out[p] = stanza
			}
		}
	}
	return out
}

// targetLines are what a check sends that the probe does not say by itself.
func targetLines(p *config.Probe, t probe.Target) []corefile.Line {
	var out []corefile.Line
	if t.Host != "" && p.HTTP.Host == "" {
		out = append(out, corefile.Line{"host", t.Host})
	}
	if t.SNI != "" && p.TLS.SNI == "" {
		out = append(out, corefile.Line{"sni", t.SNI})
	}
	for _, h := range t.Headers {
		out = append(out, corefile.Line{"header", h.Name, h.Value})
	}
	return out
}

// namer returns what names checks: PROBE@TARGET, with the host that it asks for where that does not tell it from others.
func (c *comparison) namer() func(*health.Check) string {
	plain := func(check *health.Check) string {
		if name, made := c.pretended.isMade(check.Target().Address); made {
			return check.Probe().Name + "@targets of " + name
		}
		return check.String()
	}
	twice := map[string]int{}
	for _, s := range []*side{c.before, c.after} {
		here := map[string]int{}
		for _, check := range s.world.Checks() {
			here[plain(check)]++
		}
		for name, n := range here {
			twice[name] = max(twice[name], n)
		}
	}
	return func(check *health.Check) string {
		name := plain(check)
		if host := check.Target().Host; twice[name] > 1 && host != "" {
			name += " (host " + host + ")"
		}
		return name
	}
}
