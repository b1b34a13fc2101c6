package health

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestStatus is the table of spec 2.9, with H-40, H-41 and what 2.5 and 3.1 say of records without a verdict.
func TestStatus(t *testing.T) {
	const first, included, excluded = config.InitialFirst, config.InitialIncluded, config.InitialExcluded
	for _, tc := range []struct {
		name    string
		assume  config.Assume
		invert  bool
		raw     Verdict
		initial config.Initial
		status  Status
		usable  bool
	}{
		{"up", "", false, Up, first, Healthy, true},
		{"down", "", false, Down, first, Unhealthy, false},
		{"up, inverted", "", true, Up, first, Unhealthy, false},
		{"down, inverted", "", true, Down, first, Healthy, true},

		{"H-41 new, first", "", false, NoVerdict, first, Checking, true},
		{"H-41 new, included", "", false, NoVerdict, included, Checking, true},
		{"H-41 new, excluded", "", false, NoVerdict, excluded, Checking, false},
		{"H-41 new, first, inverted", "", true, NoVerdict, first, Checking, false},
		{"H-41 new, included, inverted", "", true, NoVerdict, included, Checking, false},
		{"H-41 new, excluded, inverted", "", true, NoVerdict, excluded, Checking, false},
		{"excluded does not outlast the verdict", "", false, Up, excluded, Healthy, true},

		{"H-40 disabled, up", config.AssumeHealthy, false, Up, first, Healthy, true},
		{"H-40 disabled, down", config.AssumeHealthy, false, Down, first, Healthy, true},
		{"H-40 disabled, new", config.AssumeHealthy, false, NoVerdict, excluded, Healthy, true},
		{"H-40 disabled and inverted, up", config.AssumeHealthy, true, Up, first, Unhealthy, false},
		{"H-40 disabled and inverted, down", config.AssumeHealthy, true, Down, first, Unhealthy, false},
		{"H-40 disabled and inverted, new", config.AssumeHealthy, true, NoVerdict, first, Unhealthy, false},
		{"assumed unhealthy", config.AssumeUnhealthy, false, Up, first, Unhealthy, false},
		{"assumed unhealthy, new", config.AssumeUnhealthy, false, NoVerdict, first, Unhealthy, false},
		{"assumed unhealthy, inverted", config.AssumeUnhealthy, true, Down, first, Healthy, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := tcp(func(p *config.Probe) { p.Assume, p.Invert, p.Initial = tc.assume, tc.invert, tc.initial })
			got := statusOf(tc.raw, p)
			equal(t, "status", got, tc.status)
			equal(t, "usable", usable(got, p), tc.usable)
		})
	}
}

// TestUnmonitored is in the answers, always (spec 3.1).
func TestUnmonitored(t *testing.T) {
	equal(t, "usable", usable(Unmonitored, tcp(nil)), true)
}

// TestStatusWords are the design's.
func TestStatusWords(t *testing.T) {
	var got []string
	for s := Checking; s <= Stopped; s++ {
		got = append(got, s.String())
	}
	same(t, "words", got, "checking", "healthy", "unhealthy", "unmonitored", "stopped")
	equal(t, "verdicts", NoVerdict.String()+" "+Up.String()+" "+Down.String(), "none up down")
}
