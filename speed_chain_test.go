package healthroute

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/file"
	"github.com/miekg/dns"
)

// fileHandler is file with zoneText, and a wildcard of its own.
func fileHandler(tb testing.TB) plugin.Handler {
	tb.Helper()
	zone, err := file.Parse(strings.NewReader(zoneText+"*.theirs IN A 198.51.100.92\n"), "example.org.", "stdin", 0)
	if err != nil {
		tb.Fatalf("Expected a zone, got: %v", err)
	}
	return file.File{Zones: file.Zones{Z: map[string]*file.Zone{"example.org.": zone}, Names: []string{"example.org."}}}
}

// BenchmarkBesideFile tells what we cost where file could answer, or does: each case against the chain without us, by turns, so that a busy
// machine is as busy for both.
func BenchmarkBesideFile(b *testing.B) {
	behind := fileHandler(b)
	h := handlerFor(b, weightedStanza, behind)
	authority := handlerFor(b, strings.Replace(weightedStanza, "{", "{\nnameserver ns1.example.net.", 1), behind)
	for _, c := range []struct {
		name         string
		with         plugin.Handler
		ours, theirs string // %d is another number each time
	}{
		{"wildcard, a name asked before", h, "some.wild.example.org.", "some.theirs.example.org."},
		{"wildcard, a new name", h, "n%d.wild.example.org.", "n%d.theirs.example.org."},
		{"wildcard, a new name further down", h, "n%d.deep.wild.example.org.", "n%d.deep.theirs.example.org."},
		{"not owned, in our zone", h, "plain.example.org.", "plain.example.org."},
		{"not owned, under a nameserver", authority, "plain.example.org.", "plain.example.org."},
		{"nobody's, in our zone", h, "gone.example.org.", "gone.example.org."},
		{"nobody's, under a nameserver", authority, "gone.example.org.", "gone.example.org."},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkByTurns(b, c.with, c.ours, behind, c.theirs) })
	}
}

// turn is how many queries go to one chain before the other's turn.
const turn = 200

func benchmarkByTurns(b *testing.B, with plugin.Handler, ours string, without plugin.Handler, theirs string) {
	b.Helper()
	var spent [2]time.Duration
	asked := 0
	for b.Loop() {
		asked += turn
		for i, side := range []struct {
			plugin.Handler
			name string
		}{{with, ours}, {without, theirs}} {
			queries := make([]*dns.Msg, turn)
			for n := range queries {
				queries[n] = question(strings.ReplaceAll(side.name, "%d", fmt.Sprint(asked+n)), dns.TypeA)
			}
			began := time.Now()
			for _, m := range queries {
				if _, err := side.ServeDNS(context.Background(), &sink{}, m); err != nil {
					b.Fatalf("Expected an answer, got: %v", err)
				}
			}
			spent[i] += time.Since(began)
		}
	}
	b.ReportMetric(0, "ns/op") // of a turn of both, which is nothing to know
	b.ReportMetric(float64(spent[0].Nanoseconds())/float64(asked), "ns/with")
	b.ReportMetric(float64(spent[1].Nanoseconds())/float64(asked), "ns/without")
	b.ReportMetric(float64(spent[0])/float64(spent[1]), "ratio")
}
