package answer

import (
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/route"
)

// pick chooses from a set and follows aliases down to records with values; each group on the way becomes a link of the result. It returns
// the records that answer together, none if any group on the way left nothing.
func (a *Answerer) pick(q *Query, res *Result, set *route.Set, qtype uint16) route.Choice {
	asked := q.asking(a, set)
	choice := a.choose(set, asked)
	res.Scope = max(res.Scope, choice.Scope)
	link := Link{Group: set.Group, Set: set, Choice: choice, asked: asked}
	if res.Group == nil {
		res.Link = link
	} else {
		res.Chain = append(res.Chain, link)
	}
	if choice.One != nil && choice.One.Target == nil {
		return choice
	}
	var leaves []*route.Candidate
	aliases := false
	for i := range choice.Len() {
		c := choice.At(i)
		if c.Target == nil {
			leaves = append(leaves, c)
			continue
		}
		aliases = true
		if inner := setFor(c.Target, qtype); inner != nil {
			behind := a.pick(q, res, inner, qtype)
			for j := range behind.Len() {
				leaves = append(leaves, behind.At(j))
			}
		}
	}
	if !aliases {
		return choice
	}
	return route.Choice{Many: leaves}
}

// asking is what the set's choice may depend on. Where the client stands is found out once, and only if it matters.
func (q *Query) asking(a *Answerer, set *route.Set) *route.Query {
	if q.ask.Rand == nil {
		q.ask.Rand, q.ask.Now = a.rnd, a.now
	}
	if q.ask.Client == nil && set.NeedsClient() {
		q.ask.Client = &a.client(q).Client
	}
	return &q.ask
}

// Asked is what the choices at the name asked for depended on, for Set.Shares and Set.Outcomes. It is filled in by Answer.
func (q *Query) Asked() *route.Query { return &q.ask }

// setFor returns the choice for a query type. ANY takes the first type of the group that has an answer.
func setFor(v *route.View, qtype uint16) *route.Set {
	if qtype != dns.TypeANY {
		return v.Set(qtype)
	}
	sets := v.Sets()
	for _, s := range sets {
		if s.Usable() {
			return s
		}
	}
	if len(sets) > 0 {
		return sets[0]
	}
	return nil
}

// typeOf is the type that a set is asked for: its own if it has one, which for ANY settles the one RRset that is answered.
func typeOf(set *route.Set, qtype uint16) uint16 {
	if qtype == dns.TypeANY {
		return set.Type
	}
	return qtype
}

// count is the number of resource records that the choice answers the type with.
func count(choice route.Choice, qtype uint16) int {
	n := 0
	for i := range choice.Len() {
		n += choice.At(i).Len(qtype)
	}
	return n
}
