package scenario

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/healthroute/healthroute/plugin/config"
)

// drawn is one outcome of a policy's draw: the records that answer together, and how often.
type drawn struct {
	records []*config.Record
	part    *big.Rat
}

// pick draws by policy among the records, as if all were healthy.
func (m *model) pick(g *config.Group, qtype uint16, left []*config.Record) []drawn {
	switch g.Policy {
	case config.PolicyWeighted:
		return weightedDraws(left)
	case config.PolicyRoundRobin:
		return equally(left) // one full turn
	case config.PolicyFailover, config.PolicyPriority:
		return []drawn{{lowest(left, func(r *config.Record) float64 { return float64(rankOf(r)) }), big.NewRat(1, 1)}}
	case config.PolicyGeo:
		return equally(lowest(left, func(r *config.Record) float64 { return float64(m.placeRank(r)) }))
	case config.PolicySubnet:
		return equally(lowest(left, func(r *config.Record) float64 { return -float64(m.blockLength(r)) }))
	case config.PolicyLatency:
		order := m.sites(g, qtype)
		return equally(lowest(left, func(r *config.Record) float64 { return m.cost(order, r.Site) }))
	case config.PolicyProximity:
		if m.client.coordinates == nil {
			return equally(left[:1])
		}
		return equally(lowest(left, m.distance))
	}
	return []drawn{{left, big.NewRat(1, 1)}} // simple, and the members of a multivalue group
}

// equally draws one of the records, all with the same probability.
func equally(records []*config.Record) []drawn {
	var out []drawn
	for i := range records {
		out = append(out, drawn{records[i : i+1], big.NewRat(1, int64(len(records)))})
	}
	return out
}

// lowest are the records with the lowest value.
func lowest(records []*config.Record, value func(*config.Record) float64) []*config.Record {
	var out []*config.Record
	best := math.Inf(1)
	for _, r := range records {
		v := value(r)
		if v < best {
			best, out = v, nil
		}
		if v == best {
			out = append(out, r)
		}
	}
	return out
}

// weightedDraws is spec 4.4: by weight; those without weight only where no other is left.
func weightedDraws(left []*config.Record) []drawn {
	sum := 0
	for _, r := range left {
		sum += r.Weight
	}
	if sum == 0 {
		return equally(left)
	}
	var out []drawn
	for i, r := range left {
		if r.Weight > 0 {
			out = append(out, drawn{left[i : i+1], big.NewRat(int64(r.Weight), int64(sum))})
		}
	}
	return out
}

// rankOf is a record's rank in a failover or priority group.
func rankOf(r *config.Record) int {
	switch r.Role {
	case config.RolePrimary:
		return 0
	case config.RoleSecondary:
		return 1
	}
	return r.Priority
}

// sample is a multivalue answer: records are drawn one by one, and kept if they are usable, until there are enough or none is left.
func (m *model) sample(g *config.Group, matching []*config.Record, qtype uint16) dist {
	for _, r := range matching {
		if m.usable(g, r, typeFor(g, qtype)) {
			return m.sampleOf(g, matching, qtype, false, false)
		}
	}
	return m.lastResort(g, matching, qtype)
}

// sampleOf draws; untested keeps what is not usable too.
func (m *model) sampleOf(g *config.Group, from []*config.Record, qtype uint16, untested, everything bool) dist {
	type state struct{ kept, left uint64 }
	now := map[state]*big.Rat{{0, 1<<len(from) - 1}: big.NewRat(1, 1)}
	out := dist{}
	for len(now) > 0 {
		next := map[state]*big.Rat{}
		for s, part := range now {
			if s.left == 0 || bits.OnesCount64(s.kept) == g.Max {
				var records []*config.Record
				for i, r := range from {
					if s.kept>>i&1 == 1 {
						records = append(records, r)
					}
				}
				out.add(part, m.values(g, records, qtype, everything))
				continue
			}
			each := new(big.Rat).Mul(part, big.NewRat(1, int64(bits.OnesCount64(s.left))))
			for i, r := range from {
				if s.left>>i&1 == 0 {
					continue
				}
				after := state{s.kept, s.left &^ (1 << i)}
				if untested || m.usable(g, r, typeFor(g, qtype)) {
					after.kept |= 1 << i
				}
				if next[after] == nil {
					next[after] = new(big.Rat)
				}
				next[after].Add(next[after], each)
			}
		}
		now = next
	}
	return out
}
