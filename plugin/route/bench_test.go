package route

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/miekg/dns"
	"go4.org/netipx"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/locate"
	"github.com/healthroute/healthroute/plugin/probe"
)

// BenchmarkVerdictToView is the time from a verdict until queries see it, which includes the whole rebuild of the group.
func BenchmarkVerdictToView(b *testing.B) {
	for _, records := range []int{3, 100, 10_000} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			l := newLive(b, records)
			l.outcome = func(*health.Check) probe.Outcome { return probe.Pass }
			l.clock.fire()
			c := l.table.Groups()[0].Records[0].Checks()[0]
			b.ReportAllocs()
			for b.Loop() {
				l.table.Changed(c)
			}
		})
	}
}

// BenchmarkChoose draws from groups of several policies and sizes; the time of a weighted draw must not grow with the number of records.
func BenchmarkChoose(b *testing.B) {
	for _, records := range []int{3, 100, 10_000} {
		benchmarkChoose(b, fmt.Sprintf("weighted/records=%d", records), "group www weighted {\n"+addresses(records, "")+"}")
	}
	benchmarkChoose(b, "sticky/records=100", "group www weighted {\nsticky\n"+addresses(100, "")+"}")
	benchmarkChoose(b, "priority/records=100", "group www priority {\n"+addresses(100, "")+"}")
	benchmarkChoose(b, "multivalue/records=100", "group www multivalue {\n"+addresses(100, "")+"}")
	benchmarkChoose(b, "roundrobin/records=100", "group www roundrobin {\n"+addresses(100, "")+"}")
	benchmarkChoose(b, "subnet/prefixes=100000", "group www subnet {\n"+prefixes(100_000, 100)+"record 10.255.0.1 default\n}")
	benchmarkChoose(b, "alias/depth=3", `group www failover {
		alias two primary
		record 10.0.0.1 secondary
	}
	group two weighted {
		hidden
		alias three
	}
	group three weighted {
		hidden
		record 10.0.0.2
		record 10.0.0.3
	}`)
}

// BenchmarkGeo chooses by a country that an .mmdb file tells; every query is another client's.
func BenchmarkGeo(b *testing.B) {
	w, err := mmdbwriter.New(mmdbwriter.Options{
		DatabaseType: "GeoLite2-Country", IncludeReservedNetworks: true, Description: map[string]string{"en": "benchmark"},
	})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 50_000 {
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 0}), 24)
		country := mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String([]string{"CH", "JP"}[i%2])}}
		if err := w.Insert(netipx.PrefixIPNet(p), country); err != nil {
			b.Fatal(err)
		}
	}
	file := filepath.Join(b.TempDir(), "country.mmdb")
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	l, err := locate.Open([]string{file}, "")
	if err != nil {
		b.Fatal(err)
	}
	s := compileFor(b, "group www geo {\nrecord 10.0.0.1 country CH\nrecord 10.0.0.2 country JP\nrecord 10.0.0.3 default\n}").
		Groups()[0].View().Set(dns.TypeA)
	q := &Query{Rand: seeded()}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i = (i + 7919) % 50_000
		client := l.Client(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 0}), 24))
		q.Client = &client
		if s.Choose(q).One == nil {
			b.Fatal("Expected a record, got none")
		}
	}
}

// benchmarkChoose chooses for one client, down to records with values.
func benchmarkChoose(b *testing.B, name, body string) {
	b.Run(name, func(b *testing.B) {
		s := compileFor(b, body).Groups()[0].View().Set(dns.TypeA)
		rnd := seeded()
		client := &locate.Client{Network: netip.MustParsePrefix("10.0.9.0/24")}
		q := &Query{Rand: rnd, Client: client}
		b.ReportAllocs()
		for b.Loop() {
			c := s.Choose(q)
			for c.One != nil && c.One.Target != nil {
				c = c.One.Target.Set(dns.TypeA).Choose(q)
			}
			if c.Len() == 0 {
				b.Fatal("Expected a record, got none")
			}
		}
	})
}

// addresses are so many records, each with an option.
func addresses(n int, option string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "record 10.%d.%d.%d %s\n", i>>14, i>>7&127, i&127+1, option)
	}
	return b.String()
}

// prefixes are records for so many /24 blocks, every other one of the address space from 10.0.0.0 on.
func prefixes(n, records int) string {
	var b strings.Builder
	for r := range records {
		var from []string
		for i := r; i < n; i += records {
			from = append(from, fmt.Sprintf("%d.%d.%d.0/24", 10+i>>15, i>>7&255, i<<1&255))
		}
		fmt.Fprintf(&b, "record 10.254.0.%d from %s\n", r+1, strings.Join(from, ","))
	}
	return b.String()
}

func compileFor(tb testing.TB, body string) *Table {
	tb.Helper()
	text := "healthroute {\nprobe p tcp {\nport 80\n}\n" + body + "\n}"
	stanzas, problems := corefile.ParseText("Corefile", text, corefile.Env{ServerZones: []string{"example.org."}})
	if errs := problems.Errors(); errs != nil {
		tb.Fatalf("Expected a good stanza, got: %v", errs)
	}
	probers, err := Probers(stanzas[0])
	if err != nil {
		tb.Fatalf("Expected probers, got: %v", err)
	}
	lease := health.NewEngine(health.Options{}).Lease(nil)
	tb.Cleanup(lease.Release)
	table := NewTable(quiet{}, nil)
	if err := table.Compile(stanzas, probers, lease); err != nil {
		tb.Fatalf("Expected the stanza to compile, got: %v", err)
	}
	return table
}

// BenchmarkCompile builds a table of many groups, and tells what it keeps of memory for each.
func BenchmarkCompile(b *testing.B) {
	const groups = 100_000
	var text strings.Builder
	text.WriteString("healthroute {\n")
	for i := range groups {
		fmt.Fprintf(&text, "group g%d weighted {\nrecord 10.0.0.1\nrecord 10.0.0.2\n}\n", i)
	}
	text.WriteString("}\n")
	stanzas, problems := corefile.ParseText("Corefile", text.String(), corefile.Env{ServerZones: []string{"example.org."}})
	if errs := problems.Errors(); errs != nil {
		b.Fatalf("Expected a good stanza, got: %v", errs)
	}
	lease := health.NewEngine(health.Options{}).Lease(nil)
	defer lease.Release()
	before := heap()
	var table *Table
	for b.Loop() {
		table = NewTable(quiet{}, nil)
		if err := table.Compile(stanzas, nil, lease); err != nil {
			b.Fatalf("Expected the stanza to compile, got: %v", err)
		}
	}
	b.ReportMetric(float64(heap()-before)/groups, "B/group")
	runtime.KeepAlive(table)
}

// heap is what is in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
