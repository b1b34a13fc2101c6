package route

import (
	"slices"

	"github.com/miekg/dns"
)

// View is what a group can answer at one instant: for each type a prepared choice. It is immutable; a change of
// health makes a new one. Behind its aliases stand the views of their targets, so that a query that has loaded one sees one
// consistent state of the whole tree.
type View struct {
	Group *Group
	sets  []*Set // one for each type of the group, in ascending order
	any   *Set   // for the other types: the records that answer every type (CNAME); nil if there is none
	whole *Set   // the records whatever is asked for; nil unless the group or one that points to it chooses so
}

// Set returns the choice for a query type, or nil if nothing in the group can answer it.
func (v *View) Set(qtype uint16) *Set {
	if v.Group.choosesFirst() {
		return v.whole
	}
	return v.typed(qtype)
}

// typed returns the choice among the records that have the type.
func (v *View) typed(qtype uint16) *Set {
	for _, s := range v.sets {
		if s.Type == qtype {
			return s.unlessEmpty()
		}
	}
	return v.any.unlessEmpty()
}

// Sets returns the choices that queries get, in ascending order of type. One that does not look at the type has type ANY.
func (v *View) Sets() []*Set {
	if v.Group.choosesFirst() {
		return []*Set{v.whole}
	}
	return v.sets
}

// buildView judges every record of the group by the health of now. The views of the groups behind its aliases must be there.
func (j *judge) buildView(l latch) *View {
	g := j.group
	v := &View{Group: g}
	for _, t := range g.types {
		if g.balancer != nil {
			v.sets = append(v.sets, j.buildBalanced(t))
			continue
		}
		v.sets = append(v.sets, j.buildSet(t, l))
	}
	if i := slices.Index(g.types, dns.TypeCNAME); i >= 0 {
		v.any = v.sets[i]
	}
	if g.wholes && g.balancer == nil { // a balancer's families are judged apart
		v.whole = j.buildSet(dns.TypeANY, l)
	}
	return v
}
