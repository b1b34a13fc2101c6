package probe

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

func BenchmarkAttemptHTTP(b *testing.B) {
	benchmark(b, proberOf(b, config.ProbeHTTP, wants("OK")), at(serve(b, says(reply("", "OK")))))
}

func BenchmarkAttemptTCP(b *testing.B) {
	benchmark(b, proberOf(b, config.ProbeTCP), at(serve(b, silent)))
}

func benchmark(b *testing.B, prober *Prober, target Target) {
	b.ReportAllocs()
	for b.Loop() {
		if got := prober.Attempt(b.Context(), target); got.Outcome != Pass {
			b.Fatalf("Expected a pass, got %v %q", got.Outcome, got.Reason)
		}
	}
}
