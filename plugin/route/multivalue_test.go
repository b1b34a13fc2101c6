package route

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func TestMultivalue(t *testing.T) {
	repeat := func(words ...string) string { return strings.Join(words, " ") }
	times := func(n int, word string) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
	for _, c := range []struct{ id, health, want string }{
		{"T-093", times(3, "H"), times(3, "1")},
		{"T-094", times(8, "H"), times(8, "1")},
		{"T-095", times(10, "H"), times(10, "4/5")},
		{"T-096", repeat("U U", times(8, "H")), repeat("0 0", times(8, "1"))},
		{"T-097", repeat(times(5, "U"), times(5, "H")), repeat(times(5, "0"), times(5, "1"))},
		{"T-098", times(10, "U"), times(10, "4/5")},
		{"T-099", "H U U U U -", "1 0 0 0 0 1"},
		{"T-100", times(3, "U"), times(3, "1")},
	} {
		t.Run(c.id, func(t *testing.T) {
			var records, states []string
			for i, letter := range strings.Fields(c.health) {
				records = append(records, fmt.Sprintf("record 192.0.2.%d", i+1))
				states = append(states, fmt.Sprintf("192.0.2.%d %s", i+1, letter))
			}
			f := compile(t, "group www multivalue {\nprobe p\n"+strings.Join(records, "\n")+"\n}", strings.Join(states, ","))
			if got := f.shares("www", dns.TypeA); got != c.want {
				t.Errorf("Expected shares %s, got %s", c.want, got)
			}
			s := f.set("www", dns.TypeA)
			rnd := seeded()
			for range 100 {
				got := answered(s, rnd)
				if want := min(8, len(strings.Fields(c.health))-strings.Count(c.want, "0")); len(got) != want {
					t.Fatalf("Expected %d records, got %v", want, got)
				}
				for i := 1; i < len(got); i++ {
					if got[i] == got[i-1] {
						t.Fatalf("Expected each record at most once, got %v", got)
					}
				}
			}
		})
	}
}

// TestSampleDraws holds the sample above the cap against its exact shares.
func TestSampleDraws(t *testing.T) {
	f := compile(t, `group www multivalue {
		max 2
		record 192.0.2.1
		record 192.0.2.2
		record 192.0.2.3
		record 192.0.2.4
		record 192.0.2.5
	}`, "")
	s := f.set("www", dns.TypeA)
	rnd := seeded()
	drawn := map[string]int{}
	const draws = 20_000
	for range draws {
		drawn[fmt.Sprint(answered(s, rnd))]++
	}
	if len(drawn) != 10 {
		t.Errorf("Expected all 10 pairs of 5, got %d", len(drawn))
	}
	for pair, n := range drawn {
		if part := float64(n) / draws; part < 0.08 || part > 0.12 {
			t.Errorf("Expected pair %s in a tenth of the answers, got %.3f", pair, part)
		}
	}
}

// TestNothingFromManyRecords: a last resort that answers no record does so from however many, also where their samples cannot be listed.
func TestNothingFromManyRecords(t *testing.T) {
	for _, n := range []int{2, 9, 26, 100} {
		var records, states []string
		for i := range n {
			records = append(records, fmt.Sprintf("record 192.0.2.%d", i+1))
			states = append(states, fmt.Sprintf("192.0.2.%d U", i+1))
		}
		f := compile(t, "group www multivalue {\nprobe p\nlast_resort nxdomain\n"+strings.Join(records, "\n")+"\n}", strings.Join(states, ","))
		if can, _ := f.set("www", dns.TypeA).CanAnswer(&Query{}); can {
			t.Errorf("Expected no answer from %d unusable records, got one", n)
		}
	}
}
