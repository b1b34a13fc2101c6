package route

import (
	"math/big"

	"github.com/healthroute/healthroute/plugin/config"
)

// policy is how a group chooses among the candidates that may answer.
type policy struct {
	// prepare makes the choice ready when a view is built, so that a query only draws. There is at least one candidate.
	prepare func(g *Group, among []*Candidate) chooser
	// heldBack says why a candidate that may answer does not.
	heldBack string
}

// policies is every policy. Adding one is a file and a line here.
var policies = map[config.Policy]*policy{
	config.PolicySimple:     {simple, ""},
	config.PolicyWeighted:   {weighted, "weight 0 is held back while another record has a weight"},
	config.PolicyFailover:   {failover, "the primary stands before it"},
	config.PolicyMultivalue: {multivalue, ""},
}

// chooser is a prepared choice. It is immutable and pure: the same random numbers give the same choice.
type chooser interface {
	// choose picks the records that answer one query.
	choose(rnd Rand) Choice
	// shares returns how often each record answers, exactly.
	shares() []Share
	// outcomes returns every choice with its exact probability, or false if there are more than limit.
	outcomes(limit int) ([]Outcome, bool)
}

// Rand is the source of random numbers of a choice: uniform in [0, n), n > 0. *rand.Rand of math/rand/v2 is one.
type Rand interface{ Uint64N(n uint64) uint64 }

// Choice is what a policy picked for one query.
type Choice struct {
	One    *Candidate   // the record that answers alone, or nil
	Many   []*Candidate // the records that answer together; shared, must not be changed
	Reason string       // the policy's step, in a few words
}

// Len is the number of records chosen.
func (c Choice) Len() int {
	if c.One != nil {
		return 1
	}
	return len(c.Many)
}

// At returns the i-th record chosen.
func (c Choice) At(i int) *Candidate {
	if c.One != nil {
		return c.One
	}
	return c.Many[i]
}

// Share is the exact part of queries in whose answer a record stands. Where records answer together the shares
// sum to the number of records in an answer.
type Share struct {
	Candidate *Candidate
	Part      *big.Rat
}

// Outcome is one choice that a set can make, and how often it does.
type Outcome struct {
	Choice Choice
	Part   *big.Rat // the parts of all outcomes sum to 1
}

// Outcomes returns every choice that Choose can make, or false if there are more than limit. A set with nothing to choose makes
// the empty choice.
func (s *Set) Outcomes(limit int) ([]Outcome, bool) {
	if s.chooser == nil {
		return []Outcome{{Part: big.NewRat(1, 1)}}, true
	}
	return s.chooser.outcomes(limit)
}

// HeldBack says why a usable candidate without a share does not answer.
func (s *Set) HeldBack() string { return s.policy.heldBack }

// Usable reports whether any record of the set is.
func (s *Set) Usable() bool { return s.chooser != nil && !s.LastResort }

// Choose picks the records that answer a query, or an empty choice when the last resort leaves none.
func (s *Set) Choose(rnd Rand) Choice {
	if s.chooser == nil {
		return Choice{}
	}
	return s.chooser.choose(rnd)
}

// Shares returns the exact share of every record that can be chosen, in the order of declaration.
func (s *Set) Shares() []Share {
	if s.chooser == nil {
		return nil
	}
	return s.chooser.shares()
}

// fixed is the choice of policies that leave nothing to chance.
type fixed struct{ choice Choice }

func (f fixed) choose(Rand) Choice { return f.choice }

func (f fixed) shares() []Share {
	out := make([]Share, f.choice.Len())
	for i := range out {
		out[i] = Share{f.choice.At(i), big.NewRat(1, 1)}
	}
	return out
}

func (f fixed) outcomes(int) ([]Outcome, bool) {
	return []Outcome{{f.choice, big.NewRat(1, 1)}}, true
}
