package scenario

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// dist is a set of answers, each with its exact probability. An answer is its values, sorted and joined by "+", or a word: nodata, nxdomain,
// servfail, refused.
type dist map[string]*big.Rat

const nodata = "nodata"

// sure is the answer that is always given.
func sure(answer string) dist { return dist{answer: big.NewRat(1, 1)} }

// join puts values together.
func join(values []string) string {
	values = slices.Clone(values)
	slices.Sort(values)
	return strings.Join(slices.Compact(values), "+")
}

// add adds a part of another distribution.
func (d dist) add(part *big.Rat, other dist) {
	for answer, p := range other {
		if d[answer] == nil {
			d[answer] = new(big.Rat)
		}
		d[answer].Add(d[answer], new(big.Rat).Mul(part, p))
	}
}

// together is the distribution of two answers in one reply. Where only one of them has values those are the answer.
func (d dist) together(other dist) dist {
	out := dist{}
	for a, p := range d {
		for b, q := range other {
			out.add(new(big.Rat).Mul(p, q), sure(bothOf(a, b)))
		}
	}
	return out
}

func bothOf(a, b string) string {
	word := func(s string) bool {
		return slices.Contains([]string{"", nodata, "nxdomain", "servfail", "refused"}, s)
	}
	switch {
	case a == "" || word(a) && !word(b):
		return b
	case word(b):
		return a
	}
	return join(append(strings.Split(a, "+"), strings.Split(b, "+")...))
}

// isWord reports whether an answer has no values.
func isWord(answer string) bool {
	return slices.Contains([]string{"", nodata, "nxdomain", "servfail", "refused"}, answer)
}

// String is written in the order of the answers: "1/3 a, 2/3 b".
func (d dist) String() string {
	var out []string
	for _, answer := range slices.Sorted(maps.Keys(d)) {
		out = append(out, fmt.Sprintf("%s %s", d[answer].RatString(), answer))
	}
	return strings.Join(out, ", ")
}

// support is the answers.
func (d dist) support() []string { return slices.Sorted(maps.Keys(d)) }

func (d dist) sum() *big.Rat {
	sum := new(big.Rat)
	for _, p := range d {
		sum.Add(sum, p)
	}
	return sum
}

// withoutNXDomain takes NXDOMAIN and NODATA as one answer.
func (d dist) withoutNXDomain() dist {
	out := dist{}
	for answer, p := range d {
		if answer == "nxdomain" {
			answer = nodata
		}
		out.add(p, sure(answer))
	}
	return out
}
