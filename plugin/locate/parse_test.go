package locate

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

const sample = `# our networks
10.0.0.0/8       continent=eu country=ch site=Zurich asn=AS64500 ms:zurich=2 ms:geneva=7.5
10.1.0.0/16      site=geneva      # country comes from the line above
10.1.2.0/24      country=US subdivision=us-ca coordinates=37.77,-122.42 ASN=64501
10.1.2.0/24      MS:Geneva=0
2001:db8::/32    country=AT
0.0.0.0/0        continent=AF

`

func TestTable(t *testing.T) {
	l := New(parse(t, sample))
	tests := []struct{ network, continent, country, subdivision, site, asn, coordinates, zurich, geneva string }{
		{"10.0.0.1/32", "EU/8", "CH/16", "-/16", "zurich/16", "64500/16", "-/16", "2/8", "7.5/16"},
		{"10.1.2.3/32", "EU/8", "US/24", "US-CA/24", "geneva/16", "64501/24", "{37.77 -122.42}/24", "2/8", "0/24"},
		{"10.1.0.0/16", "EU/8", "CH/23", "-/23", "geneva/16", "64500/23", "-/23", "2/8", "7.5/23"},
		{"10.0.0.0/8", "EU/8", "CH/16", "-/16", "zurich/16", "64500/16", "-/16", "2/8", "7.5/16"},
		{"192.0.2.1/32", "AF/1", "-/1", "-/1", "-/1", "-/1", "-/1", "-/1", "-/1"},
		{"2001:db8::1/128", "-/0", "AT/32", "-/0", "-/0", "-/0", "-/0", "-/0", "-/0"},
	}
	for _, tt := range tests {
		c := l.Client(prefix(tt.network))
		got := []string{
			show(c.Continent()), show(c.Country()), show(c.Subdivision()), show(c.Site()), show(c.ASN()), show(c.Coordinates()),
			show(c.Latency("zurich")), show(c.Latency("geneva")),
		}
		want := []string{tt.continent, tt.country, tt.subdivision, tt.site, tt.asn, tt.coordinates, tt.zurich, tt.geneva}
		if !slices.Equal(got, want) {
			t.Errorf("Expected %v of %s, got %v", want, tt.network, got)
		}
	}
	c := l.Client(prefix("10.0.0.1/32"))
	if f := c.Latency("nowhere"); f.Known || f.Bits != 0 {
		t.Errorf("Expected nothing of a site that the file does not name, got %v", f)
	}
}

func show[V any](f Fact[V]) string {
	if !f.Known {
		return fmt.Sprintf("-/%d", f.Bits)
	}
	return fmt.Sprintf("%v/%d", f.Value, f.Bits)
}

