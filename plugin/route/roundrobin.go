package route

import (
	"math/big"
	"sync/atomic"
)

// roundRobin answers with one record after the other, each once in every full turn, whatever the concurrency (spec 4.13). The turn goes on over
// changes of health.
func roundRobin(s *Set, among []*Candidate) chooser {
	if s.Group.sticky != nil {
		return &rendezvous{sticky: *s.Group.sticky, among: among}
	}
	return &turns{among: among, turn: s.Group.turns[s.Type]}
}

// inheritTurns goes on from where the same groups of an earlier table are, unless these have begun.
func (t *Table) inheritTurns(old *Table) {
	for _, g := range t.groups {
		for _, before := range old.groupsOf[g.Name] {
			for qtype, turn := range before.turns {
				if own := g.turns[qtype]; own != nil {
					own.CompareAndSwap(0, turn.Load())
				}
			}
		}
	}
}

const turnReason = "its turn"

// turns counts through the candidates.
type turns struct {
	among []*Candidate
	turn  *atomic.Uint64 // the group's, for the type
}

func (t *turns) choose(*Query) Choice {
	n := t.turn.Add(1) - 1
	return Choice{One: t.among[n%uint64(len(t.among))], Reason: turnReason}
}

// outcomes are one full turn.
func (t *turns) outcomes(*Query, int) ([]Outcome, bool) {
	part := big.NewRat(1, int64(len(t.among)))
	out := make([]Outcome, len(t.among))
	for i, c := range t.among {
		out[i] = Outcome{Choice{One: c, Reason: turnReason}, part}
	}
	return out, true
}
