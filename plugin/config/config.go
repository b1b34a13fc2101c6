// Package config says what can be declared in a healthroute stanza, as plain data: probes, groups, records
// and the options around them, with their defaults and the rules that a declaration must obey.
//
// It reads no file, opens no socket and knows no Corefile syntax; package corefile turns text into these
// values and back. A value is built by one goroutine and only read afterwards.
package config

import "time"

// Stanza is one healthroute directive of a server block. All names in it are absolute and lower case.
type Stanza struct {
	Zones       []string      // the zones that the stanza answers for, most specific first is not required
	Preset      Preset        // of probes, groups, pools and balancers that name none; "" is none
	TTL         time.Duration // TTL of answers whose group and record, or pool or balancer name none; whole seconds, 0 to 2^31-1
	MinTTL      time.Duration // as a group's
	OtherTypes  OtherTypes    // what happens to types that an owned name lacks
	Nameservers []Nameserver  // not empty: SOA and NS at every apex are answered by us
	GeoIP       []string      // .mmdb files that tell where a client is
	Locations   string        // file of our own that does, and stands over them; "" for none
	ECS         ECS
	MaxAttempts int      // process-wide: attempts at the same time, 1 to 1,000,000; 0 leaves it to the server
	Canary      []string // process-wide: names of probes with a target; while all of them fail, verdicts are frozen
	State       string   // process-wide: file that keeps health and admin state over restarts; "" for none
	Status      *Status  // process-wide: where state is shown and orders are taken; nil for nowhere
	Probes      []*Probe
	Groups      []*Group
	Pools       []*Pool
	Balancers   []*Balancer
	Filters     []*Filter
	Places      Places
}

// Default values of a stanza (design, The Corefile language; preset none).
const (
	DefaultTTL = 30 * time.Second
)

// OtherTypes says who answers for the types that an owned name lacks.
type OtherTypes string

// The values of `other_types`.
const (
	OtherTypesNext   OtherTypes = "next"   // ask the next plugin; its NXDOMAIN, REFUSED, SERVFAIL or absence becomes NODATA
	OtherTypesNoData OtherTypes = "nodata" // answer NODATA at once
)

// Nameserver is one `nameserver` line: a server of the zones, with the addresses that we answer for its name.
type Nameserver struct {
	Name      string   // absolute
	Addresses []string // literal IPv4 or IPv6; may be empty
	Position  Position
}

// Probe by name, or nil.
func (s *Stanza) Probe(name string) *Probe {
	for _, p := range s.Probes {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// ZoneOf returns the longest zone of the stanza that holds the absolute, lower-case name, or "".
func (s *Stanza) ZoneOf(name string) string {
	best := ""
	for _, zone := range s.Zones {
		if len(zone) > len(best) && IsBelow(name, zone) {
			best = zone
		}
	}
	return best
}

// IsBelow reports whether name is zone or stands below it. Both are absolute and lower case.
func IsBelow(name, zone string) bool {
	if zone == "." || name == zone {
		return true
	}
	cut := len(name) - len(zone)
	return cut > 0 && name[cut:] == zone && name[cut-1] == '.' && !escapedDot(name[:cut-1])
}

// escapedDot reports whether the dot that follows prefix is escaped and so part of a label (`a\.b`).
func escapedDot(prefix string) bool {
	n := 0
	for i := len(prefix) - 1; i >= 0 && prefix[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
