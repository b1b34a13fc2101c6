package scenario

import (
	"slices"
	"testing"
)

// TestScopes holds the keys of server blocks, as CoreDNS writes them, and what tells blocks apart that share theirs.
func TestScopes(t *testing.T) {
	const block = " {\nhealthroute {\n}\n}\n"
	text := "example.org" + block + "Example.ORG:53" + block + "tls://example.org example.net:5353" + block + "10.0.0.0/23" + block
	blocks, problems := Load(Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(text)}})
	if problems.Errors() != nil {
		t.Fatal(problems)
	}
	var got []string
	for _, b := range blocks {
		got = append(got, b.Scope)
	}
	want := []string{
		"dns://example.org.:53 #0", "dns://example.org.:53 #1", "tls://example.org.:853 dns://example.net.:5353 #0",
		"dns://0.0.10.in-addr.arpa.:53 dns://1.0.10.in-addr.arpa.:53 #0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("Expected\n%q, got\n%q", want, got)
	}
	if listener, zone := SplitKey("tls://example.org.:853"); listener != "tls://:853" || zone != "example.org." {
		t.Errorf("Expected listener and zone, got %q, %q", listener, zone)
	}
}
