package route

import (
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// View is what a group can answer at one instant: for each type a prepared choice. It is immutable; a change of
// health makes a new one.
type View struct {
	sets []*Set // one for each type that a candidate can answer
	any  *Set   // for the other types: the records that answer every type (CNAME); nil if there is none
}

// Set is the records of a group that could answer one type, and the choice among them.
type Set struct {
	Type       uint16
	Candidates []*Candidate // every record that has something of the type, in the order of declaration
	LastResort bool         // some are eligible, none is usable
	chooser    chooser      // nil: there is nothing to choose
	policy     *policy
}

// Candidate is a record that has something to answer the type of its set with.
type Candidate struct {
	Record   *Record
	Standing Standing
	values   []value // what it answers: its usable values of the type, or all of them for a last resort
}

// Standing is whether a candidate may answer.
type Standing uint8

// The standings (spec 3.1).
const (
	Usable     Standing = iota // may answer
	Unusable                   // only in a last resort
	Ineligible                 // never: an operator took it out
)

func (s Standing) String() string { return [...]string{"usable", "unusable", "ineligible"}[s] }

// Len is the number of resource records that the candidate answers.
func (c *Candidate) Len() int { return len(c.values) }

// RR returns the i-th of them for the origin (Entry.Origin). Owner and class are the caller's to fill in, on a copy.
func (c *Candidate) RR(i, origin int) dns.RR { return c.values[i].rr(origin) }

// Set returns the choice for a query type, or nil if nothing in the group can answer it.
func (v *View) Set(qtype uint16) *Set {
	for _, s := range v.sets {
		if s.Type == qtype {
			return s
		}
	}
	return v.any
}

// Sets returns the choices of the view, in ascending order of type.
func (v *View) Sets() []*Set { return v.sets }

// buildView judges every record by the health of its values now. This is the one place where health decides who may
// answer; policies only choose among the usable.
func buildView(g *Group) *View {
	v := &View{}
	for _, t := range g.types {
		v.sets = append(v.sets, buildSet(g, t))
	}
	if slices.Contains(g.types, dns.TypeCNAME) {
		v.any = v.Set(dns.TypeCNAME)
	}
	return v
}

// buildSet follows spec 4.1 and 4.12: candidates by type, the usable among them, else the last resort.
func buildSet(g *Group, qtype uint16) *Set {
	s := &Set{Type: qtype, policy: policies[g.Policy]}
	candidates := make([]Candidate, 0, len(g.Records)) // one block of memory; s points into it
	for _, r := range g.Records {
		if c, ok := candidate(g, r, qtype); ok {
			candidates = append(candidates, c)
			s.Candidates = append(s.Candidates, &candidates[len(candidates)-1])
		}
	}
	among := s.standing(Usable)
	if len(among) == 0 {
		among = s.standing(Unusable)
		s.LastResort = len(among) > 0
		if g.LastResort != config.LastResortAll {
			return s
		}
	}
	if len(among) > 0 {
		s.chooser = s.policy.prepare(g, among)
	}
	return s
}

// standing returns the candidates of one standing.
func (s *Set) standing(is Standing) []*Candidate {
	out := make([]*Candidate, 0, len(s.Candidates))
	for _, c := range s.Candidates {
		if c.Standing == is {
			out = append(out, c)
		}
	}
	return out
}

// candidate returns the record as a candidate for the type, or false if it has nothing to answer it with. A CNAME answers
// every type (spec 4.15).
func candidate(g *Group, r *Record, qtype uint16) (Candidate, bool) {
	all := r.of(qtype)
	if len(all) == 0 {
		all = r.of(dns.TypeCNAME)
	}
	if len(all) == 0 {
		return Candidate{}, false
	}
	switch r.Admin() {
	case health.Disabled, health.Draining:
		return Candidate{Record: r, Standing: Ineligible}, true
	case health.Always:
		return Candidate{Record: r, Standing: Usable, values: all}, true
	}
	values := usableAmong(all)
	if len(values) == 0 || g.together && !r.usableForEveryFamily() {
		return Candidate{Record: r, Standing: Unusable, values: all}, true
	}
	return Candidate{Record: r, Standing: Usable, values: values}, true
}
