package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// comparison is under way.
type comparison struct {
	before, after *side
	pretended     *pretended
	report        Report
	zones         map[[2]*config.Stanza][]string // what is declared otherwise for a whole stanza
	index         map[string]int                 // where the report has a change that several names share
}

// Worlds compares two Corefiles, each in a world at time 0. It uses the worlds up: every check in them is healthy afterwards.
func Worlds(before, after *scenario.World) Report {
	c := &comparison{
		before: newSide(before), after: newSide(after), pretended: newPretended(),
		zones: map[[2]*config.Stanza][]string{}, index: map[string]int{},
		report: Report{
			ServerBlocks: []Part{}, Zones: []Part{}, Answers: []Answer{}, Declared: []Part{}, Filters: []Part{}, Unusable: []Unusable{}, Notes: []string{},
			Checks: Checks{Added: []string{}, Changed: []CheckChange{}, Dropped: []string{}},
		},
	}
	for _, w := range []*scenario.World{before, after} {
		w.Pretend(c.pretended.of)
		w.Discover()
	}
	c.pairStanzas()
	x := health.Compare(c.before.leases(), c.after.leases())
	c.checks(x)
	heal(before, before.Checks())
	heal(after, x.Kept)
	for _, s := range x.Changed {
		heal(after, []*health.Check{s.After})
	}
	starting := unusable(c.after)
	heal(after, after.Checks())
	c.unusable(starting)
	c.serverBlocks()
	c.compareZones()
	c.names()
	c.filters()
	return c.report
}

// heal makes checks healthy that are not; what is fixed by `assume`, or counted from others, stays.
func heal(w *scenario.World, checks []*health.Check) {
	for _, c := range checks {
		if c.State().Status != health.Healthy {
			w.Force(c, health.Healthy)
		}
	}
}

func (c *comparison) note(text string) {
	if !slices.Contains(c.report.Notes, text) {
		c.report.Notes = append(c.report.Notes, text)
	}
}

// pairStanzas finds which stanzas take whose place, so that probes of the same definition go by one name.
func (c *comparison) pairStanzas() {
	for _, d := range doorsOf(c.before, c.after) {
		for _, zone := range c.zonesOf(d) {
			if old, now := c.before.find(d, zone), c.after.find(d, zone); old.stanza() != nil && now.stanza() != nil {
				c.after.rename(now.stanza(), old.stanza())
			}
		}
	}
}

// zonesOf are the zones of both sides behind a door.
func (c *comparison) zonesOf(d door) []string {
	var out []string
	for _, s := range []*side{c.before, c.after} {
		for _, b := range s.blocks {
			for _, z := range b.Table.Zones() {
				at, there := s.block(d, z.Name)
				if there && at.Table == b.Table && !slices.Contains(out, z.Name) {
					out = append(out, z.Name)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// serverBlocks lists keys that only one side has.
func (c *comparison) serverBlocks() {
	for _, d := range doorsOf(c.before, c.after) {
		var added, dropped []string
		for zone := range c.after.doors[d] {
			if _, had := c.before.doors[d][zone]; !had {
				added = append(added, c.label(d, zone))
			}
		}
		for zone := range c.before.doors[d] {
			if _, has := c.after.doors[d][zone]; !has {
				dropped = append(dropped, c.label(d, zone))
			}
		}
		for change, names := range map[Change][]string{Added: added, Dropped: dropped} {
			if len(names) > 0 {
				slices.Sort(names)
				c.report.ServerBlocks = append(c.report.ServerBlocks, Part{Names: names, Change: change, Why: []string{}})
			}
		}
	}
	slices.SortStableFunc(c.report.ServerBlocks, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.Names[0], b.Names[0]), cmp.Compare(a.Change, b.Change))
	})
}

// compareZones lists zones that only one side has, and what is said for all of a zone.
func (c *comparison) compareZones() {
	for _, d := range doorsOf(c.before, c.after) {
		for _, zone := range c.zonesOf(d) {
			old, now := c.before.find(d, zone), c.after.find(d, zone)
			part := Part{Names: []string{c.label(d, zone)}, Why: []string{}}
			has := func(f found) bool { return f.Zone != nil && f.Zone.Name == zone }
			switch {
			case !has(old):
				part.Change = Added
			case !has(now):
				part.Change = Dropped
			default:
				part.Change, part.Why = Changed, c.stanzas(old.stanza(), now.stanza())
				if len(part.Why) == 0 {
					continue
				}
			}
			c.report.Zones = merge(c.report.Zones, part)
		}
	}
}

// stanzas tells what two stanzas say otherwise for all of their zones.
func (c *comparison) stanzas(old, now *config.Stanza) []string {
	pair := [2]*config.Stanza{old, now}
	why, known := c.zones[pair]
	if !known {
		why = difference(c.before.keys(old, corefile.StanzaLines(old)), c.after.keys(now, corefile.StanzaLines(now)), false)
		why = append(why, contents(old, now)...)
		c.zones[pair] = why
	}
	return why
}

// merge adds a part, or its names to one that says the same.
func merge(parts []Part, p Part) []Part {
	for i, other := range parts {
		if other.Change == p.Change && slices.Equal(other.Why, p.Why) && slices.Equal(other.Types, p.Types) {
			parts[i].Names = slices.Concat(other.Names, p.Names)
			return parts
		}
	}
	return append(parts, p)
}

// filters compares what is declared for answers of later plugins.
func (c *comparison) filters() {
	type declared struct {
		stanza *config.Stanza
		filter *config.Filter
	}
	of := func(s *side) map[string]declared {
		out := map[string]declared{}
		for _, b := range s.blocks {
			for _, stanza := range b.Stanzas {
				for _, f := range stanza.Filters {
					for _, name := range f.Names {
						for _, key := range b.Keys {
							listener, zone := scenario.SplitKey(key)
							if config.IsBelow(name, zone) {
								out[c.label(door{listener: listener}, name)] = declared{stanza, f}
							}
						}
					}
				}
			}
		}
		return out
	}
	before, after := of(c.before), of(c.after)
	var names []string
	for name := range before {
		names = append(names, name)
	}
	for name := range after {
		if _, had := before[name]; !had {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, strings.Compare)
	for _, name := range names {
		old, had := before[name]
		now, has := after[name]
		part := Part{Names: []string{name}, Why: []string{}}
		switch {
		case !had:
			part.Change = Added
		case !has:
			part.Change = Dropped
		default:
			part.Change = Changed
			part.Why = difference(c.before.keys(old.stanza, corefile.FilterLines(old.stanza, old.filter)),
				c.after.keys(now.stanza, corefile.FilterLines(now.stanza, now.filter)), false)
			if len(part.Why) == 0 {
				continue
			}
		}
		c.report.Filters = merge(c.report.Filters, part)
	}
}
