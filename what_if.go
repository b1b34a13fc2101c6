package healthroute

import (
	"cmp"
	"maps"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// emptied returns the groups that would have nothing usable left, or nothing that is at least eligible, if operators said what change says, and what they
// would answer. The tables are compiled once more for that, on the same checks: so it is the server's own code that says what would be, with aliases and
// everything else that one record's state means for another group.
func (b apiBackend) emptied(change func(*health.Admin)) ([]status.Remainder, error) {
	said := admin.WhatIf()
	change(said)
	out := []status.Remainder{}
	for _, block := range b.blocks() {
		after := route.NewTable(unseen{}, said)
		after.Beside(slices.Sorted(maps.Keys(block.beside)))
		if err := after.Compile(block.stanzas, block.probers, block.lease.Onlooker()); err != nil {
			return nil, err
		}
		after.Mirror(block.table)
		names := answer.NewNames(after, health.RealClock{}, nil)
		names.Inherit(block.names)
		names.Stop()
		for i, g := range block.table.Groups() {
			for _, r := range emptiedTypes(g, after.Groups()[i]) {
				if !slices.ContainsFunc(out, func(o status.Remainder) bool { return o.Group == r.Group && o.Type == r.Type }) {
					out = append(out, r)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(x, y status.Remainder) int { return cmp.Compare(x.Group, y.Group) })
	return out, nil
}

// emptiedTypes compares a group with itself as it would be.
func emptiedTypes(before, after *route.Group) []status.Remainder {
	var out []status.Remainder
	for i, s := range after.View().Sets() {
		usable, eligible := s.Counts()
		usableBefore, eligibleBefore := before.View().Sets()[i].Counts()
		if usable > 0 || usableBefore == 0 && (eligible > 0 || eligibleBefore == 0) {
			continue
		}
		r := status.Remainder{Group: after.Name, Type: dns.Type(s.Type).String(), LastResort: string(after.LastResort), Answers: []string{}}
		for _, c := range s.Rest() {
			r.Answers = append(r.Answers, c.Record.ID)
		}
		out = append(out, r)
	}
	return out
}

// unseen is a table's observer that tells nobody.
type unseen struct{}

// LastResort is route.Observer's.
func (unseen) LastResort(*route.Group, uint16, bool) {}

// FilterFull is route.Observer's.
func (unseen) FilterFull(*route.Filter) {}

// FilterForgot is route.Observer's.
func (unseen) FilterForgot(*route.Filter, []*health.Check) {}
