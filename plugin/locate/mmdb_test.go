package locate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// cities is a database of both families.
func cities(t testing.TB, o mmdbwriter.Options) []byte {
	t.Helper()
	o.DatabaseType = "GeoLite2-City"
	return databaseOf(t, o, map[string]mmdbtype.Map{
		"192.0.2.0/24":       at(place("NA", "us", "CA"), 37.75, -97.822),
		"192.0.2.128/25":     at(place("EU", "CH", ""), 0, 0),
		"198.51.0.0/16":      at(place("EU", "GB", "ENG"), 95, 0),
		"198.51.100.64/27":   {"country": mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String("no code")}}},
		"2001:db8::/32":      place("AS", "JP", "13"),
		"2001:db8:4000::/34": place("OC", "AU", "NSW"),
	})
}

func TestDatabase(t *testing.T) {
	asns := databaseOf(t, mmdbwriter.Options{DatabaseType: "DBIP-ASN-Lite (compat=GeoLite2-ASN)"}, map[string]mmdbtype.Map{
		"192.0.2.64/26": system(64500), "192.0.2.192/26": system(0),
	})
	for _, size := range []int{24, 28, 32} {
		l := open(t, []string{fileOf(t, "city.mmdb", cities(t, mmdbwriter.Options{RecordSize: size})), fileOf(t, "asn.mmdb", asns)}, "")
		tests := []struct{ address, continent, country, subdivision, coordinates, asn string }{
			{"192.0.2.1", "NA/25", "US/25", "US-CA/25", "{37.75 -97.822}/25", "-/26"},
			{"192.0.2.65", "NA/25", "US/25", "US-CA/25", "{37.75 -97.822}/25", "64500/26"},
			{"192.0.2.200", "EU/25", "CH/25", "-/25", "{0 0}/25", "-/26"},
			{"198.51.0.1", "EU/18", "GB/18", "GB-ENG/18", "-/18", "-/6"},
			{"198.51.100.65", "-/27", "-/27", "-/27", "-/27", "-/6"},
			{"8.8.8.8", "-/1", "-/1", "-/1", "-/1", "-/1"},
			{"2001:db8::1", "AS/34", "JP/34", "JP-13/34", "-/34", "-/21"},
			{"2001:db8:4000::1", "OC/34", "AU/34", "AU-NSW/34", "-/34", "-/21"},
			{"2001:db9::1", "-/32", "-/32", "-/32", "-/32", "-/21"},
		}
		for _, tt := range tests {
			a := netip.MustParseAddr(tt.address)
			c := l.Client(netip.PrefixFrom(a, a.BitLen()))
			got := []string{show(c.Continent()), show(c.Country()), show(c.Subdivision()), show(c.Coordinates()), show(c.ASN())}
			want := []string{tt.continent, tt.country, tt.subdivision, tt.coordinates, tt.asn}
			if size != 28 { // whatever the size, the same tree
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("Expected %v of %s, got %v", want, tt.address, got)
			}
			if f := c.Site(); f.Known || f.Bits != 0 {
				t.Errorf("Expected no site from a database, got %v", f)
			}
		}
	}
}

// TestDatabaseWidth holds the widths against a model: around every address the whole network has the same record, and its sibling does not.
func TestDatabaseWidth(t *testing.T) {
	for _, version := range []int{4, 6} {
		rnd := rand.New(rand.NewPCG(5, uint64(version)))
		records := map[string]mmdbtype.Map{}
		for i := range 200 {
			a := netip.AddrFrom4([4]byte{192, 0, 2, byte(rnd.IntN(256))})
			records[netip.PrefixFrom(a, 25+rnd.IntN(8)).Masked().String()] = place("EU", fmt.Sprintf("%c%c", 'A'+i%26, 'A'+i/26), "")
		}
		d, err := openDatabase(databaseOf(t, mmdbwriter.Options{DatabaseType: "Country", IPVersion: version}, records))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 256 {
			a := netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
			f := d.country(a)
			around := netip.PrefixFrom(a, f.Bits).Masked()
			if f.Bits < 25 && f.Known || f.Bits < 1 || f.Bits > 32 {
				t.Fatalf("Expected a width of the records, got %d", f.Bits)
			}
			for j := range 256 {
				b := netip.AddrFrom4([4]byte{192, 0, 2, byte(j)})
				if around.Contains(b) && d.country(b) != f {
					t.Fatalf("Expected all of %v to be like %v: %v, got %v of %v", around, a, f, d.country(b), b)
				}
			}
		}
	}
}

