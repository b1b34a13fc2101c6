package route

import (
	"math"

	"github.com/healthroute/healthroute/plugin/config"
)

// proximity answers with the record that is nearest to the client after its bias (spec 4.9). A client of whom no coordinates are known gets the
// first record declared.
func proximity(s *Set, among []*Candidate) chooser {
	return &nearest{set: s, near: func(q *Query) ([]*Candidate, string, int) {
		client := q.Client.Coordinates()
		if !client.Known {
			return among[:1], "no coordinates known for the client: first record declared", client.Bits
		}
		var best []*Candidate
		lowest := math.Inf(1)
		for _, c := range among {
			switch d := biased(distance(client.Value, *c.Record.Config.Coordinates), c.Record.Config.Bias); {
			case d < lowest:
				best, lowest = append(best[:0], c), d
			case d == lowest:
				best = append(best, c)
			}
		}
		return best, "nearest to the client", client.Bits
	}}
}

// biased lets a record reach further (bias above 0) or less far.
func biased(km float64, bias int) float64 {
	if bias >= 0 {
		return km * (1 - float64(bias)/100)
	}
	return km / (1 + float64(bias)/100)
}

// earthRadius in km, of a sphere of the earth's volume.
const earthRadius = 6371.0

// distance is the great-circle distance in km (haversine formula).
func distance(a, b config.Coordinates) float64 {
	const radians = math.Pi / 180
	lat, lon := (b.Lat-a.Lat)*radians, (b.Lon-a.Lon)*radians
	h := hav(lat) + math.Cos(a.Lat*radians)*math.Cos(b.Lat*radians)*hav(lon)
	return 2 * earthRadius * math.Asin(math.Sqrt(min(1, h)))
}

func hav(angle float64) float64 {
	s := math.Sin(angle / 2)
	return s * s
}
