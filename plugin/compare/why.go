package compare

import (
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
)

// reasons collects what is declared otherwise for one name, in the group that answers and in all that it depends on.
type reasons struct {
	before, after *side
	seen          map[any]bool
	why           []string
	clients       clients
}

// groups compares two groups by their declarations.
func (r *reasons) groups(before, after found, old, now *config.Group, label string) {
	if r.seen[now] {
		return
	}
	r.seen[now] = true
	r.units(before, after, r.before.groupUnit(before.stanza(), old), r.after.groupUnit(after.stanza(), now), label)
}

func (r *reasons) units(before, after found, old, now *unit, label string) {
	r.clients.add(old.clients)
	r.clients.add(now.clients)
	for _, text := range difference(old.lines, now.lines, now.inOrder) {
		if label != "" {
			text = label + ": " + text
		}
		if !slices.Contains(r.why, text) {
			r.why = append(r.why, text)
		}
	}
	for _, n := range now.needs {
		if !slices.Contains(old.needs, n) {
			r.alone(after, n)
			continue
		}
		r.need(before, after, n)
	}
	for _, n := range old.needs {
		if !slices.Contains(now.needs, n) {
			r.alone(before, n)
		}
	}
}

// need compares what both depend on.
func (r *reasons) need(before, after found, n need) {
	key := unitKey{after.stanza(), n}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	switch n.kind {
	case aGroup:
		r.several(before, after, groupsNamed(before.stanza(), n.name), groupsNamed(after.stanza(), n.name))
		return
	case aHost:
		there, here := before.at(n.name), after.at(n.name)
		r.several(there, here, configs(there.members()), configs(here.members()))
		if there.shape() != here.shape() {
			r.why = append(r.why, n.name+" is another kind of name")
		}
		return
	}
	old, now := r.before.unit(before.stanza(), n), r.after.unit(after.stanza(), n)
	if old != nil && now != nil {
		r.units(before, after, old, now, now.label)
	}
}

// at is what the table of the same server block knows of another name.
func (f found) at(name string) found {
	f.Match = f.block.Table.Find(name)
	return f
}

// several compares the groups of one name: those of equal policies and types first would be guessing, so the first with the first.
func (r *reasons) several(before, after found, old, now []*config.Group) {
	for i := range min(len(old), len(now)) {
		r.groups(before, after, old[i], now[i], "group "+now[i].Names[0])
	}
	if len(old) != len(now) {
		name := ""
		for _, g := range append(slices.Clone(old), now...) {
			name = g.Names[0]
		}
		r.why = append(r.why, "group "+name+": has other types")
	}
}

// alone notes for whom a need matters that only one side has.
func (r *reasons) alone(f found, n need) {
	key := unitKey{f.stanza(), n}
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	follow := func(u *unit) {
		if u == nil {
			return
		}
		r.clients.add(u.clients)
		for _, inner := range u.needs {
			r.alone(f, inner)
		}
	}
	switch n.kind {
	case aGroup:
		for _, g := range groupsNamed(f.stanza(), n.name) {
			follow(f.side.groupUnit(f.stanza(), g))
		}
	case aHost:
		there := f.at(n.name)
		for _, g := range there.members() {
			follow(f.side.groupUnit(there.stanza(), g.Config))
		}
	default:
		follow(f.side.unit(f.stanza(), n))
	}
}

func groupsNamed(s *config.Stanza, name string) []*config.Group {
	var out []*config.Group
	for _, g := range s.Groups {
		if slices.Contains(g.Names, name) {
			out = append(out, g)
		}
	}
	return out
}

func configs(groups []*route.Group) []*config.Group {
	var out []*config.Group
	for _, g := range groups {
		out = append(out, g.Config)
	}
	return out
}