func TestDatabaseFamilies(t *testing.T) {
	// Without IPv4 in it, the tree ends far above where IPv4 would begin: nothing is known in all of IPv4.
	only6 := databaseOf(t, mmdbwriter.Options{DatabaseType: "Country", DisableIPv4Aliasing: true}, map[string]mmdbtype.Map{"2001:db8::/32": place("EU", "CH", "")})
	wide := databaseOf(t, mmdbwriter.Options{DatabaseType: "Country", DisableIPv4Aliasing: true}, map[string]mmdbtype.Map{"::/8": place("EU", "CH", "")})
	only4 := databaseOf(t, mmdbwriter.Options{DatabaseType: "Country", IPVersion: 4}, map[string]mmdbtype.Map{"192.0.2.0/24": place("EU", "CH", "")})
	all4 := databaseOf(t, mmdbwriter.Options{DatabaseType: "Country"}, map[string]mmdbtype.Map{"0.0.0.0/0": place("EU", "CH", "")})
	tests := []struct {
		name, address, want string
		data                []byte
	}{
		{"IPv4, database of IPv6", "192.0.2.1", "-/0", only6},
		{"IPv6, database of IPv6", "2001:db8::1", "CH/32", only6},
		{"IPv4, network wider than IPv4", "192.0.2.1", "CH/0", wide},
		{"IPv4, database of IPv4", "192.0.2.1", "CH/24", only4},
		{"IPv4 not found, database of IPv4", "192.0.3.1", "-/24", only4},
		{"IPv6, database of IPv4", "2001:db8::1", "-/0", only4},
		{"IPv4, the same in both halves", "192.0.2.1", "CH/1", all4},
	}
	for _, tt := range tests {
		d, err := openDatabase(tt.data)
		if err != nil {
			t.Fatal(err)
		}
		if got := show(d.country(netip.MustParseAddr(tt.address))); got != tt.want {
			t.Errorf("%s: Expected %s, got %s", tt.name, tt.want, got)
		}
	}
}

