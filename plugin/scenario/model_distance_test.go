package scenario

import (
	"math"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
)

// sites are the sites in the order of declaration of the records that could answer the type, whatever their state.
func (m *model) sites(g *config.Group, qtype uint16) []string {
	var out []string
	for _, r := range g.Records {
		if m.has(r, qtype) && !slices.Contains(out, r.Site) {
			out = append(out, r.Site)
		}
	}
	return out
}

// unmeasured is a cost above all latencies.
const unmeasured = 1e12

// cost is how far the site is from the client: the client's own site is nearest, sites without data come last, in their order.
func (m *model) cost(order []string, site string) float64 {
	switch ms, known := m.client.ms[site]; {
	case known:
		return ms
	case m.client.own != "" && m.client.own == site:
		return -1
	}
	return unmeasured + float64(slices.Index(order, site))
}

// distance is spec 4.9's biased distance, in kilometres on a sphere.
func (m *model) distance(r *config.Record) float64 {
	d := kilometres(*m.client.coordinates, *r.Coordinates)
	if r.Bias >= 0 {
		return d * (1 - float64(r.Bias)/100)
	}
	return d / (1 + float64(r.Bias)/100)
}

// kilometres is the length of the great circle, by the haversine formula.
func kilometres(a, b config.Coordinates) float64 {
	const radius, degree = 6371, math.Pi / 180
	half := func(x, y float64) float64 { s := math.Sin((y - x) * degree / 2); return s * s }
	h := half(a.Lat, b.Lat) + math.Cos(a.Lat*degree)*math.Cos(b.Lat*degree)*half(a.Lon, b.Lon)
	return 2 * radius * math.Asin(min(1, math.Sqrt(h)))
}
