package route

import (
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// poolOf is a pool of so many targets in two sites, and a group of the policy that stands for it.
func poolOf(targets int, policy string) string {
	var b strings.Builder
	b.WriteString("pool app {\nprobe p\ndns_failover percent 50\nfail_open percent 50\n")
	for i := range targets {
		fmt.Fprintf(&b, "target 10.%d.%d.%d site %c\n", i>>14, i>>7&127, i&127+1, 'a'+i%2)
	}
	b.WriteString("}\ngroup www " + policy + " {\nalias pool app\n}\n")
	return b.String()
}

// BenchmarkPoolRebuild is the time from the verdict on one target until queries see it, with the sites weighed anew, and what a target takes of memory.
func BenchmarkPoolRebuild(b *testing.B) {
	for _, targets := range []int{20, 10_000} {
		b.Run(fmt.Sprintf("targets=%d", targets), func(b *testing.B) {
			before := heap()
			table := compileFor(b, poolOf(targets, "multivalue"))
			kept := heap() - before
			c := table.Pools()[0].Targets()[0].Checks()[0]
			b.ReportAllocs()
			for b.Loop() {
				table.Changed(c)
			}
			b.ReportMetric(float64(kept)/float64(targets), "B/target")
			runtime.KeepAlive(table)
		})
	}
}

// BenchmarkPoolChoose chooses among the targets of a pool: its time must not grow with their number, but for those that answer.
func BenchmarkPoolChoose(b *testing.B) {
	for _, targets := range []int{20, 10_000} {
		benchmarkChoose(b, fmt.Sprintf("multivalue/targets=%d", targets), poolOf(targets, "multivalue"))
		benchmarkChoose(b, fmt.Sprintf("weighted/targets=%d", targets), poolOf(targets, "weighted"))
	}
}

// BenchmarkPoolArrivals is the time in which 1,000 targets that appear at once get their checks and are in the answers, and go again.
func BenchmarkPoolArrivals(b *testing.B) {
	table := compileFor(b, "pool app {\nprobe p\ndrain 0s\ndiscover file none.json\n}\ngroup www multivalue {\nalias pool app\n}")
	var found []config.Found
	for i := range 1_000 {
		found = append(found, config.Found{Address: netip.AddrFrom4([4]byte{10, 0, byte(i >> 7), byte(i&127 + 1)}), Weight: 1})
	}
	pool := table.Pools()[0]
	b.ReportAllocs()
	for b.Loop() {
		for _, list := range [][]config.Found{found, nil} {
			if err := table.Discovered(pool, 0, list); err != nil {
				b.Fatalf("Expected the targets to be taken, got: %v", err)
			}
		}
		table.forget(pool)
	}
}
