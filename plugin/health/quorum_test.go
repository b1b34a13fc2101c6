package health

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

var (
	half     = config.Quorum{}
	over18   = config.Quorum{Percent: 18, More: true}
	majority = config.Quorum{Percent: 50, More: true}
)

// TestQuorum is the table of spec 2.6, and H-29 to H-31.
func TestQuorum(t *testing.T) {
	for _, tc := range []struct {
		name string
		rule config.Quorum
		n, h int
		want Verdict
	}{
		{"H-29 3 of 16", over18, 16, 3, Up},
		{"H-29 2 of 16", over18, 16, 2, Down},
		{"H-30 9 of 50 is exactly 18 %", over18, 50, 9, Down},
		{"10 of 50", over18, 50, 10, Up},
		{"18 of 100", over18, 100, 18, Down},
		{"19 of 100", over18, 100, 19, Up},
		{"H-31 2 of 4", half, 4, 2, Up},
		{"H-31 1 of 4", half, 4, 1, Down},
		{"1 of 2", half, 2, 1, Up},
		{"1 of 3", half, 3, 1, Down},
		{"2 of 3", half, 3, 2, Up},
		{"3 of 5", half, 5, 3, Up},
		{"2 of 5", half, 5, 2, Down},
		{"a majority of 2", majority, 2, 1, Down},
		{"a majority of 3", majority, 3, 2, Up},
		{"all", config.Quorum{Percent: 100}, 3, 2, Down},
		{"all of them", config.Quorum{Percent: 100}, 3, 3, Up},
		{"nobody", half, 0, 0, NoVerdict},
	} {
		if got := Quorum(tc.rule, tc.n, tc.h); got != tc.want {
			t.Errorf("%s: Expected %s, got %s", tc.name, tc.want, got)
		}
	}
	for _, rule := range []config.Quorum{half, over18, majority} {
		equal(t, "one observer, up", Quorum(rule, 1, 1), Up)
		equal(t, "one observer, down", Quorum(rule, 1, 0), Down)
	}
}

// TestSmallestQuorum is the list of spec 2.6.
func TestSmallestQuorum(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 1, 3: 1, 5: 1, 6: 2, 8: 2, 10: 2, 11: 2, 15: 3, 16: 3} {
		h := 0
		for Quorum(over18, n, h) != Up {
			h++
		}
		if h != want {
			t.Errorf("Expected %d of %d to be the fewest that are enough, got %d", want, n, h)
		}
	}
}

// TestQuorumModel compares the rule with fractions, written out.
func TestQuorumModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := config.Quorum{Percent: rapid.IntRange(1, 100).Draw(t, "percent"), More: rapid.Bool().Draw(t, "more")}
		n := rapid.IntRange(1, 300).Draw(t, "n")
		h := rapid.IntRange(0, n).Draw(t, "h")
		missing := 0 // hundredths of a vote that are lacking
		for range n {
			missing += rule.Percent
		}
		for range h {
			missing -= 100
		}
		want := Down
		if missing < 0 || missing == 0 && !rule.More {
			want = Up
		}
		if got := Quorum(rule, n, h); got != want {
			t.Fatalf("Expected %s of %d of %d with %s, got %s", want, h, n, rule, got)
		}
	})
}
