package config

import (
	"strings"
	"time"
)

// Policy is how a group chooses among its usable records.
type Policy string

// The policies.
const (
	PolicySimple     Policy = "simple"
	PolicyWeighted   Policy = "weighted"
	PolicyFailover   Policy = "failover"
	PolicyMultivalue Policy = "multivalue"
)

// Group is the records of one name (or of several names that answer alike) under one policy.
type Group struct {
	// Names are absolute and lower case; a name relative to the stanza's zones is listed once for each zone.
	// The first one names the group. A first label `*` makes a wildcard (RFC 4592).
	Names            []string
	Policy           Policy
	TTL              time.Duration
	Records          []*Record
	Max              int // multivalue: most records in an answer, 1 to 100
	LastResort       LastResort
	FamiliesTogether bool // a record is usable only if it is usable for every family that it has (spec 4.12)
	Places           Places
}

// DefaultMax is the number of records in a multivalue answer (spec, section 0).
const DefaultMax = 8

// LastResort is what a group answers when nothing in it is usable (spec 4.2, 4.13).
type LastResort string

// The values of `last_resort`.
const (
	LastResortAll      LastResort = "all"      // every eligible record counts as usable
	LastResortNone     LastResort = "none"     // NODATA
	LastResortServfail LastResort = "servfail" // SERVFAIL
	LastResortRefused  LastResort = "refused"  // REFUSED
	LastResortNXDomain LastResort = "nxdomain" // NXDOMAIN, if the name has no other types and nothing below it
)

// Record is one possible answer in a group. What the group says for all records is filled in.
type Record struct {
	ID      string // unique in its group
	Values  []Value
	TTL     time.Duration
	Weight  int      // weighted: 0 to 65535
	Role    Role     // failover
	Site    string   // "" if none is named
	Probe   string   // name of a probe of the stanza; "" for none
	Headers []Header // for this record's checks; they win over the probe's
	Places  Places
}

// DefaultWeight is the weight of a record that names none.
const DefaultWeight = 1

// Role is a record's place in a failover group.
type Role string

// The roles.
const (
	RolePrimary   Role = "primary"
	RoleSecondary Role = "secondary"
)

// Value is the data of one resource record.
type Value struct {
	Type uint16 // DNS type
	// Data is in zone file form; names in it are relative to the zone of the name that is answered.
	// For TXT it is the text itself, unquoted and unescaped.
	Data string
}

// WildcardParent returns the name below which the absolute name is a wildcard (`*.apps.example.org.`
// gives `apps.example.org.`), or false.
func WildcardParent(name string) (string, bool) { return strings.CutPrefix(name, "*.") }
