package main

import "testing"

func TestScriptIsPlayable(t *testing.T) {
	last := 0
	for i, e := range demoScript {
		if e.second < last || e.second < 1 || e.second > demoSeconds {
			t.Errorf("Expected event %d between second %d and %d, got %d", i, last, demoSeconds, e.second)
		}
		last = e.second
		if e.host < 0 || e.host >= len(demoHosts) {
			t.Errorf("Expected event %d to have one of %d hosts, got %d", i, len(demoHosts), e.host)
		}
	}
}

// Each way to die is shown, at some time everything is dead, and in the end everything works.
func TestScriptTellsTheStory(t *testing.T) {
	now := make([]mode, len(demoHosts))
	seen := map[mode]bool{}
	allDead := false
	for _, e := range demoScript {
		now[e.host] = e.mode
		seen[e.mode] = true
		dead := 0
		for _, m := range now {
			if m != modeUp {
				dead++
			}
		}
		allDead = allDead || dead == len(now)
	}
	for _, m := range []mode{modeUp, modeRefuse, modeHang, modeError} {
		if !seen[m] {
			t.Errorf("Expected mode %d in the script", m)
		}
	}
	if !allDead {
		t.Error("Expected a time when nothing works")
	}
	for i, m := range now {
		if m != modeUp {
			t.Errorf("Expected %s up at the end, got mode %d", demoHosts[i], m)
		}
	}
}

func TestEventLine(t *testing.T) {
	for _, tc := range []struct {
		event event
		want  string
	}{
		{event{4, 0, modeRefuse, ""}, "   4s  kill 127.0.0.11 (connection refused)\n"},
		{event{14, 1, modeHang, ""}, "  14s  hang 127.0.0.12 (accepts, never answers)\n"},
		{event{18, 2, modeError, "two left"}, "  18s  break 127.0.0.13 (status 500): two left\n"},
		{event{27, 2, modeUp, "all is well"}, "  27s  restore 127.0.0.13: all is well\n"},
	} {
		if got := eventLine(tc.event); got != tc.want {
			t.Errorf("Expected %q, got %q", tc.want, got)
		}
	}
}
