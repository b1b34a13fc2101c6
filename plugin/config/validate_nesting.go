package config

import "fmt"

// maxNesting is how many aliases may follow one another (spec 3.7, T-256).
const maxNesting = 10

// pointer is a way from one group to another.
type pointer struct {
	group *Group
	at    Position
	what  string // the option that leads there
	name  string
}

// pointsTo lists the groups that aliases and the last resort of the group lead to.
func (v *validator) pointsTo(g *Group) []pointer {
	var all []pointer
	for _, r := range g.Records {
		if r.Alias == nil {
			continue
		}
		for _, target := range v.resolve(r.Alias.Group) {
			all = append(all, pointer{target, r.Places.Own, "alias", r.Alias.Group[0]})
		}
	}
	for _, target := range v.resolve(g.Sorry) {
		all = append(all, pointer{target, g.Places.Of("last_resort"), "last_resort alias", g.Sorry[0]})
	}
	return all
}

// nesting checks that aliases lead to an end (T-090), and not too deep.
func (v *validator) nesting() {
	n := &nesting{validator: v, depth: map[*Group]int{}, open: map[*Group]bool{}}
	for _, g := range v.stanza.Groups {
		n.visit(g)
	}
}

type nesting struct {
	*validator
	depth map[*Group]int  // aliases below the group, for those that were visited
	open  map[*Group]bool // on the path to the group that is visited
	path  []*Group
}

// visit returns how many aliases follow one another below the group.
func (n *nesting) visit(g *Group) int {
	if depth, known := n.depth[g]; known {
		return depth
	}
	n.open[g] = true
	n.path = append(n.path, g)
	depth := 0
	for _, p := range n.pointsTo(g) {
		switch {
		case p.group == g: // reported with the alias
		case n.open[p.group]:
			n.fault(p.at, fmt.Sprintf("%s %q makes a loop: %s", p.what, p.name, n.loop(p.group)), "aliases that lead to records with values")
		default:
			below := 1 + n.visit(p.group)
			if below == maxNesting+1 {
				n.fault(p.at, fmt.Sprintf("%s %q is the first of %d aliases that follow one another", p.what, p.name, below),
					fmt.Sprintf("at most %d", maxNesting))
			}
			depth = max(depth, below)
		}
	}
	n.path = n.path[:len(n.path)-1]
	delete(n.open, g)
	n.depth[g] = depth
	return depth
}

// loop writes the groups from the one that is met again to itself.
func (n *nesting) loop(again *Group) string {
	text := ""
	for i := len(n.path) - 1; i >= 0; i-- {
		text = n.path[i].first() + " -> " + text
		if n.path[i] == again {
			break
		}
	}
	return text + again.first()
}
