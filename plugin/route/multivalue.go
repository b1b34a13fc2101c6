package route

import (
	"math/big"
	"slices"
)

// multivalue answers with all usable records, or with a uniform sample of `max` of them (spec 4.7).
func multivalue(s *Set, among []*Candidate) chooser {
	if len(among) <= s.Group.max {
		return fixed{together(among, "all usable records")}
	}
	if s.Group.sticky != nil {
		return &rendezvous{sticky: *s.Group.sticky, among: among, max: s.Group.max}
	}
	return &sample{among: among, max: s.Group.max}
}

const sampleReason = "a sample of the usable records"

// sample picks max of more records, without replacement.
type sample struct {
	among []*Candidate
	max   int
}

// choose is Floyd's sampling: it needs room for the sample alone, however many records there are.
func (s *sample) choose(q *Query) Choice {
	picked := make([]*Candidate, 0, s.max)
	for last := len(s.among) - s.max; last < len(s.among); last++ {
		c := s.among[q.Rand.Uint64N(uint64(last)+1)]
		if slices.Contains(picked, c) {
			c = s.among[last]
		}
		picked = append(picked, c)
	}
	return Choice{Many: picked, Reason: sampleReason}
}

func (s *sample) shares() []Share {
	out := make([]Share, len(s.among))
	for i, c := range s.among {
		out[i] = Share{c, big.NewRat(int64(s.max), int64(len(s.among)))}
	}
	return out
}

// outcomes lists the samples, each equally likely, in lexical order of the candidates' places.
func (s *sample) outcomes(_ *Query, limit int) ([]Outcome, bool) {
	count := new(big.Int).Binomial(int64(len(s.among)), int64(s.max))
	if !count.IsInt64() || count.Int64() > int64(limit) {
		return nil, false
	}
	part := new(big.Rat).SetFrac(big.NewInt(1), count)
	var out []Outcome
	var extend func(picked []*Candidate, from int)
	extend = func(picked []*Candidate, from int) {
		if len(picked) == s.max {
			out = append(out, Outcome{Choice{Many: slices.Clone(picked), Reason: sampleReason}, part})
			return
		}
		for i := from; i <= len(s.among)-(s.max-len(picked)); i++ {
			extend(append(picked, s.among[i]), i+1)
		}
	}
	extend(nil, 0)
	return out, true
}
