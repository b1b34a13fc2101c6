package route

import (
	"fmt"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// Probers makes the probers of a stanza's probes, in their order.
func Probers(s *config.Stanza) (map[*config.Probe]*probe.Prober, error) {
	out := make(map[*config.Probe]*probe.Prober, len(s.Probes))
	for _, p := range s.Probes {
		prober, err := probe.New(p)
		if err != nil {
			return nil, fmt.Errorf("%s: probe %q: %w", p.Places.Own, p.Name, err)
		}
		out[p] = prober
	}
	return out, nil
}

// Compile fills the table with the stanzas of one server block, once and before it is asked. Each stanza must be
// valid by itself, and all of them together (config.ValidateTogether). The checks come from checks, the probers
// from Probers. Changed may be called from the first check on: it waits until the views are there.
func (t *Table) Compile(stanzas []*config.Stanza, probers map[*config.Probe]*probe.Prober, checks Checker) error {
	t.adminMu.Lock()
	defer t.adminMu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.checks = checks
	for _, s := range stanzas {
		for _, name := range s.Zones {
			z := &Zone{Name: name, Stanza: s}
			t.zones = append(t.zones, z)
			t.byName[name] = z
		}
	}
	for _, z := range t.zones {
		if outer := t.zoneOf(parentOf(z.Name)); outer != nil && outer != z {
			t.enterAncestors(outer, z.Name)
		}
	}
	for _, s := range stanzas {
		first := len(t.groups)
		if err := t.compileStanza(s, probers, checks); err != nil {
			return err
		}
		t.calculate(s, t.groups[first:], probers, checks)
		t.compileFilters(s, probers)
		for _, name := range s.Canary {
			t.canaries = append(t.canaries, targetCheck(s, s.Probe(name), probers, checks))
		}
	}
	for _, c := range t.canaries {
		t.refs[c]++
	}
	t.enterBeside()
	t.markCuts()
	t.index()
	for _, g := range t.groups {
		t.takeAdmin(g)
		for _, c := range g.checks() {
			t.refs[c]++
		}
	}
	for _, p := range t.pools {
		t.takeTargets(p)
	}
	wanted := t.wantedBy(slices.Values(t.Choosers()))
	for c := range t.byCheck {
		if !wanted[c] {
			checks.Want(c, false)
		}
	}
	inner := slices.Concat(t.balancers, t.groups)
	slices.SortStableFunc(inner, func(a, b *Group) int { return a.level - b.level })
	for _, g := range inner {
		t.rebuild(g)
	}
	return nil
}

// compileStanza makes the groups of a stanza, ties aliases to their targets, and enters the names.
func (t *Table) compileStanza(s *config.Stanza, probers map[*config.Probe]*probe.Prober, checks Checker) error {
	first := len(t.groups)
	for _, declared := range declaredGroups(s) {
		g, err := compileGroup(s, declared, probers, checks)
		if err != nil {
			return err
		}
		t.groups = append(t.groups, g)
	}
	groups := t.groups[first:]
	if err := t.compileBalancers(s, groups, probers); err != nil {
		return err
	}
	if err := link(groups); err != nil {
		return err
	}
	for _, g := range groups {
		for _, c := range g.checks() {
			t.byCheck[c] = append(t.byCheck[c], g)
		}
		if !g.Hidden {
			t.enterGroup(g)
		}
	}
	return nil
}

// enterGroup makes the group answer for its names.
func (t *Table) enterGroup(g *Group) {
	for _, name := range g.Names {
		e := t.enter(t.zoneOf(name), name)
		e.Members = append(e.Members, g)
	}
}

// declaredGroups are the stanza's groups, and one for each name server whose addresses we answer.
func declaredGroups(s *config.Stanza) []*config.Group {
	groups := slices.Clone(s.Groups)
	for _, ns := range s.Nameservers {
		if len(ns.Addresses) == 0 || s.ZoneOf(ns.Name) == "" {
			continue
		}
		groups = append(groups, s.NameserverGroup(ns))
	}
	return groups
}

// compileGroup makes a group with its records; what its aliases stand for comes later (link).
func compileGroup(s *config.Stanza, declared *config.Group, probers map[*config.Probe]*probe.Prober, checks Checker) (*Group, error) {
	g := &Group{
		Name: declared.Names[0], Names: declared.Names, Config: declared,
		Policy: declared.Policy, TTL: uint32(declared.TTL.Seconds()), LastResort: declared.LastResort, Hidden: declared.Hidden,
		preset: declared.Preset, max: declared.Max, together: declared.FamiliesTogether, strict: declared.Strict,
		minTTL: declared.MinTTL, hold: declared.Hold, ramp: declared.Ramp, failbackManual: declared.FailbackManual, now: checks.Now,
		disabled: declared.Disabled, sticky: declared.Sticky, minHealthy: declared.MinHealthy,
	}
	for _, name := range declared.Names {
		if zone := s.ZoneOf(name); !slices.Contains(g.origins, zone) {
			g.origins = append(g.origins, zone)
		}
	}
	for i, r := range declared.Records {
		p := s.Probe(r.Probe)
		compiled, err := compileRecord(declared, i, g.origins, p, probers[p], s.Zones[0], checks)
		if err != nil {
			return nil, err
		}
		g.Records = append(g.Records, compiled)
	}
	if declared.LastResort == config.LastResortAlias {
		g.sorry = &Record{
			ID: declared.Sorry[0], Index: -1, Config: &config.Record{Alias: &config.Alias{Group: declared.Sorry}}, origins: g.origins,
			alias: &alias{},
		}
	}
	g.overrides = newOverrideTable(declared.Overrides, g.Records)
	return g, nil
}

// enter makes the entry of a name, and those of the empty non-terminals between it and the apex.
func (t *Table) enter(zone *Zone, name string) *Entry {
	e, ok := t.entries[name]
	if !ok {
		e = &Entry{Name: name, Zone: zone}
		t.entries[name] = e
	}
	t.enterAncestors(zone, name)
	return e
}

// enterAncestors makes the names between a name and the apex exist, at least as empty non-terminals.
func (t *Table) enterAncestors(zone *Zone, name string) {
	for name != zone.Name {
		name = parentOf(name)
		above, ok := t.entries[name]
		if !ok {
			above = &Entry{Name: name, Zone: zone}
			t.entries[name] = above
		}
		above.Below = true
	}
}
