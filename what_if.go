package healthroute

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// emptied returns the groups, and the pools and balancers behind their aliases, that would have nothing usable left, or nothing that is at least
// eligible, if operators said what change says, and what they would answer. The tables are compiled once more for that, on the same checks: so it is the server's own code that says what would be, with aliases and
// everything else that one record's state means for another group.
func (b apiBackend) emptied(change func(*health.Admin) error) ([]status.Remainder, error) {
	said := admin.WhatIf()
	if err := change(said); err != nil {
		return nil, err
	}
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
		choosers := after.Choosers()
		for i, g := range block.table.Choosers() {
			for _, r := range emptiedTypes(g, choosers[i]) {
				if !slices.ContainsFunc(out, func(o status.Remainder) bool { return o.Group == r.Group && o.Type == r.Type }) {
					out = append(out, r)
				}
			}
		}
	}
	inner := func(r status.Remainder) int { return strings.Count(r.Group, " ") } // of a pool or a balancer: names that clients ask for come first
	slices.SortStableFunc(out, func(x, y status.Remainder) int {
		return cmp.Or(cmp.Compare(inner(x), inner(y)), cmp.Compare(x.Group, y.Group))
	})
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
		r := status.Remainder{Group: after.Name, Type: dns.Type(s.Type).String(), LastResort: string(after.LastResort), Answers: restOf(s)}
		if s.Balance != nil {
			r.LastResort = failOpen
		}
		out = append(out, r)
	}
	return out
}

// failOpen is the word for what a pool or a balancer does that has nothing usable.
const failOpen = "fail_open"

// restOf names what would answer: records, targets, and sites with their addresses. Where nothing behind an alias is usable either it is what answers
// there, so that nobody has to ask again.
func restOf(s *route.Set) []string {
	out := []string{}
	for _, c := range s.Rest() {
		behind := c.Behind(s.Type)
		switch {
		case behind != nil && !behind.Usable():
			for _, name := range restOf(behind) {
				out = append(out, c.Record.ID+" -> "+name)
			}
		case s.Balance != nil && len(s.Group.Fronts()) > 0:
			for i := range c.Len(s.Type) {
				out = append(out, fmt.Sprintf("site %s (%s)", c.Record.ID, answer.Data(c.RR(s.Type, i, ""))))
			}
		default:
			out = append(out, c.Record.ID)
		}
	}
	return out
}

// unseen is a table's observer that tells nobody.
type unseen struct{}

// LastResort is route.Observer's.
func (unseen) LastResort(*route.Group, uint16, bool) {}
func (unseen) ShowsAll(*route.Group, uint16, bool)   {}

// FilterFull is route.Observer's.
func (unseen) FilterFull(*route.Filter) {}

// FilterForgot is route.Observer's.
func (unseen) FilterForgot(*route.Filter, []*health.Check) {}
