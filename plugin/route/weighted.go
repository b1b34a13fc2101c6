package route

import "math/big"

// weighted draws one record, each with the probability weight / sum of weights (spec 4.4). Records of weight 0 come
// in only when there is no other, and then all equally.
func weighted(_ *Group, among []*Candidate) chooser {
	drawn := make([]*Candidate, 0, len(among))
	weights := make([]uint64, 0, len(among))
	for _, c := range among {
		if c.Record.Weight > 0 {
			drawn = append(drawn, c)
			weights = append(weights, uint64(c.Record.Weight))
		}
	}
	reason := "drawn by weight"
	if len(drawn) == 0 {
		drawn = among
		reason = "drawn equally, all weights are 0"
		for range among {
			weights = append(weights, 1)
		}
	}
	if len(drawn) == 1 {
		return fixed{Choice{One: drawn[0], Reason: "only one with a weight"}}
	}
	return &draw{table: newAliasTable(weights), among: drawn, weights: weights, reason: reason}
}

// draw picks one of several records by weight.
type draw struct {
	table   aliasTable
	among   []*Candidate
	weights []uint64
	reason  string
}

func (d *draw) choose(rnd Rand) Choice {
	return Choice{One: d.among[d.table.draw(rnd)], Reason: d.reason}
}

func (d *draw) shares() []Share {
	out := make([]Share, len(d.among))
	for i, c := range d.among {
		out[i] = Share{c, new(big.Rat).SetFrac(
			new(big.Int).SetUint64(d.weights[i]), new(big.Int).SetUint64(d.table.total))}
	}
	return out
}

func (d *draw) outcomes(limit int) ([]Outcome, bool) {
	shares := d.shares()
	out := make([]Outcome, len(shares))
	for i, s := range shares {
		out[i] = Outcome{Choice{One: s.Candidate, Reason: d.reason}, s.Part}
	}
	return out, len(out) <= limit
}

// aliasTable draws an index by weight in constant time (Walker's alias method, in whole numbers and so exact). Each of the n
// columns has the height total; the part of column i below limit[i] belongs to i, the rest to other[i].
type aliasTable struct {
	limit []uint64
	other []int32
	total uint64
}

// newAliasTable prepares the table. The weights are above 0; n times their sum must fit into 64 bits.
func newAliasTable(weights []uint64) aliasTable {
	n := len(weights)
	t := aliasTable{limit: make([]uint64, n), other: make([]int32, n)}
	for _, w := range weights {
		t.total += w
	}
	var low, high []int32 // columns that lack something, columns that have too much
	for i, w := range weights {
		t.limit[i] = w * uint64(n)
		if t.limit[i] < t.total {
			low = append(low, int32(i))
		} else {
			high = append(high, int32(i))
		}
	}
	for len(low) > 0 {
		small, large := low[len(low)-1], high[len(high)-1]
		low = low[:len(low)-1]
		t.other[small] = large
		t.limit[large] -= t.total - t.limit[small] // fills up the small column
		if t.limit[large] < t.total {
			high = high[:len(high)-1]
			low = append(low, large)
		}
	}
	return t
}

func (t aliasTable) draw(rnd Rand) int {
	i := rnd.Uint64N(uint64(len(t.limit)))
	if rnd.Uint64N(t.total) < t.limit[i] {
		return int(i)
	}
	return int(t.other[i])
}
