package config

import (
	"fmt"
	"testing"
	"time"
)

// TestDefaultProbe holds the defaults against the tables of the spec (section 0 and 2.3).
func TestDefaultProbe(t *testing.T) {
	for _, test := range []struct {
		preset Preset
		kind   ProbeType
		want   string // interval, from, timeout whole connect response, fall, rise, initial, quorum, verify, codes
	}{
		{"", ProbeHTTP, "10s start 5s 0s 0s 3 2 first 50% false [200-399]"},
		{PresetNone, ProbeHTTPS, "10s start 5s 0s 0s 3 2 first 50% true [200-399]"},
		{"", ProbeTCP, "10s start 5s 0s 0s 3 2 first 50% false []"},
		{PresetRoute53, ProbeHTTP, "30s end 6s 4s 2s 3 3 included more than 18% false [200-399]"},
		{PresetRoute53, ProbeHTTPS, "30s end 6s 4s 2s 3 3 included more than 18% false [200-399]"},
		{PresetRoute53, ProbeTCP, "30s end 10s 0s 0s 3 3 included more than 18% false []"},
		{PresetNLB, ProbeHTTP, "30s start 6s 0s 0s 2 5 excluded more than 50% false [200-399]"},
		{PresetNLB, ProbeHTTPS, "30s start 10s 0s 0s 2 5 excluded more than 50% false [200-399]"},
		{PresetNLB, ProbeTCP, "30s start 10s 0s 0s 2 5 excluded more than 50% false []"},
		{PresetTrafficManager, ProbeHTTP, "30s start 10s 0s 0s 4 1 included 50% false [200]"},
		{PresetTrafficManager, ProbeHTTPS, "30s start 10s 0s 0s 4 1 included 50% false [200]"},
		{PresetTrafficManager, ProbeTCP, "30s start 10s 0s 0s 4 1 included 50% false []"},
	} {
		p := DefaultProbe("web", test.kind, test.preset)
		from := map[bool]string{true: "end", false: "start"}[p.FromEnd]
		got := fmt.Sprint(p.Interval, " ", from, " ", p.Timeout, " ", p.ConnectTimeout, " ", p.ResponseTimeout, " ", p.Fall, " ", p.Rise, " ",
			p.Initial, " ", p.Quorum, " ", p.TLS.Verify, " ", p.HTTP.Expect)
		if got != test.want {
			t.Errorf("Expected %s %s to be %s, got %s", test.preset, test.kind, test.want, got)
		}
	}
	if p := DefaultProbe("all", ProbeCalculated, PresetNLB); p.IsAttempted() || p.Children.Needed(3) != 3 || p.Interval != 0 {
		t.Errorf("Expected a calculated probe to make no attempts and to need all, got %+v", p)
	}
}

// TestFitTimeout fits the timeout to the interval (spec 2.3).
func TestFitTimeout(t *testing.T) {
	for _, test := range []struct {
		preset   Preset
		kind     ProbeType
		interval time.Duration
		fromEnd  bool
		want     time.Duration
	}{
		{"", ProbeHTTP, 5 * time.Second, false, 4 * time.Second},
		{"", ProbeHTTP, 2 * time.Second, false, time.Second},
		{"", ProbeHTTP, 2 * time.Second, true, 5 * time.Second},
		{PresetTrafficManager, ProbeHTTP, 10 * time.Second, false, 9 * time.Second},
		{PresetNLB, ProbeHTTP, 5 * time.Second, false, 4 * time.Second},
		{PresetNLB, ProbeTCP, 300 * time.Second, false, 10 * time.Second},
		{PresetRoute53, ProbeHTTP, 10 * time.Second, true, 6 * time.Second},
		{PresetRoute53, ProbeTCP, 10 * time.Second, true, 10 * time.Second},
	} {
		p := DefaultProbe("web", test.kind, test.preset)
		p.Interval, p.FromEnd = test.interval, test.fromEnd
		if p.FitTimeout(); p.Timeout != test.want {
			t.Errorf("Expected %s %s at interval %s to have timeout %s, got %s", test.preset, test.kind, test.interval, test.want, p.Timeout)
		}
	}
}

// TestFirstPassAdmits is the row of the switch (spec, section 0).
func TestFirstPassAdmits(t *testing.T) {
	want := map[Preset]bool{"": true, PresetRoute53: false, PresetNLB: true, PresetTrafficManager: true}
	for preset, admits := range want {
		if got := DefaultProbe("web", ProbeHTTP, preset).FirstPassAdmits(); got != admits {
			t.Errorf("Expected first-pass-admits %v of preset %q, got %v", admits, preset, got)
		}
	}
}

// TestNeeded counts the children that are needed (spec 2.7).
func TestNeeded(t *testing.T) {
	for _, test := range []struct {
		children Children
		of, want int
		word     string
	}{
		{Children{Healthy: 2}, 3, 2, "2"},
		{Children{Healthy: 0}, 3, 0, "0"},
		{Children{Healthy: 4}, 3, 4, "4"},
		{Children{Healthy: 100, Percent: true}, 3, 3, "all"},
		{Children{Healthy: 1}, 3, 1, "any"},
		{Children{Healthy: 50, Percent: true}, 3, 2, "50%"},
		{Children{Healthy: 1, Percent: true}, 255, 3, "1%"},
		{Children{Healthy: 0, Percent: true}, 3, 0, "0%"},
	} {
		if got := test.children.Needed(test.of); got != test.want || test.children.HealthyWord() != test.word {
			t.Errorf("Expected %s of %d to need %d, got %d (%s)", test.word, test.of, test.want, got, test.children.HealthyWord())
		}
	}
}
