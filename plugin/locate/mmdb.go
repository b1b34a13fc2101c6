package locate

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/healthroute/healthroute/plugin/config"
)

// database is one .mmdb file, in memory. It never changes, so any number of goroutines may use it.
//
// It is asked about the first address of a client's network, as other servers do: it says something of nearly every address, and
// nothing of networks that are wider than its own. A scope longer than the client's network tells the resolver so.
type database struct {
	reader *maxminddb.Reader
	places bool // it has continents, countries and, maybe, subdivisions and coordinates
	asns   bool // it has autonomous systems
}

// kinds are what a database's type, as its metadata have it, tells of its contents: the words that makers put into it ("GeoLite2-City",
// "DBIP-Country-Lite", "GeoIP2-ISP"). A database of another kind would only make the scopes of answers narrower.
var kinds = []struct {
	word         string
	places, asns bool
}{
	{"city", true, false}, {"country", true, false}, {"enterprise", true, false},
	{"asn", false, true}, {"isp", false, true},
}

// openDatabase reads a database and goes through all that is asked of it once, so that a damaged file is refused now and no look-up
// fails later. It keeps the data, which must not change afterwards.
func openDatabase(data []byte) (*database, error) {
	if len(data) == 0 {
		return nil, errors.New("the file is empty: expected an .mmdb database")
	}
	reader, err := maxminddb.OpenBytes(data)
	if err != nil {
		return nil, fmt.Errorf("not an .mmdb database, or a damaged one: %w", err)
	}
	d := &database{reader: reader}
	of := strings.ToLower(reader.Metadata.DatabaseType)
	for _, kind := range kinds {
		if strings.Contains(of, kind.word) {
			d.places = d.places || kind.places
			d.asns = d.asns || kind.asns
		}
	}
	if !d.places && !d.asns {
		return nil, fmt.Errorf("database of type %s: expected one of countries, cities or autonomous systems", quote(reader.Metadata.DatabaseType))
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("damaged .mmdb database: %w", err)
	}
	return d, nil
}

// Where the facts are in a record.
var (
	pathContinent   = []any{"continent", "code"}
	pathCountry     = []any{"country", "iso_code"}
	pathSubdivision = []any{"subdivisions", 0, "iso_code"}
	pathLatitude    = []any{"location", "latitude"}
	pathLongitude   = []any{"location", "longitude"}
	pathASN         = []any{"autonomous_system_number"}
)

// fields is where a record is decoded to. The decoder takes pointers as interfaces, which would have to be allocated for each query.
type fields struct {
	text   string
	number uint32
	real   float64
}

var fieldsPool = sync.Pool{New: func() any { return new(fields) }}

func (d *database) continent(a netip.Addr) Fact[string] { return d.code(a, pathContinent) }
func (d *database) country(a netip.Addr) Fact[string]   { return d.code(a, pathCountry) }

// code is a code of a place.
func (d *database) code(a netip.Addr, path []any) Fact[string] {
	if !d.places {
		return Fact[string]{}
	}
	record := d.reader.Lookup(a)
	value, known := code(textIn(record, path))
	return Fact[string]{value, known, width(record, a)}
}

func (d *database) subdivision(a netip.Addr) Fact[string] {
	if !d.places {
		return Fact[string]{}
	}
	record := d.reader.Lookup(a)
	value, known := subdivisionOf(textIn(record, pathCountry), textIn(record, pathSubdivision))
	return Fact[string]{value, known, width(record, a)}
}

// asn takes 0 for "not known": no system may have that number (RFC 7607), and databases put it where nobody routes.
func (d *database) asn(a netip.Addr) Fact[uint32] {
	if !d.asns {
		return Fact[uint32]{}
	}
	record := d.reader.Lookup(a)
	f := fieldsPool.Get().(*fields)
	defer fieldsPool.Put(f)
	f.number = 0
	if record.DecodePath(&f.number, pathASN...) != nil {
		f.number = 0
	}
	return Fact[uint32]{f.number, f.number != 0, width(record, a)}
}

func (d *database) coordinates(a netip.Addr) Fact[config.Coordinates] {
	if !d.places {
		return Fact[config.Coordinates]{}
	}
	record := d.reader.Lookup(a)
	lat, ok := realIn(record, pathLatitude)
	lon, also := realIn(record, pathLongitude)
	if !ok || !also || !(lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180) {
		return Fact[config.Coordinates]{Bits: width(record, a)}
	}
	return Fact[config.Coordinates]{config.Coordinates{Lat: lat, Lon: lon}, true, width(record, a)}
}

// textIn is the text at a place in a record, "" if there is none.
func textIn(record maxminddb.Result, path []any) string {
	f := fieldsPool.Get().(*fields)
	defer fieldsPool.Put(f)
	f.text = ""
	if record.DecodePath(&f.text, path...) != nil {
		return ""
	}
	return f.text
}

// realIn is the number at a place in a record. 0 is a fine coordinate: whether there is one is told apart by what was in its place before.
func realIn(record maxminddb.Result, path []any) (value float64, ok bool) {
	f := fieldsPool.Get().(*fields)
	defer fieldsPool.Put(f)
	f.real = math.NaN()
	if record.DecodePath(&f.real, path...) != nil || math.IsNaN(f.real) {
		return 0, false
	}
	return f.real, true
}

// width is the length of the database's network around the address, also if there is no record for it. The tree of a database with both
// families holds IPv4 below 96 zeros; a network that begins above them is wider than all of IPv4, which is 0. So is that of an IPv6
// address in a database without IPv6.
func width(record maxminddb.Result, a netip.Addr) int {
	if record.Err() != nil {
		return 0
	}
	network := record.Prefix()
	if network.Addr().Is4() != a.Is4() {
		return 0
	}
	return max(0, network.Bits())
}
