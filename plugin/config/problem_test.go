package config

import (
	"strings"
	"testing"
	"time"
)

func TestNearest(t *testing.T) {
	words := []string{"weight", "site", "probe", "id", "ttl", "primary", "AAAA", "on", "off"}
	tests := []struct{ token, want string }{
		{"wieght", "weight"}, {"weigth", "weight"}, {"weght", "weight"}, {"wait", ""}, {"WEIGHT", "weight"},
		{"stie", "site"}, {"prob", "probe"}, {"proeb", "probe"}, {"primry", "primary"}, {"tll", "ttl"}, {"di", "id"},
		{"aaa", "AAAA"}, {"oof", "off"}, {"3", ""}, {"", ""}, {"192.0.2.1", ""}, {"zzzzzz", ""},
		{strings.Repeat("weight", 1000), ""},
	}
	for _, tt := range tests {
		if got := Nearest(tt.token, words); got != tt.want {
			t.Errorf("Expected %q as the word nearest to %q, got %q", tt.want, tt.token, got)
		}
	}
}

func TestProblems(t *testing.T) {
	at := Position{File: "Corefile", Line: 3}
	ps := Problems{
		{Position: at, Message: `unknown word "a"`, Expected: "b or c", Nearest: "b"},
		{Message: "unused", Warning: true},
	}
	if got, want := ps.Error(), "Corefile:3: unknown word \"a\": expected b or c; did you mean \"b\"?\nunused"; got != want {
		t.Errorf("Expected %q, got %q", want, got)
	}
	if errs, warnings := ps.Errors(), ps.Warnings(); len(errs) != 1 || len(warnings) != 1 || errs[0].Warning || !warnings[0].Warning {
		t.Errorf("Expected one error and one warning, got %v and %v", errs, warnings)
	}
	if got := (Problems)(nil).Errors(); got != nil {
		t.Errorf("Expected no error, got %v", got)
	}
}

func TestOneOf(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := OneOf(words); got != want {
			t.Errorf("Expected %q of %v, got %q", want, words, got)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 30 * time.Second: "30s", time.Minute: "1m", time.Hour: "1h", 90 * time.Minute: "1h30m",
		time.Hour + time.Second: "1h0m1s", 10 * time.Second: "10s", 10 * time.Minute: "10m", 1500 * time.Millisecond: "1.5s",
	} {
		got := FormatDuration(d)
		if back, err := time.ParseDuration(got); got != want || err != nil || back != d {
			t.Errorf("Expected %q of %v, got %q (%v, %v)", want, d, got, back, err)
		}
	}
}
