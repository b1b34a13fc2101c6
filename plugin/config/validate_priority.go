package config

import "fmt"

// failover checks that the roles are given out (T-057).
func (v *validator) failover(g *Group) {
	holders := map[Role]*Record{}
	for _, r := range g.Records {
		switch {
		case r.Role == "":
			v.fault(r.Places.Own, fmt.Sprintf("record %q of a failover group is neither primary nor secondary", r.ID), "`primary` or `secondary`")
		case r.Role != RolePrimary && r.Role != RoleSecondary:
			v.oneOf(r.Places.Own, "role", string(r.Role), string(RolePrimary), string(RoleSecondary))
		case holders[r.Role] != nil:
			v.fault(r.Places.Of(string(r.Role)), fmt.Sprintf("a second %s in the group, after that on line %d", r.Role, holders[r.Role].Places.Own.Line),
				fmt.Sprintf("one %s", r.Role))
		default:
			holders[r.Role] = r
		}
	}
	if holders[RolePrimary] == nil {
		v.fault(g.Places.Own, fmt.Sprintf("failover group %q has no primary", g.first()), "one record with `primary`")
	}
}

// priority checks the numbers of a priority group; where equal ones make no tier each stands once (T-068).
func (v *validator) priority(g *Group) {
	low, high := g.Preset.priorityRange()
	first := map[int]*Record{}
	for _, r := range g.Records {
		at := r.Places.Of("priority")
		within(v, at, "priority", r.Priority, low, high)
		if other := first[r.Priority]; other != nil && !g.Preset.hasTiers() {
			v.fault(at, fmt.Sprintf("priority %d a second time in the group, after that on line %d", r.Priority, other.Places.Own.Line),
				fmt.Sprintf("each priority once, as preset %s has no tiers", g.Preset))
		}
		first[r.Priority] = r
	}
}
