package route

import (
	"math/big"
	"slices"
)

// multivalue answers with all usable records, or with a uniform sample of `max` of them (spec 4.7).
func multivalue(g *Group, among []*Candidate) chooser {
	if len(among) <= g.max {
		return fixed{Choice{Many: among, Reason: "all usable records"}}
	}
	return &sample{among: among, max: g.max}
}

// sample picks max of more records, without replacement.
type sample struct {
	among []*Candidate
	max   int
}

// choose is a partial Fisher-Yates shuffle of a copy.
func (s *sample) choose(rnd Rand) Choice {
	picked := slices.Clone(s.among)
	for i := range s.max {
		j := i + int(rnd.Uint64N(uint64(len(picked)-i)))
		picked[i], picked[j] = picked[j], picked[i]
	}
	return Choice{Many: picked[:s.max], Reason: "a sample of the usable records"}
}

func (s *sample) shares() []Share {
	out := make([]Share, len(s.among))
	for i, c := range s.among {
		out[i] = Share{c, big.NewRat(int64(s.max), int64(len(s.among)))}
	}
	return out
}
