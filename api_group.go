package healthroute

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// blockGroup is a group in its server block.
type blockGroup struct {
	block *block
	*route.Group
}

// blockRecord is a record in its group.
type blockRecord struct {
	blockGroup
	*route.Record
}

// allGroups are those of all blocks, in the order of declaration.
func (b apiBackend) allGroups() []blockGroup {
	var out []blockGroup
	for _, block := range b.blocks() {
		for _, g := range block.table.Groups() {
			out = append(out, blockGroup{block, g})
		}
	}
	return out
}

// key orders groups by name.
func (g blockGroup) key() string { return g.Name + " " + g.block.key }

// key orders records by group, and there as they were declared.
func (r blockRecord) key() string { return fmt.Sprintf("%s %06d", r.blockGroup.key(), r.Index) }

// callable are the names that people have for a group: each absolute one, with its dot and without, and relative to its zone.
func (g blockGroup) callable() []string {
	var out []string
	for _, name := range g.Names {
		out = append(out, name, strings.TrimSuffix(name, "."))
		if zone := g.block.table.Find(name).Zone; zone != nil {
			out = append(out, config.RelativeName(name, zone.Name))
		}
	}
	return out
}

// Groups are the groups of the newest instance.
func (b apiBackend) Groups(_ context.Context, s status.Selection) (status.Page[status.Group], error) {
	all := b.allGroups()
	chosen := all
	if s.Name != "" {
		chosen = slices.DeleteFunc(slices.Clone(all), func(g blockGroup) bool { return !status.Names(s.Name, g.callable(), "") })
		if len(chosen) == 0 {
			_, p := status.Find("group "+s.Name, knownGroups(all))
			return status.Page[status.Group]{}, noSuch(p)
		}
	}
	return status.Cut(s, chosen, blockGroup.key, showGroup), nil
}

// Records are the records of all groups.
func (b apiBackend) Records(_ context.Context, s status.Selection) (status.Page[status.Record], error) {
	var chosen []blockRecord
	named := false
	for _, g := range b.allGroups() {
		names := g.callable()
		for _, r := range g.Records {
			if s.Name != "" && !status.Names(s.Name, names, r.ID) {
				continue
			}
			named = true
			if (s.Site == "" || strings.EqualFold(s.Site, r.Site)) && (s.Health == "" || s.Health == g.Health(r).String()) {
				chosen = append(chosen, blockRecord{g, r})
			}
		}
	}
	if s.Name != "" && !named {
		_, p := status.Find("group "+s.Name, knownGroups(b.allGroups()))
		return status.Page[status.Record]{}, noSuch(p)
	}
	return status.Cut(s, chosen, blockRecord.key, func(r blockRecord) status.Record { return showRecord(r, sharesOf(r.Group)) }), nil
}

func showGroup(g blockGroup) status.Group {
	out := status.Group{
		Group: g.Name, Names: g.Names, Block: g.block.key, Policy: string(g.Policy), State: string(g.block.table.State(g.Group)), Hidden: g.Hidden,
		TTL: g.TTL, LastResort: string(g.LastResort), Override: overrideOf(health.GroupObject(g.Name, "")), Types: []status.TypeState{},
		Records: []status.Record{},
	}
	for _, s := range g.View().Sets() {
		usable, eligible := s.Counts()
		out.Types = append(out.Types, status.TypeState{
			Type: dns.Type(s.Type).String(), Usable: usable, Eligible: eligible, LastResort: s.LastResort, ShowsAll: s.ShowsAll, ByClient: s.NeedsClient(),
		})
		out.HeldOut = out.HeldOut || s.HeldOut()
	}
	shares := sharesOf(g.Group)
	for _, r := range g.Records {
		out.Records = append(out.Records, showRecord(blockRecord{g, r}, shares))
	}
	return out
}

// shares are, by type, the exact parts of answers that records stand in. Types whose answer depends on who asks are not there.
type shares map[string]map[*route.Record]string

func sharesOf(g *route.Group) shares {
	out := shares{}
	for _, s := range g.View().Sets() {
		if s.NeedsClient() {
			continue
		}
		parts := s.Shares(&route.Query{Rand: chance{}, Now: time.Now})
		if usable, _ := s.Counts(); parts == nil && usable > 0 {
			continue // there are too many choices to tell
		}
		of := map[*route.Record]string{}
		for _, c := range s.Candidates {
			of[c.Record] = "0"
		}
		for _, p := range parts {
			of[p.Candidate.Record] = p.Part.RatString()
		}
		out[dns.Type(s.Type).String()] = of
	}
	return out
}

func showRecord(r blockRecord, parts shares) status.Record {
	out := status.Record{
		Group: r.blockGroup.Name, Record: r.ID, Block: r.block.key, Values: []string{}, Alias: r.Target(), Site: r.Site, Admin: string(r.Admin()),
		Override: overrideOf(health.GroupObject(r.blockGroup.Name, r.ID)), Health: r.Health(r.Record).String(), Shares: parts.of(r.Record),
		Checks: refs(r.Checks()),
	}
	for _, rr := range r.Values() {
		out.Values = append(out.Values, dns.Type(rr.Header().Rrtype).String()+" "+answer.Data(rr))
	}
	if r.Admin() == health.Enabled {
		out.Since, out.Reason = lastWord(r.Checks())
		return out
	}
	out.Reason = reasonOf(out.Override, out.Admin, r.why)
	return out
}

// lastWord is since when the check that decides has its health, and what it saw last.
func lastWord(checks []*health.Check) (*time.Time, string) {
	c := deciding(checks)
	if c == nil {
		return nil, ""
	}
	state, p := c.State(), c.Probe()
	if p.Type == config.ProbePush {
		return unlessZero(state.Since), lastPush(p, state)
	}
	if state.Status == health.Unhealthy && state.Last.Outcome == probe.Pass && !state.LastAt.IsZero() {
		return unlessZero(state.Since), "passes again, not often enough yet"
	}
	return unlessZero(state.Since), state.Last.Reason
}

// lastPush is what a pushed check was told last, or since when it is missing.
func lastPush(p *config.Probe, state health.State) string {
	age := time.Since(state.LastAt)
	switch {
	case state.LastAt.IsZero():
		return "nothing was pushed"
	case age >= p.Push.MaxAge:
		return "nothing was pushed for " + config.FormatDays(age)
	}
	return state.Last.Reason
}

// deciding is the check that decides the health of what any of the checks is enough for: of those whose health it has, the one that had it first if it
// works, and last if it does not; nil without checks.
func deciding(checks []*health.Check) *health.Check {
	best := health.Best(checks)
	var found *health.Check
	for _, c := range checks {
		s := c.State()
		if s.Status != best {
			continue
		}
		if found == nil || s.Since.Before(found.State().Since) == (best == health.Healthy) {
			found = c
		}
	}
	return found
}

// overrideOf is what an operator said of the object, nil for nothing.
func overrideOf(o health.Object) *status.Override {
	v, ok := admin.Override(o)
	if !ok {
		return nil
	}
	return &status.Override{
		Object: o.String(), State: string(v.State), Reason: v.Reason, Author: v.Author, Since: v.Since.UTC(), Age: time.Since(v.Since).Seconds(),
		Until: unlessZero(v.Until), Matches: []string{},
	}
}

// noSuch is the problem of a name that nothing has, as an error.
func noSuch(p *status.Problem) error {
	if p == nil { // it has come meanwhile
		return context.Canceled
	}
	return p
}
