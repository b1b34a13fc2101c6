package config

import "net/netip"

// Locations are the places that a record of a geo group is for: a client in any of them matches. Codes are upper case.
type Locations struct {
	ASNs         []uint32 // autonomous systems
	Subdivisions []string // ISO 3166-2, as US-CA
	Countries    []string // ISO 3166-1 alpha-2
	Continents   []string // AF, AN, AS, EU, NA, OC, SA
}

// Empty reports whether no place is named.
func (l Locations) Empty() bool {
	return len(l.ASNs)+len(l.Subdivisions)+len(l.Countries)+len(l.Continents) == 0
}

// Coordinates are a place on earth, in degrees: latitude -90 to 90, longitude -180 to 180.
type Coordinates struct{ Lat, Lon float64 }

// Source is a range of client addresses, both ends included and of one family. One that was written as a prefix has its ends.
type Source struct{ From, To netip.Addr }

// ECS says whose EDNS Client Subnet options decide where a client is.
type ECS struct {
	Off  bool           // nobody's
	From []netip.Prefix // only those of askers in here; empty: everybody's
}
