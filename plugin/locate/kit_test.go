package locate

import (
	"bytes"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"go4.org/netipx"
)

// databaseOf builds an .mmdb database. Longer prefixes stand over shorter ones.
func databaseOf(t testing.TB, o mmdbwriter.Options, records map[string]mmdbtype.Map) []byte {
	t.Helper()
	o.IncludeReservedNetworks = true
	if o.Description == nil {
		o.Description = map[string]string{"en": "test"}
	}
	w, err := mmdbwriter.New(o)
	if err != nil {
		t.Fatal(err)
	}
	// What goes in later takes all of its network: shorter prefixes have to go first.
	prefixes := slices.SortedFunc(maps.Keys(records), func(a, b string) int { return prefix(a).Bits() - prefix(b).Bits() })
	for _, p := range prefixes {
		if err := w.Insert(netipx.PrefixIPNet(prefix(p)), records[p]); err != nil {
			t.Fatalf("Expected %s to go in: %v", p, err)
		}
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// place is a city's record.
func place(continent, country, part string) mmdbtype.Map {
	m := mmdbtype.Map{
		"continent": mmdbtype.Map{"code": mmdbtype.String(continent)},
		"country":   mmdbtype.Map{"iso_code": mmdbtype.String(country), "names": mmdbtype.Map{"en": mmdbtype.String("A country")}},
	}
	if part != "" {
		m["subdivisions"] = mmdbtype.Slice{
			mmdbtype.Map{"iso_code": mmdbtype.String(part)}, mmdbtype.Map{"iso_code": mmdbtype.String("ZZZ")},
		}
	}
	return m
}

// at is the record with coordinates.
func at(m mmdbtype.Map, lat, lon float64) mmdbtype.Map {
	m["location"] = mmdbtype.Map{"latitude": mmdbtype.Float64(lat), "longitude": mmdbtype.Float64(lon)}
	return m
}

func system(n uint32) mmdbtype.Map {
	return mmdbtype.Map{"autonomous_system_number": mmdbtype.Uint32(n)}
}

func countries(t testing.TB, code string) []byte {
	t.Helper()
	return databaseOf(t, mmdbwriter.Options{DatabaseType: "GeoLite2-Country"}, map[string]mmdbtype.Map{"192.0.2.0/24": place("EU", code, "")})
}

// write puts a file into the place of another one, as an operator should: whole.
func write(t testing.TB, name string, data []byte) {
	t.Helper()
	next := name + ".next"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, name); err != nil {
		t.Fatal(err)
	}
}

// fileOf is a new file.
func fileOf(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, data)
	return path
}

func open(t testing.TB, geoip []string, locations string) *Locator {
	t.Helper()
	l, err := Open(geoip, locations)
	if err != nil {
		t.Fatalf("Expected files that can be read, got %v", err)
	}
	return l
}

// parse reads a locations file that must be good.
func parse(t testing.TB, text string) *Table {
	t.Helper()
	table, err := Parse("locations", text)
	if err != nil {
		t.Fatalf("Expected a good file, got %v", err)
	}
	return table
}

func prefix(text string) netip.Prefix { return netip.MustParsePrefix(text) }
