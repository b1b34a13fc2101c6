package main

import (
	"slices"
	"testing"
)

func TestTable(t *testing.T) {
	one := answer{addresses: []string{"127.0.0.11"}}
	two := answer{addresses: []string{"127.0.0.12"}}
	three := answer{addresses: []string{"127.0.0.13"}}
	all := answer{addresses: demoHosts}
	lost := answer{problem: "no reply"}
	several := func(counts ...int) (answers []answer) {
		for i, a := range []answer{one, two, three, lost} {
			if i < len(counts) {
				answers = append(answers, slices.Repeat([]answer{a}, counts[i])...)
			}
		}
		return answers
	}
	got := tableHead() +
		tableRow(snapshot{1, one, several(4, 8, 8), all}) +
		tableRow(snapshot{6, two, several(0, 9, 11), answer{addresses: []string{"127.0.0.12", "127.0.0.13"}}}) +
		tableRow(snapshot{16, one, several(20), one}) +
		tableRow(snapshot{17, one, several(6, 0, 12, 2), answer{addresses: []string{"127.0.0.11", "127.0.0.13"}}}) +
		tableRow(snapshot{18, answer{problem: "SERVFAIL"}, several(0, 0, 0, 20), answer{problem: "NODATA"}})
	want := `
 time  www         app, of 20 queries  all
       failover     .11  .12  .13      multivalue
   1s  127.0.0.11     4    8    8      .11 .12 .13
   6s  127.0.0.12     0    9   11          .12 .13
  16s  127.0.0.11    20    0    0      .11
  17s  127.0.0.11     6    0   12 -2   .11     .13
  18s  SERVFAIL    no reply            NODATA
`[1:]
	if got != want {
		t.Errorf("Expected\n%s\ngot\n%s", want, got)
	}
}

func TestLogLine(t *testing.T) {
	for _, tc := range []struct{ given, want string }{
		{"[INFO] plugin/healthroute: web is unhealthy\n", "       log: web is unhealthy\n"},
		{"[WARNING] plugin/healthroute: nothing works\n", "       log: [WARNING] nothing works\n"},
		{"[ERROR] plugin/errors: 2 www.example.org. A: boom\n", ""},
		{"maxprocs: leaving it\n", ""},
	} {
		if got := logLine(tc.given); got != tc.want {
			t.Errorf("Expected %q of %q, got %q", tc.want, tc.given, got)
		}
	}
}
