package healthroute

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin/file"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// BenchmarkFilter compares what a filter costs with the chain without healthroute, which is *file* with four addresses. All cases are one run, as only
// their relation means anything.
func BenchmarkFilter(b *testing.B) {
	zone, err := file.Parse(strings.NewReader(`
example.org. 30 IN SOA ns hostmaster 1 7200 1800 86400 30
example.org. 30 IN NS ns
www.example.org. 20 IN A 127.0.0.11
www.example.org. 20 IN A 127.0.0.12
www.example.org. 20 IN A 127.0.0.13
www.example.org. 20 IN A 127.0.0.14
`), "example.org.", "stdin", 0)
	if err != nil {
		b.Fatalf("Expected a zone, got: %v", err)
	}
	next := file.File{Zones: file.Zones{Z: map[string]*file.Zone{"example.org.": zone}, Names: []string{"example.org."}}}
	m := question("www.example.org.", dns.TypeA)
	b.Run("without healthroute", func(b *testing.B) { benchmarkHandler(b, next, m) })
	for _, tc := range []struct{ name, lines, down string }{
		{"no filter", "group other simple {\nrecord 192.0.2.1\n}", ""},
		{"filter of other names", "filter *.apps mail {\nprobe web\n}", ""},
		{"nothing to remove", "filter www {\nprobe web\n}", ""},
		{"one of four removed", "filter www {\nprobe web\n}", "127.0.0.11"},
		{"TTL capped", "filter www {\nprobe web\nttl 5s\n}", ""},
	} {
		b.Run(tc.name, func(b *testing.B) {
			h := filtering(b, stanza("probe web tcp {\nport 9\ninterval 1h\n}", tc.lines), next)
			serve(b, h, m)
			if f := h.block.table.FilterOf("www.example.org."); f != nil {
				for i := range 4 {
					a := fmt.Sprintf("127.0.0.%d", 11+i)
					status := health.Healthy
					if a == tc.down {
						status = health.Unhealthy
					}
					for c := f.Check(netip.MustParseAddr(a)); ; c = f.Check(netip.MustParseAddr(a)) {
						if c != nil && c.Attempted() {
							engine.Force(c, status)
							break
						}
					}
				}
			}
			benchmarkHandler(b, h, m)
		})
	}
}
