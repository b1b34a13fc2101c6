package corefile

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse reads a stanza of 10,000 groups.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("healthroute {\nprobe web http\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "group g%d weighted {\nprobe web\nrecord 192.0.2.1 weight 10\nrecord 192.0.2.2,2001:db8::2 weight 20 site fra\n}\n", i)
	}
	text.WriteString("}\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := ParseText("Corefile", text.String(), Env{ServerZones: []string{"example.org."}}); problems.Errors() != nil {
			b.Fatalf("Expected a good stanza, got: %v", problems)
		}
	}
}
