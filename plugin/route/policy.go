package route

import (
	"math/big"

	"github.com/healthroute/healthroute/plugin/config"
)

// policies is every policy: a function that prepares the choice among the candidates that may answer. It is called when
// a view is built, so that a query only draws. Adding a policy is a file and a line here.
var policies = map[config.Policy]func(g *Group, among []*Candidate) chooser{
	config.PolicySimple:     simple,
	config.PolicyWeighted:   weighted,
	config.PolicyFailover:   failover,
	config.PolicyMultivalue: multivalue,
}

// chooser is a prepared choice. It is immutable and pure: the same random numbers give the same choice.
type chooser interface {
	// choose picks the records that answer one query.
	choose(rnd Rand) Choice
	// shares returns how often each record answers, exactly.
	shares() []Share
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
