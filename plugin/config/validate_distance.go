package config

import "fmt"

// proximity checks where the records are.
func (v *validator) proximity(g *Group) {
	for _, r := range g.Records {
		within(v, r.Places.Of("bias"), "bias", r.Bias, -99, 99)
		if r.Coordinates == nil {
			if !r.Places.Faulty {
				v.fault(r.Places.Own, fmt.Sprintf("record %q of a proximity group has no coordinates", r.ID), "`coordinates LAT,LON`")
			}
			continue
		}
		at := r.Places.Of("coordinates")
		within(v, at, "latitude", r.Coordinates.Lat, -90, 90)
		within(v, at, "longitude", r.Coordinates.Lon, -180, 180)
	}
}

// latency checks that each record says to which site its clients' latencies are measured.
func (v *validator) latency(g *Group) {
	for _, r := range g.Records {
		if r.Site == "" && !r.Places.Faulty {
			v.fault(r.Places.Own, fmt.Sprintf("record %q of a latency group has no site", r.ID), "`site NAME`")
		}
	}
}
