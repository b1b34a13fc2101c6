package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/scenario"
)

// BenchmarkWorlds compares Corefiles of 10,000 groups: equal ones, and ones that differ in every group.
func BenchmarkWorlds(b *testing.B) {
	const groups = 10_000
	world := func(ttl string) *scenario.World {
		var text strings.Builder
		fmt.Fprintf(&text, "example.org {\nhealthroute {\nttl %s\nprobe web http\n", ttl)
		for i := range groups {
			fmt.Fprintf(&text, "group g%d weighted {\nprobe web\nrecord 10.0.%d.%d weight 1\nrecord 10.1.%d.%d weight 2\n}\n", i, i/250, i%250+1, i/250, i%250+1)
		}
		text.WriteString("}\n}\n")
		w, problems := scenario.NewWorld(scenario.Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(text.String())}})
		if w == nil {
			b.Fatal(problems.Errors())
		}
		return w
	}
	for name, ttl := range map[string]string{"equal": "30s", "each differs": "20s"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				before, after := world("30s"), world(ttl)
				b.StartTimer()
				report := Worlds(before, after)
				if report.Empty() != (ttl == "30s") {
					b.Fatal(report.Text())
				}
				b.StopTimer()
				before.Close()
				after.Close()
				b.StartTimer()
			}
		})
	}
}