func TestDatabaseOfOtherShape(t *testing.T) {
	d, err := openDatabase(databaseOf(t, mmdbwriter.Options{DatabaseType: "City and ASN"}, map[string]mmdbtype.Map{
		"192.0.2.0/24": {
			"country": mmdbtype.String("CH"), "continent": mmdbtype.Map{"code": mmdbtype.Uint32(3)}, "subdivisions": mmdbtype.Slice{},
			"location": mmdbtype.Map{"latitude": mmdbtype.Float64(1)}, "autonomous_system_number": mmdbtype.String("64500"),
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	a := netip.MustParseAddr("192.0.2.1")
	for _, got := range []string{show(d.country(a)), show(d.continent(a)), show(d.subdivision(a)), show(d.coordinates(a)), show(d.asn(a))} {
		if got != "-/24" {
			t.Errorf("Expected nothing of a record of another shape, got %s", got)
		}
	}
}

func TestDatabaseRefused(t *testing.T) {
	good := cities(t, mmdbwriter.Options{})
	damaged := func(change func([]byte) []byte) []byte { return change(bytes.Clone(good)) }
	marker := bytes.LastIndex(good, []byte("\xab\xcd\xefMaxMind.com"))
	tests := []struct {
		name, want string
		data       []byte
	}{
		{"empty", "the file is empty", nil},
		{"text", "not an .mmdb database, or a damaged one", []byte("hello\n")},
		{"cut in half", "not an .mmdb database, or a damaged one", good[:len(good)/2]},
		{"cut in the metadata", "not an .mmdb database, or a damaged one", good[:marker+20]},
		{"without its beginning", "damaged", good[100:]},
		{"tree of zeros", "damaged", damaged(func(b []byte) []byte { clear(b[:60]); return b })},
		{"tree points beyond", "damaged", damaged(func(b []byte) []byte { copy(b, bytes.Repeat([]byte{0xff}, 14)); return b })},
		{"data overwritten", "damaged", damaged(func(b []byte) []byte { copy(b[marker-120:], bytes.Repeat([]byte{0xff}, 100)); return b })},
		{"another kind", `database of type "GeoIP2-Anonymous-IP": expected one of countries, cities or autonomous systems`,
			databaseOf(t, mmdbwriter.Options{DatabaseType: "GeoIP2-Anonymous-IP"}, map[string]mmdbtype.Map{"192.0.2.0/24": {}})},
	}
	for _, tt := range tests {
		if _, err := openDatabase(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Expected an error with %q, got %v", tt.name, tt.want, err)
		}
	}
}

// FuzzDatabase damages a database: no panic and no endless reading, and look-ups that stay within the family.
func FuzzDatabase(f *testing.F) {
	good := cities(f, mmdbwriter.Options{})
	for i := 0; i < len(good); i += 40 {
		f.Add(i, []byte{0xff, 0}, len(good))
		f.Add(i, []byte{0, 0, 0, 0, 0, 1}, len(good))
	}
	f.Add(0, []byte{}, 1000)
	f.Fuzz(func(t *testing.T, offset int, bytes []byte, length int) {
		data := slices.Clone(good)
		if offset >= 0 && offset < len(data) {
			copy(data[offset:], bytes)
		}
		if length >= 0 && length < len(data) {
			data = data[:length]
		}
		d, err := openDatabase(data)
		if err != nil {
			return
		}
		for _, address := range []string{"192.0.2.1", "198.51.100.65", "8.8.8.8", "2001:db8::1", "::"} {
			a := netip.MustParseAddr(address)
			for _, bits := range []int{d.continent(a).Bits, d.country(a).Bits, d.subdivision(a).Bits, d.coordinates(a).Bits, d.asn(a).Bits} {
				if bits < 0 || bits > a.BitLen() {
					t.Fatalf("Expected a width within the family, got %d", bits)
				}
			}
		}
	})
}

// TestCoreDNSDatabases reads the databases that CoreDNS's own tests use.
func TestCoreDNSDatabases(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/coredns/coredns").Output()
	if err != nil {
		t.Fatalf("Expected the go command to know CoreDNS: %v", err)
	}
	data := filepath.Join(strings.TrimSpace(string(out)), "plugin", "geoip", "testdata")
	if _, err := os.Stat(data); err != nil {
		t.Skip("CoreDNS has no databases any more")
	}
	city, asn := filepath.Join(data, "GeoLite2-City.mmdb"), filepath.Join(data, "GeoLite2-ASN.mmdb")
	l := open(t, []string{city, asn}, "")
	c := l.Client(prefix("81.2.69.142/32"))
	got := []string{c.Continent().Value, c.Country().Value, c.Subdivision().Value, fmt.Sprint(c.Coordinates().Value), fmt.Sprint(c.ASN().Value)}
	if want := []string{"EU", "GB", "GB-ENG", "{52.2242 0.1315}", "12345"}; !slices.Equal(got, want) {
		t.Errorf("Expected %v, got %v", want, got)
	}
	if f := c.Country(); f.Bits < 1 || f.Bits > 32 {
		t.Errorf("Expected a width of IPv4, got %d", f.Bits)
	}
	if f := new(Client); f.ASN().Known {
		t.Errorf("Expected nothing of nobody, got %v", f.ASN())
	}
	c = l.Client(prefix("10.0.0.1/32"))
	if f := c.ASN(); f.Known {
		t.Errorf("Expected system 0 to stand for none, got %v", f)
	}
	if _, err := Open([]string{filepath.Join(data, "GeoLite2-UnknownDbType.mmdb")}, ""); err == nil || !strings.Contains(err.Error(), `database of type "UnknownDbType"`) {
		t.Errorf("Expected an unknown kind of database to be refused, got %v", err)
	}
}

// bigDatabase has a record for each of many small networks.
func bigDatabase(t testing.TB, n int) []byte {
	t.Helper()
	records := make(map[string]mmdbtype.Map, n)
	for i := range n {
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{20 + byte(i>>16), byte(i >> 8), byte(i), 0}), 24)
		records[p.String()] = at(place("EU", fmt.Sprintf("%c%c", 'A'+i%26, 'A'+i/26%26), fmt.Sprint(i%100)), float64(i%90), float64(i%180))
	}
	return databaseOf(t, mmdbwriter.Options{DatabaseType: "GeoLite2-City", RecordSize: 28}, records)
}

func BenchmarkDatabase(b *testing.B) {
	data := bigDatabase(b, 50_000)
	l := open(b, []string{fileOf(b, "city.mmdb", data)}, "")
	ask := func(name string, question func(*Client)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c := l.Client(netip.PrefixFrom(netip.AddrFrom4([4]byte{20, byte(i >> 8), byte(i), 1}), 32))
				question(&c)
			}
		})
	}
	ask("Country", func(c *Client) { c.Country() })
	ask("Subdivision", func(c *Client) { c.Subdivision() })
	ask("Coordinates", func(c *Client) { c.Coordinates() })
	ask("Country5Times", func(c *Client) {
		for range 5 {
			c.Country()
		}
	})
	b.Run("Open", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := openDatabase(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
