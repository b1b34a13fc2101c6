package config

import "time"

// Filter checks the addresses that later plugins answer for some names, and takes those out that do not work (spec 4.14).
type Filter struct {
	Names      []string // absolute and lower case, as a group's; a first label `*` covers all names below (not only one label)
	Probe      string   // name of a probe of the stanza that tests each address
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