func TestParseProblems(t *testing.T) {
	tests := []struct{ line, want string }{
		{"192.0.2.0/24", `nothing is said of 192.0.2.0/24: expected continent, country, subdivision, asn, coordinates, site or ms:SITE, followed by = and a value`},
		{"192.0.2.0/24 # country=CH", `nothing is said of 192.0.2.0/24`},
		{"country=CH", `"country=CH" is not a prefix: expected PREFIX key=value..., as in 192.0.2.0/24 country=CH`},
		{"192.0.2.1 country=CH", `"192.0.2.1" is not a prefix: expected PREFIX key=value..., as in 192.0.2.0/24 country=CH; did you mean "192.0.2.1/32"?`},
		{"2001:db8::1 country=CH", `did you mean "2001:db8::1/128"?`},
		{"192.0.2.0/33 country=CH", `"192.0.2.0/33" is not a prefix`},
		{"192.0.2.7/24 country=CH", `"192.0.2.7/24" has bits beyond its length: expected the network address; did you mean "192.0.2.0/24"?`},
		{"::ffff:192.0.2.0/120 country=CH", `"::ffff:192.0.2.0/120" is IPv4 mapped into IPv6: expected the IPv4 prefix; did you mean "192.0.2.0/24"?`},
		{"fe80::%eth0/64 country=CH", `"fe80::%eth0/64" is not a prefix`},
		{"224.0.0.0/4 country=CH", `"224.0.0.0/4" holds no unicast address: expected a network that clients can be in`},
		{"ff02::/16 country=CH", `"ff02::/16" holds no unicast address`},
		{"0.0.0.0/32 country=CH", `"0.0.0.0/32" holds no unicast address`},
		{"::/128 country=CH", `"::/128" holds no unicast address`},
		{"255.255.255.255/32 country=CH", `"255.255.255.255/32" holds no unicast address`},
		{"192.0.2.0/24 cuntry=CH", `unknown key "cuntry": expected continent, country, subdivision, asn, coordinates, site or ms:SITE, followed by = and a value; did you mean "country"?`},
		{"192.0.2.0/24 country", `"country" has no value: expected KEY=VALUE`},
		{"192.0.2.0/24 ms=3", `unknown key "ms": expected continent, country, subdivision, asn, coordinates, site or ms:SITE, followed by = and a value; did you mean "ms:SITE"?`},
		{"192.0.2.0/24 ms:=3", `site "" in "ms:=3" cannot be used: expected at most 63 letters, digits, hyphens, underscores and dots`},
		{"192.0.2.0/24 ms:a/b=3", `site "a/b" in "ms:a/b=3" cannot be used`},
		{"192.0.2.0/24 continent=XX", `continent "XX" is not a continent: expected AF, AN, AS, EU, NA, OC or SA`},
		{"192.0.2.0/24 country=CHE", `country "CHE" is not a country's code: expected two letters (ISO 3166-1), as CH`},
		{"192.0.2.0/24 country=C1", `country "C1" is not a country's code`},
		{"192.0.2.0/24 country=", `country "" is not a country's code`},
		{"192.0.2.0/24 subdivision=CA", `subdivision "CA" is not a subdivision's code: expected a country and one to three letters or digits (ISO 3166-2), as US-CA`},
		{"192.0.2.0/24 subdivision=US-CALI", `subdivision "US-CALI" is not a subdivision's code`},
		{"192.0.2.0/24 asn=4294967296", `asn "4294967296" is not the number of an autonomous system: expected 0 to 4294967295, with or without AS in front`},
		{"192.0.2.0/24 asn=AS", `asn "AS" is not the number`},
		{"192.0.2.0/24 asn=-1", `asn "-1" is not the number`},
		{"192.0.2.0/24 coordinates=47.38", `coordinates "47.38" are not coordinates: expected latitude (-90 to 90), a comma and longitude (-180 to 180) in degrees, as 47.38,8.54`},
		{"192.0.2.0/24 coordinates=90.1,8", `coordinates "90.1,8" are not coordinates`},
		{"192.0.2.0/24 coordinates=47,180.5", `coordinates "47,180.5" are not coordinates`},
		{"192.0.2.0/24 coordinates=NaN,8", `coordinates "NaN,8" are not coordinates`},
		{"192.0.2.0/24 coordinates=1,2,3", `coordinates "1,2,3" are not coordinates`},
		{"192.0.2.0/24 site=a/b", `site "a/b" cannot be used: expected at most 63 letters`},
		{"192.0.2.0/24 ms:a=-1", `ms:a "-1" is not a latency: expected a number of milliseconds, 0 or more, without a unit`},
		{"192.0.2.0/24 ms:a=10ms", `ms:a "10ms" is not a latency: expected a number of milliseconds, 0 or more, without a unit; did you mean "10"?`},
		{"192.0.2.0/24 ms:a=Inf", `ms:a "Inf" is not a latency`},
		{"192.0.2.0/24 ms:a=1e999", `ms:a "1e999" is not a latency`},
		{"192.0.2.0/24 ms:a=0x10", `ms:a "0x10" is not a latency`},
		{"203.0.113.0/24 country=AT", `country of 203.0.113.0/24 was given on line 1 already`},
		{"192.0.2.0/24 ms:a=1 MS:A=1", `ms:a of 192.0.2.0/24 was given on line 2 already`},
		{"192.0.2.0/24 " + strings.Repeat("x", 500) + "=1", `bytes more: expected`},
	}
	for _, tt := range tests {
		table, err := Parse("our.locations", "203.0.113.0/24 country=CH\n"+tt.line+"\n")
		var problems config.Problems
		if !errors.As(err, &problems) || table != nil || len(problems) != 1 {
			t.Errorf("Expected one problem in %q, got %v", tt.line, err)
			continue
		}
		if got := problems[0].Error(); !strings.HasPrefix(got, "our.locations:2: ") || !strings.Contains(got, tt.want) {
			t.Errorf("Expected %q on line 2 of %q, got %q", tt.want, tt.line, got)
		}
	}
}

