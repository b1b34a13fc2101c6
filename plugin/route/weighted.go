package route

import "math/big"

// weighted draws one record, each with the probability weight / sum of weights (spec 4.4). Records of weight 0 come
// in only when there is no other, and then all equally.
func weighted(s *Set, among []*Candidate) chooser {
	drawn := make([]*Candidate, 0, len(among))
	for _, c := range among {
		if c.Record.Weight > 0 {
			drawn = append(drawn, c)
		}
	}
	reason, weight := "drawn by weight", weightOf
	if len(drawn) == 0 {
		drawn, reason, weight = among, "drawn equally, all weights are 0", equally
	}
	var full chooser
	switch {
	case len(drawn) == 1:
		return fixed{Choice{One: drawn[0], Reason: "only one with a weight"}}
	case s.Group.sticky != nil:
		full = &rendezvous{sticky: *s.Group.sticky, among: drawn, weight: func(c *Candidate) float64 { return float64(weight(c)) }}
	default:
		full = newDraw(drawn, weight, reason)
	}
	if drawn[0].Record.Weight == 0 {
		return full
	}
	return ramping(s, drawn, full)
}

func weightOf(c *Candidate) uint64 { return uint64(c.Record.Weight) }

func equally(*Candidate) uint64 { return 1 }

// draw picks one of several records by weight.
type draw struct {
	table   aliasTable
	among   []*Candidate
	weights []uint64
	reason  string
}

func newDraw(among []*Candidate, weight func(*Candidate) uint64, reason string) *draw {
	weights := make([]uint64, len(among))
	for i, c := range among {
		weights[i] = weight(c)
	}
	return &draw{table: newAliasTable(weights), among: among, weights: weights, reason: reason}
}

func (d *draw) choose(q *Query) Choice {
	return Choice{One: d.among[d.table.draw(q.Rand)], Reason: d.reason}
}

func (d *draw) shares() []Share {
	out := make([]Share, len(d.among))
	for i, c := range d.among {
		out[i] = Share{c, new(big.Rat).SetFrac(
			new(big.Int).SetUint64(d.weights[i]), new(big.Int).SetUint64(d.table.total))}
	}
	return out
}

func (d *draw) outcomes(_ *Query, limit int) ([]Outcome, bool) {
	shares := d.shares()
	out := make([]Outcome, len(shares))
	for i, s := range shares {
		out[i] = Outcome{Choice{One: s.Candidate, Reason: d.reason}, s.Part}
	}
	return out, len(out) <= limit
}
