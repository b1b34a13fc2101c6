package config

import (
	"strings"
	"testing"
)

func TestCanonicalName(t *testing.T) {
	tests := []struct{ name, want string }{
		{"www.Example.ORG.", "www.example.org."},
		{"www.example.org", "www.example.org."},
		{".", "."},
		{"*.Apps.example.org.", "*.apps.example.org."},
		{`\087ww.example.org.`, "www.example.org."},
		{`\119ww.example.org.`, "www.example.org."},
		{`a\.b.example.org.`, `a\.b.example.org.`},
		{`a\046b.example.org.`, `a\.b.example.org.`},
		{strings.Repeat("a", 63) + ".", strings.Repeat("a", 63) + "."},
		{strings.Repeat("a", 64) + ".", ""},
		{strings.Repeat("a.", 127), strings.Repeat("a.", 127)},
		{strings.Repeat("a.", 128), ""},
		{"a..b.", ""},
		{".a.", ""},
		{"", ""},
		{"a b.", ""},
		{`a\032b.`, ""},
		{"bücher.", ""},
		{"a\n.", ""},
	}
	for _, tt := range tests {
		got, err := CanonicalName(tt.name)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Expected %q from %q, got %q (%v)", tt.want, tt.name, got, err)
		}
	}
}

func TestIsHostName(t *testing.T) {
	tests := map[string]bool{
		"www.example.org": true, "www.example.org.": true, "localhost": true, "a_b.example.org": true, "3com.example": true,
		"": false, ".": false, "-a.example": false, "a-.example": false, "a..b": false, "*.example.org": false, "a b": false,
		"192.0.2.300": false, "1": false, "ü.example": false, strings.Repeat("a", 64): false, strings.Repeat("a.", 130): false,
	}
	for name, want := range tests {
		if got := isHostName(name); got != want {
			t.Errorf("Expected isHostName(%q) to be %v, got %v", name, want, got)
		}
	}
}

func TestParseAddress(t *testing.T) {
	tests := map[string]string{ // "" for an error
		"192.0.2.1": "192.0.2.1", "10.0.0.1": "10.0.0.1", "127.0.0.1": "127.0.0.1", "240.0.0.1": "240.0.0.1",
		"2001:DB8::1": "2001:db8::1", "::1": "::1", "fe80::1": "fe80::1", "fd00::1": "fd00::1",
		"0.0.0.0": "", "0.0.0.3": "", "224.0.0.1": "", "239.255.255.255": "", "255.255.255.255": "",
		"::": "", "::3": "", "::ffff:192.0.2.1": "", "ff02::1": "", "fe80::1%eth0": "",
		"": "", "3": "", "192.0.2.300": "", "192.0.2": "", "192.0.02.1": "", "192.0.2.1/32": "", "[::1]": "", "www": "",
	}
	for text, want := range tests {
		got, err := ParseAddress(text)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("Expected %q from %q, got %v (%v)", want, text, got, err)
		}
	}
}
