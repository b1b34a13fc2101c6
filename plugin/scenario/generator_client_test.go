package scenario

import (
	"net/netip"

	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// drawClient draws who asks. wholeAddresses leaves out networks that ranges could cut.
func (d *drawer) drawClient(wholeAddresses bool) {
	networks := []string{"198.51.100.7/32", "198.51.100.70/32", "198.51.100.250/32", "198.51.9.9/32", "203.0.113.9/32", "2001:db8:5::1/128"}
	if !wholeAddresses {
		networks = append(networks, "198.51.100.64/26", "198.51.100.0/24", "198.51.96.0/20", "2001:db8:5::/56", "2001:db8::/40")
	}
	c := modelClient{network: netip.MustParsePrefix(rapid.SampledFrom(networks).Draw(d.T, "network"))}
	d.drawFacts(&c)
	d.tree.client = c
}

// drawFacts draws what is known of the client's place.
func (d *drawer) drawFacts(c *modelClient) {
	where := rapid.SampledFrom([]modelClient{
		{}, {asn: 64500, subdivision: "US-CA", country: "US", continent: "NA"}, {subdivision: "US-CA", country: "US", continent: "NA"},
		{subdivision: "US-TX", country: "US", continent: "NA"}, {asn: 64500, country: "DE", continent: "EU"}, {continent: "EU"}, {continent: "AS"},
	}).Draw(d.T, "where")
	c.asn, c.subdivision, c.country, c.continent = where.asn, where.subdivision, where.country, where.continent
	c.coordinates = rapid.SampledFrom([]*config.Coordinates{nil, {Lat: 48, Lon: 2}, {Lat: 37, Lon: -122}}).Draw(d.T, "coordinates")
	c.own = rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(d.T, "own site")
	c.ms = map[string]float64{}
	for _, site := range []string{"a", "b", "c"} {
		if d.once(2) {
			c.ms[site] = rapid.SampledFrom([]float64{10, 20, 20.5}).Draw(d.T, "latency")
		}
	}
}
