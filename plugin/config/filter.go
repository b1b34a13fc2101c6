package config

import "time"

// Filter checks the addresses that later plugins answer for some names, and takes those out that do not work (spec 4.14).
type Filter struct {
	// Names are absolute and lower case, as a group's. A first label `*` covers all names below, at any depth: it is no wildcard of
	// RFC 4592, which names that exist would stop. A filter that names none covers its zones: each zone's own name, and `*` in it. Where
	// several filters cover a name, the one with the name itself counts, else that with the longest one.
	Names      []string
	Probe      string // name of a probe of the stanza that tests each address
	TTL        time.Duration
	LastResort LastResort    // all or none
	Limit      int           // most addresses that are checked at a time, 1 to 1,000,000
	Idle       time.Duration // an address that is not seen so long is forgotten
	Places     Places
}

// Default values of filters (design, Pools, balancers, filters).
const (
	DefaultFilterLimit = 10_000
	DefaultFilterIdle  = 10 * time.Minute
)
