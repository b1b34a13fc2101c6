package route

import (
	"math/big"
	"time"
)

// ramp draws by weights that grow: a record that came back from having been unusable begins with a tenth of its weight and gets it all after
// `ramp` (spec 4.13). It is only in force while a record grows.
type ramp struct {
	among  []*Candidate
	lasts  time.Duration
	until  time.Time // when all have their full weight
	full   chooser   // for then
	sticky bool
}

// ramping wraps the draw of a group with `ramp`, if any record grows now, and has the group judged again when none does.
func ramping(s *Set, drawn []*Candidate, full chooser) chooser {
	var until time.Time
	for _, c := range drawn {
		if end := c.recovered.Add(s.Group.ramp); !c.recovered.IsZero() && end.After(until) {
			until = end
		}
	}
	if s.Group.ramp == 0 || !until.After(s.judge.now) {
		return full
	}
	s.judge.wakeAt(until)
	return &ramp{among: drawn, lasts: s.Group.ramp, until: until, full: full, sticky: s.Group.sticky != nil}
}

func (r *ramp) choose(q *Query) Choice {
	now := q.Now()
	if !now.Before(r.until) {
		return r.full.choose(q)
	}
	if r.sticky {
		return r.stuck(now, q)
	}
	total := uint64(0)
	for _, c := range r.among {
		total += r.weight(c, now)
	}
	drawn := q.Rand.Uint64N(total)
	for _, c := range r.among {
		w := r.weight(c, now)
		if drawn < w {
			return Choice{One: c, Reason: rampReason}
		}
		drawn -= w
	}
	panic("unreachable: the weights sum to the total")
}

const rampReason = "drawn by weight, of which some grow after a recovery"

func (r *ramp) outcomes(q *Query, limit int) ([]Outcome, bool) {
	now := q.Now()
	if !now.Before(r.until) {
		return r.full.outcomes(q, limit)
	}
	if r.sticky {
		return certain(r.stuck(now, q)), true
	}
	return newDraw(r.among, func(c *Candidate) uint64 { return r.weight(c, now) }, rampReason).outcomes(q, limit)
}

func (r *ramp) stuck(now time.Time, q *Query) Choice {
	full := *r.full.(*rendezvous)
	full.weight = func(c *Candidate) float64 { return float64(r.weight(c, now)) }
	return full.choose(q)
}

// weight is the record's weight now: w x max(1/10, t/D), rounded up, t after it came back.
func (r *ramp) weight(c *Candidate, now time.Time) uint64 {
	w := uint64(c.Record.Weight)
	t := now.Sub(c.recovered)
	if c.recovered.IsZero() || t >= r.lasts {
		return w
	}
	part := big.NewRat(max(0, int64(t)), int64(r.lasts))
	if tenth := big.NewRat(1, 10); part.Cmp(tenth) < 0 {
		part = tenth
	}
	part.Mul(part, new(big.Rat).SetUint64(w))
	up := new(big.Int).Add(part.Num(), new(big.Int).Sub(part.Denom(), big.NewInt(1)))
	return up.Div(up, part.Denom()).Uint64()
}
