package route

import (
	"net/netip"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// overrideTable is the `override` lines of a group, which do not change: which clients get which record before the policy is asked
// (spec 4.9).
type overrideTable struct {
	records *locate.Map[int] // by client network: index of the record
	regions *locate.Regions[int]
}

func newOverrideTable(overrides []config.Override, records []*Record) *overrideTable {
	if len(overrides) == 0 {
		return nil
	}
	var entries []locate.Entry[int]
	for _, o := range overrides {
		for _, r := range records {
			if !strings.EqualFold(r.ID, o.Use) {
				continue
			}
			for _, from := range o.From {
				for _, p := range from.Prefixes() {
					entries = append(entries, locate.Entry[int]{Prefix: p, Value: r.Index})
				}
			}
		}
	}
	m := locate.NewMap(entries)
	return &overrideTable{records: m, regions: m.Regions()}
}

// override is the table at one instant.
type override struct {
	table  *overrideTable
	chosen map[int]*Candidate // the records that may stand in now, by index
	scopes *locate.Scopes
}

// prepareOverride keeps the records that may stand in: the usable ones and, where the group's own method ignores health too, those that are
// not (T-168).
func prepareOverride(g *Group, candidates []*Candidate) *override {
	if g.overrides == nil {
		return nil
	}
	ignoresHealth := g.Policy == config.PolicyGeo && g.preset == config.PresetTrafficManager
	o := &override{table: g.overrides, chosen: map[int]*Candidate{}}
	for _, c := range candidates {
		if c.Standing == Usable || ignoresHealth && c.Standing == Unusable {
			o.chosen[c.Record.Index] = c
		}
	}
	o.scopes = g.overrides.regions.Merge(func(record int, matched bool) int {
		if !matched || o.chosen[record] == nil {
			return -1
		}
		return record
	})
	return o
}

// choose returns the record that stands in for the client, or no record.
func (o *override) choose(q *Query) Choice {
	c, prefix := o.at(q.Client.Network)
	if c == nil {
		return Choice{}
	}
	return Choice{One: c, Reason: "override for " + prefix.String(), By: ByOverride, Scope: o.scope(q)}
}

// at is the record that stands in for a network, nil if none does.
func (o *override) at(network netip.Prefix) (*Candidate, netip.Prefix) {
	record, prefix, ok := o.table.records.Lookup(network)
	if !ok {
		return nil, prefix
	}
	return o.chosen[record], prefix
}

func (o *override) scope(q *Query) int {
	network := q.Client.Network
	return o.scopes.Around(network, func(address netip.Prefix) bool {
		here, _ := o.at(network)
		there, _ := o.at(address)
		return here != there
	})
}
