package route

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

// weightedCases are the cases of spec 4.4: weights, health (letters as there, - for no check) and exact shares.
var weightedCases = []struct{ id, weights, health, want string }{
	{"T-005", "10 20 20", "H H H", "1/5 2/5 2/5"},
	{"T-006", "10 20 20", "H H U", "1/3 2/3 0"},
	{"T-007", "10 20 20", "H U U", "1 0 0"},
	{"T-008", "10 20 20", "U H U", "0 1 0"},
	{"T-009", "10 20 20", "U U U", "1/5 2/5 2/5"},
	{"T-010", "10 20 20", "U U -", "0 0 1"},
	{"T-011", "10 20 20", "H H -", "1/5 2/5 2/5"},
	{"T-012", "10 20 20", "- - -", "1/5 2/5 2/5"},
	{"T-013", "1 255", "H H", "1/256 255/256"},
	{"T-014", "0 0 0", "H H H", "1/3 1/3 1/3"},
	{"T-015", "0 0 0", "H H U", "1/2 1/2 0"},
	{"T-016", "0 0 0", "U U U", "1/3 1/3 1/3"},
	{"T-017", "1 1 0", "H H H", "1/2 1/2 0"},
	{"T-018", "1 1 0", "U U H", "0 0 1"},
	{"T-019", "1 1 0", "U U U", "1/2 1/2 0"},
	{"T-020", "1 1 0", "U H U", "0 1 0"},
	{"T-021", "1 1 0", "H H U", "1/2 1/2 0"},
	{"T-022", "1 1 0", "H H -", "1/2 1/2 0"},
	{"T-023", "1 1 0", "U U -", "0 0 1"},
	{"T-024", "1 1 0", "U H -", "0 1 0"},
	{"T-025", "10 0 0", "U H H", "0 1/2 1/2"},
	{"T-026", "10 0 0", "U U U", "1 0 0"},
	{"T-027", "5", "U", "1"},
	{"T-028", "1 1", "H N", "1/2 1/2"},
}

// weightedGroup writes the group and the health of its addresses, 192.0.2.1 and on.
func weightedGroup(weights, health string) (body, healthOf string) {
	letters := strings.Fields(health)
	var records, states []string
	for i, w := range strings.Fields(weights) {
		records = append(records, fmt.Sprintf("record 192.0.2.%d weight %s", i+1, w))
		states = append(states, fmt.Sprintf("192.0.2.%d %s", i+1, letters[i]))
	}
	return "group www weighted {\nprobe p\n" + strings.Join(records, "\n") + "\n}", strings.Join(states, ",")
}

func TestWeightedShares(t *testing.T) {
	for _, c := range weightedCases {
		t.Run(c.id, func(t *testing.T) {
			f := compile(t, mustGroup(c.weights, c.health), states(c.weights, c.health))
			if got := f.shares("www", dns.TypeA); got != c.want {
				t.Errorf("Expected shares %s, got %s", c.want, got)
			}
		})
	}
}

func mustGroup(weights, health string) string { body, _ := weightedGroup(weights, health); return body }
func states(weights, health string) string    { _, s := weightedGroup(weights, health); return s }

// TestWeightedDraws holds the draws against the exact shares (spec, section 0: 20,000 draws, within 0.02).
func TestWeightedDraws(t *testing.T) {
	const draws = 20_000
	for _, c := range weightedCases {
		t.Run(c.id, func(t *testing.T) {
			f := compile(t, mustGroup(c.weights, c.health), states(c.weights, c.health))
			s := f.set("www", dns.TypeA)
			drawn := map[*Record]int{}
			rnd := seeded()
			for range draws {
				drawn[s.Choose(&Query{Rand: rnd}).One.Record]++
			}
			for i, word := range strings.Fields(c.want) {
				part, _ := new(big.Rat).SetString(word)
				want, _ := part.Float64()
				r := s.Candidates[i].Record
				if got := float64(drawn[r]) / draws; math.Abs(got-want) > 0.02 || want == 0 && got != 0 {
					t.Errorf("Expected %s for %s, got %.4f", word, r.ID, got)
				}
			}
		})
	}
}

// counting is a source that walks through every pair of numbers that a draw from the table can take.
type counting struct{ column, height uint64 }

func (c *counting) Uint64N(uint64) uint64 {
	next := c.column
	c.column = c.height
	return next
}

// TestAliasTableIsExact counts all outcomes of a draw: each index must come out exactly in proportion to its weight.
func TestAliasTableIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Uint64Range(1, 12), 1, 9).Draw(t, "weights")
		table := newAliasTable(weights)
		drawn := make([]uint64, len(weights))
		for column := range uint64(len(weights)) {
			for height := range table.total {
				drawn[table.draw(&counting{column, height})]++
			}
		}
		for i, w := range weights {
			if want := w * uint64(len(weights)); drawn[i] != want {
				t.Fatalf("Expected %d of %d outcomes for index %d, got %d", want, table.total*uint64(len(weights)), i, drawn[i])
			}
		}
	})
}
