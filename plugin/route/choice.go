package route

import "math/big"

// Choice is what a set picked for one query.
type Choice struct {
	One    *Candidate   // the record that answers alone, or nil
	Many   []*Candidate // the records that answer together; shared, must not be changed
	Reason string       // the policy's step, in a few words
	By     By           // whose step it was
	// LastResort says that no usable record could be picked for this client, and so the group's last resort answers; a choice without
	// records then means what its word says.
	LastResort bool
	// Scope is the length of the shortest prefix around the client's address in which everybody gets this choice, as far as the
	// client matters at all: 0 if it does not (RFC 7871 section 7.2.1).
	Scope int
}

// By is what picked among the records.
type By uint8

// What picks.
const (
	ByPolicy   By = iota // the policy by itself
	BySticky             // the client's network
	ByOverride           // a line of `override`
)

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

// together is the choice of several records, or of the one that there is.
func together(among []*Candidate, reason string) Choice {
	if len(among) == 1 {
		return Choice{One: among[0], Reason: reason}
	}
	return Choice{Many: among, Reason: reason}
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

// certain is the one outcome of a choice that leaves nothing to chance.
func certain(c Choice) []Outcome { return []Outcome{{c, big.NewRat(1, 1)}} }
