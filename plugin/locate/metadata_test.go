package locate

import (
	"slices"
	"testing"
)

func TestFromMetadata(t *testing.T) {
	said := map[string]string{
		"geoip/continent/code": "EU", "geoip/country/code": "gb", "geoip/subdivisions/code": "ENG,CAM",
		"geoip/latitude": "52.2242", "geoip/longitude": "0.1315", "geoip/asn/number": "12345",
	}
	l := New(parse(t, "192.0.2.0/24 country=CH site=zurich\n"))
	tests := []struct {
		name, network string
		said          map[string]string
		want          []string
	}{
		{"all of it", "198.51.100.0/24", said, []string{"EU/24", "GB/24", "GB-ENG/24", "{52.2242 0.1315}/24", "12345/24", "-/6"}},
		{"the file stands over it", "192.0.2.7/32", said, []string{"EU/32", "CH/24", "GB-ENG/32", "{52.2242 0.1315}/32", "12345/32", "zurich/24"}},
		{"nothing", "198.51.100.0/24", nil, []string{"-/24", "-/24", "-/24", "-/24", "-/24", "-/6"}},
		{"as of an address that is not in the database", "198.51.100.0/24",
			map[string]string{"geoip/asn/number": "0", "geoip/subdivisions/code": "", "geoip/country/code": "", "geoip/latitude": ""},
			[]string{"-/24", "-/24", "-/24", "-/24", "-/24", "-/6"}},
		{"subdivision without a code", "198.51.100.0/24", map[string]string{"geoip/subdivisions/code": ",CAM", "geoip/country/code": "GB"},
			[]string{"-/24", "GB/24", "-/24", "-/24", "-/24", "-/6"}},
		{"half a place", "198.51.100.0/24", map[string]string{"geoip/latitude": "52.2242"}, []string{"-/24", "-/24", "-/24", "-/24", "-/24", "-/6"}},
	}
	for _, tt := range tests {
		c := FromMetadata(l.Client(prefix(tt.network)), func(label string) string { return tt.said[label] })
		got := []string{show(c.Continent()), show(c.Country()), show(c.Subdivision()), show(c.Coordinates()), show(c.ASN()), show(c.Site())}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: Expected %v, got %v", tt.name, tt.want, got)
		}
	}
	var nobody *Locator
	c := FromMetadata(nobody.Client(prefix("192.0.2.0/24")), func(label string) string { return said[label] })
	if got := show(c.Country()); got != "GB/24" {
		t.Errorf("Expected GB/24 without a locator, got %s", got)
	}
}
