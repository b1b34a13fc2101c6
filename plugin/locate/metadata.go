package locate

import (
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// Labels under which CoreDNS's plugin geoip publishes what its database says. An empty value, or an AS number of 0, means that it says
// nothing.
const (
	labelContinent   = "geoip/continent/code"
	labelCountry     = "geoip/country/code"
	labelSubdivision = "geoip/subdivisions/code" // from the largest to the smallest, with commas
	labelLatitude    = "geoip/latitude"
	labelLongitude   = "geoip/longitude"
	labelASN         = "geoip/asn/number"
)

// FromMetadata returns the client with the facts of CoreDNS's plugin geoip in place of databases of ours; the locations file still
// stands over them. value returns what metadata has under a label, "" if it has nothing, and is only called when a fact is asked for.
//
// The facts are those of the address that plugin geoip took: the source address, or, with its option edns-subnet, the query's first ECS
// option, whatever `ecs` says here. Both have to be set alike, else the client is in one place for us and in another one for geoip.
func FromMetadata(c Client, value func(label string) string) Client {
	return Client{Network: c.Network, sources: c.sources, metadata: value}
}

func metadataContinent(value func(string) string) (string, bool) { return code(value(labelContinent)) }
func metadataCountry(value func(string) string) (string, bool)   { return code(value(labelCountry)) }

func metadataSubdivision(value func(string) string) (string, bool) {
	first, _, _ := strings.Cut(value(labelSubdivision), ",")
	return subdivisionOf(value(labelCountry), first)
}

func metadataASN(value func(string) string) (uint32, bool) {
	n, err := strconv.ParseUint(value(labelASN), 10, 32)
	return uint32(n), err == nil && n != 0
}

func metadataCoordinates(value func(string) string) (config.Coordinates, bool) {
	lat, ok := parseNumber(value(labelLatitude), -90, 90)
	lon, also := parseNumber(value(labelLongitude), -180, 180)
	if !ok || !also {
		return config.Coordinates{}, false
	}
	return config.Coordinates{Lat: lat, Lon: lon}, true
}

// code is a code of a database in the case in which a Corefile's are compared.
func code(text string) (string, bool) { return strings.ToUpper(text), text != "" }

// subdivisionOf joins a country and what a database has as its subdivision: ISO 3166-2 without the country.
func subdivisionOf(country, part string) (string, bool) {
	if country == "" || part == "" {
		return "", false
	}
	return strings.ToUpper(country + "-" + part), true
}
