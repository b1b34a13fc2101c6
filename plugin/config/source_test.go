package config

import (
	"net/netip"
	"testing"
)

func TestSource(t *testing.T) {
	tests := []struct {
		from, to string
		text     string
		prefixes []string
	}{
		{"192.0.2.0", "192.0.2.255", "192.0.2.0/24", []string{"192.0.2.0/24"}},
		{"192.0.2.7", "192.0.2.7", "192.0.2.7/32", []string{"192.0.2.7/32"}},
		{"192.0.2.1", "192.0.2.4", "192.0.2.1-192.0.2.4", []string{"192.0.2.1/32", "192.0.2.2/31", "192.0.2.4/32"}},
		{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::/32", []string{"2001:db8::/32"}},
		{"0.0.0.0", "255.255.255.255", "0.0.0.0/0", []string{"0.0.0.0/0"}},
		{"192.0.2.4", "192.0.2.1", "192.0.2.4-192.0.2.1", nil},
		{"192.0.2.4", "2001:db8::", "192.0.2.4-2001:db8::", nil},
	}
	for _, tt := range tests {
		s := Source{From: netip.MustParseAddr(tt.from), To: netip.MustParseAddr(tt.to)}
		if got := s.String(); got != tt.text {
			t.Errorf("Expected %s, got %s", tt.text, got)
		}
		if s.IsValid() != (tt.prefixes != nil) {
			t.Errorf("Expected %s to be valid: %v", s, tt.prefixes != nil)
		}
		prefixes := s.Prefixes()
		if len(prefixes) != len(tt.prefixes) {
			t.Fatalf("Expected %v of %s, got %v", tt.prefixes, s, prefixes)
		}
		for i, p := range prefixes {
			if p.String() != tt.prefixes[i] {
				t.Errorf("Expected %v of %s, got %v", tt.prefixes, s, prefixes)
			}
		}
		if len(prefixes) == 1 && SourceOf(prefixes[0]) != s {
			t.Errorf("Expected %s of %s, got %s", s, prefixes[0], SourceOf(prefixes[0]))
		}
	}
}

func TestRelativeName(t *testing.T) {
	tests := []struct{ name, zone, want string }{
		{"www.example.org.", "example.org.", "www"},
		{"*.a.example.org.", "example.org.", "*.a"},
		{"example.org.", "example.org.", "@"},
		{"www.", ".", "www"},
		{".", ".", "@"},
	}
	for _, tt := range tests {
		if got := RelativeName(tt.name, tt.zone); got != tt.want {
			t.Errorf("Expected %s of %s in %s, got %s", tt.want, tt.name, tt.zone, got)
		}
	}
}
