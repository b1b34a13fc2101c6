package state

import (
	"fmt"
	"testing"

	"github.com/healthroute/healthroute/plugin/health"
)

// many is a state of so many checks.
func many(n int) State {
	s := sample()
	one := s.Health.Checks[0]
	s.Health.Checks = make([]health.Known, n)
	for i := range s.Health.Checks {
		one.Identity = fmt.Sprintf("%064x", i)
		s.Health.Checks[i] = one
	}
	return s
}

// BenchmarkEncode is what a write costs beside the disk, for 10,000 checks.
func BenchmarkEncode(b *testing.B) {
	s := many(10_000)
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(len(encoded(b, s))))
	}
}

// BenchmarkDecode is what a start costs, for 10,000 checks.
func BenchmarkDecode(b *testing.B) {
	text := encoded(b, many(10_000))
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