func TestParseTellsAllBadLines(t *testing.T) {
	_, err := Parse("f", "192.0.2.0/24 country=1 site=/\n\n# good\n10.0.0.0/8 country=CH\n10.0.0.0/8 country=CH\nx a=1\n")
	var got []int
	var problems config.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			got = append(got, p.Position.Line)
		}
	}
	if want := []int{1, 1, 5, 6, 6}; !slices.Equal(got, want) {
		t.Errorf("Expected problems on the lines %v, got %v: %v", want, got, err)
	}
}

func TestParseOddFiles(t *testing.T) {
	for _, good := range []string{"#", "\n", "192.0.2.0/24 country=CH", "192.0.2.0/24 country=CH\r\n", "\t192.0.2.0/24\tcountry=CH #x", "0.0.0.0/0 site=a\n::/0 site=a\n"} {
		if _, err := Parse("f", good); err != nil {
			t.Errorf("Expected %q to be good, got %v", good, err)
		}
	}
	if _, err := Parse("f", ""); err == nil || !strings.HasPrefix(err.Error(), "f:1: the file is empty: expected lines PREFIX key=value...") {
		t.Errorf("Expected an empty file to be refused, got %v", err)
	}
	_, err := Parse("f", strings.Repeat("x y=1\n", 100_000))
	var problems config.Problems
	if !errors.As(err, &problems) || len(problems) != maxProblems+1 || !strings.Contains(problems[maxProblems].Error(), "199000 more faults were found") {
		t.Errorf("Expected a bounded number of problems, got %d", len(problems))
	}
}

// TestParseMillion ends only if nothing in it is quadratic.
func TestParseMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a million lines")
	}
	table := parse(t, manyLines(1_000_000))
	if got := table.countries.values.Len(); got != 1_000_000 {
		t.Errorf("Expected a million prefixes, got %d", got)
	}
}

// manyLines is a file of different prefixes, up to 2^24 of them.
func manyLines(n int) string {
	var b strings.Builder
	for i := range n {
		c := byte('A' + i%26)
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(i >> 16), byte(i >> 8), byte(i), 0}), 24)
		if i>>16 >= 224 {
			panic("multicast")
		}
		fmt.Fprintf(&b, "%s country=C%c asn=%d ms:a=%d\n", p, c, i, i%100)
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	text := manyLines(100_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		parse(b, text)
	}
}

// FuzzParse feeds whatever a file may hold: no panic, every problem with its line, and a table that can be asked.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{sample, "", "#", "x", "::/0 site=a", "192.0.2.0/24 ms:a=1 coordinates=1,2", "10.0.0.0/8 asn=AS1\n10.0.0.0/8 asn=1", "1.1.1.1/0 ="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse("f", text)
		if err != nil {
			var problems config.Problems
			if !errors.As(err, &problems) || table != nil {
				t.Fatalf("Expected problems and no table, got %v and %v", err, table)
			}
			for _, p := range problems {
				if p.Position.Line < 1 || p.Position.File != "f" || strings.Contains(p.Error(), "\n") {
					t.Fatalf("Expected one line with a position, got %q", p.Error())
				}
			}
			return
		}
		for _, network := range []string{"10.1.2.3/32", "0.0.0.0/0", "2001:db8::/57"} {
			c := New(table).Client(prefix(network))
			for _, bits := range []int{c.Continent().Bits, c.Country().Bits, c.Subdivision().Bits, c.ASN().Bits, c.Coordinates().Bits, c.Site().Bits, c.Latency("a").Bits} {
				if bits < 0 || bits > c.Network.Addr().BitLen() {
					t.Fatalf("Expected a scope within the family, got %d", bits)
				}
			}
		}
	})
}
