package config

import (
	"fmt"
	"net/netip"
	"slices"
)

// subnet checks that each record has its own ranges of clients (spec 4.9, 4.15).
func (v *validator) subnet(g *Group) {
	var all []claim
	for i, r := range g.Records {
		if len(r.From) == 0 && !r.Default && !r.Places.Faulty {
			v.fault(r.Places.Own, fmt.Sprintf("record %q of a subnet group has no clients", r.ID), "`from CIDR,...` or `default`")
		}
		all = append(all, v.claims(i, r.Places.Of("from"), r.From)...)
	}
	v.apart(g, all)
	v.oneDefault(g)
}

// overrides checks the ranges of clients that get one record.
func (v *validator) overrides(g *Group) {
	var all []claim
	for i, o := range g.Overrides {
		if len(o.From) == 0 {
			v.fault(o.Position, "override for nobody", "`override from CIDR,... use ID`")
		}
		all = append(all, v.claims(i, o.Position, o.From)...)
		if g.Places.Faulty || slices.ContainsFunc(g.Records, func(r *Record) bool { return r.ID == o.Use }) {
			continue
		}
		ids := make([]string, len(g.Records))
		for i, r := range g.Records {
			ids[i] = r.ID
		}
		v.report(Problem{Position: o.Position, Message: fmt.Sprintf("there is no record %q in the group", o.Use),
			Expected: "the id of a record", Nearest: Nearest(o.Use, ids)})
	}
	v.apart(g, all)
}

// claim is a range of clients that an owner, a record or an override, has.
type claim struct {
	Source
	owner int
	at    Position
}

// claims checks the ranges of one owner.
func (v *validator) claims(owner int, at Position, from []Source) []claim {
	var valid []claim
	seen := make(map[Source]bool, len(from))
	for _, s := range from {
		switch {
		case s.From.BitLen() != s.To.BitLen() || !s.From.IsValid() || s.From.Zone() != "" || s.From.Is4In6():
			v.fault(at, fmt.Sprintf("%s-%s is no range of addresses", s.From, s.To), "two addresses of one family")
		case !s.IsValid():
			v.fault(at, fmt.Sprintf("range %s-%s is the wrong way round", s.From, s.To), Source{s.To, s.From}.String())
		case seen[s]:
			v.fault(at, fmt.Sprintf("%s is there twice", s), "each range once")
		default:
			seen[s] = true
			valid = append(valid, claim{s, owner, at})
		}
	}
	return valid
}

// apart checks that the ranges of different owners can be told from one another: traffic_manager wants them apart
// (T-167); elsewhere the longest block decides, so that only equal blocks are a fault.
func (v *validator) apart(g *Group, all []claim) {
	if g.Preset == PresetTrafficManager {
		v.overlaps(all)
		return
	}
	type block struct {
		netip.Prefix
		owner int
		at    Position
	}
	var blocks []block
	for _, c := range all {
		for _, p := range c.Prefixes() {
			blocks = append(blocks, block{p, c.owner, c.at})
		}
	}
	slices.SortStableFunc(blocks, func(a, b block) int { return a.Compare(b.Prefix) })
	for i := 1; i < len(blocks); i++ {
		if a, b := blocks[i-1], blocks[i]; a.Prefix == b.Prefix && a.owner != b.owner {
			v.fault(b.at, fmt.Sprintf("block %s is taken already on line %d", b.Prefix, a.at.Line), "each block once; an alias of a group for more records")
		}
	}
}

// overlaps reports each range that begins before a range of another owner has ended. Of the ranges passed it keeps the
// one that ends last, and the one that ends last of all other owners.
func (v *validator) overlaps(all []claim) {
	slices.SortStableFunc(all, func(a, b claim) int { return a.From.Compare(b.From) })
	var last, other *claim
	for i := range all {
		c := &all[i]
		for _, earlier := range []*claim{last, other} {
			if earlier != nil && earlier.owner != c.owner && earlier.To.Compare(c.From) >= 0 {
				at, than := c.at, earlier
				if earlier.at.Line > c.at.Line { // the later line is the fault
					at, than = earlier.at, c
				}
				v.fault(at, fmt.Sprintf("%s and %s overlap", earlier.Source, c.Source),
					fmt.Sprintf("ranges apart from those on line %d, as preset traffic_manager has no longest match", than.at.Line))
				break
			}
		}
		switch {
		case last == nil || last.owner == c.owner:
			if last == nil || c.To.Compare(last.To) > 0 {
				last = c
			}
		case c.To.Compare(last.To) > 0:
			last, other = c, last
		case other == nil || c.To.Compare(other.To) > 0:
			other = c
		}
	}
}
