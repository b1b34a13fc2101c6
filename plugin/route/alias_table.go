package route

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
