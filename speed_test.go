package healthroute

import (
	"context"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/file"
	"github.com/coredns/coredns/plugin/test"
	"github.com/coredns/coredns/plugin/whoami"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/route"
)

// sink is a response writer that costs nothing, so that a benchmark shows the handler alone.
type sink struct{ test.ResponseWriter }

func (*sink) WriteMsg(*dns.Msg) error { return nil }

// handlerFor starts a handler for the stanza in zone example.org.; it ends with the test.
func handlerFor(tb testing.TB, stanza string, next plugin.Handler) *Handler {
	tb.Helper()
	stanzas, problems := corefile.ParseText("Corefile", stanza, corefile.Env{ServerZones: []string{"example.org."}})
	if errs := problems.Errors(); errs != nil {
		tb.Fatalf("Expected a good stanza, got: %v", errs)
	}
	b := newBlock(stanzas)
	for _, s := range stanzas {
		probers, err := route.Probers(s)
		if err != nil {
			tb.Fatalf("Expected probers, got: %v", err)
		}
		for p, prober := range probers {
			b.probers[p] = prober
		}
	}
	if err := b.compile(); err != nil {
		tb.Fatalf("Expected the stanza to compile, got: %v", err)
	}
	tb.Cleanup(b.lease.Release)
	return &Handler{Next: next, block: b}
}

const weightedStanza = `healthroute {
	group www weighted {
		record 192.0.2.1 weight 10
		record 192.0.2.2 weight 20
		record 192.0.2.3 weight 20
	}
	group *.wild weighted {
		record 192.0.2.1
	}
}`

func question(name string, qtype uint16) *dns.Msg {
	m := new(dns.Msg)
	m.SetQuestion(name, qtype)
	return m
}

func benchmarkHandler(b *testing.B, h plugin.Handler, m *dns.Msg) {
	b.Helper()
	ctx := context.Background()
	w := &sink{}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.ServeDNS(ctx, w, m); err != nil {
			b.Fatalf("Expected an answer, got: %v", err)
		}
	}
}

// The three below are to be compared with each other: what an answer costs, and what CoreDNS's own plugins take for one.

func BenchmarkWeightedAnswer(b *testing.B) {
	benchmarkHandler(b, handlerFor(b, weightedStanza, nil), question("www.example.org.", dns.TypeA))
}

func BenchmarkWhoamiAnswer(b *testing.B) {
	benchmarkHandler(b, whoami.Whoami{}, question("www.example.org.", dns.TypeA))
}

func BenchmarkFileAnswer(b *testing.B) {
	zone, err := file.Parse(strings.NewReader(`
example.org. 30 IN SOA ns hostmaster 1 7200 1800 86400 30
example.org. 30 IN NS ns
www.example.org. 30 IN A 192.0.2.1
`), "example.org.", "stdin", 0)
	if err != nil {
		b.Fatalf("Expected a zone, got: %v", err)
	}
	benchmarkHandler(b, file.File{Zones: file.Zones{
		Z: map[string]*file.Zone{"example.org.": zone}, Names: []string{"example.org."},
	}}, question("www.example.org.", dns.TypeA))
}

// BenchmarkForeignName is a name that is not ours.
func BenchmarkForeignName(b *testing.B) {
	next := plugin.HandlerFunc(func(context.Context, dns.ResponseWriter, *dns.Msg) (int, error) { return dns.RcodeSuccess, nil })
	h := handlerFor(b, weightedStanza, next)
	b.Run("asked", func(b *testing.B) {
		m := question("www.example.net.", dns.TypeA)
		b.ReportAllocs()
		for b.Loop() {
			if _, match := h.asked(m); match.Zone != nil {
				b.Fatal("Expected a foreign name, got ours")
			}
		}
	})
	b.Run("served", func(b *testing.B) { benchmarkHandler(b, h, question("www.example.net.", dns.TypeA)) })
	b.Run("without us", func(b *testing.B) {
		benchmarkHandler(b, plugin.HandlerFunc(func(ctx context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
			return plugin.NextOrFailure("without", next, ctx, w, r)
		}), question("www.example.net.", dns.TypeA))
	})
}
