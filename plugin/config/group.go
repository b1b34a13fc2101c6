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
	PolicyPriority   Policy = "priority"
	PolicyMultivalue Policy = "multivalue"
	PolicyRoundRobin Policy = "roundrobin"
	PolicyGeo        Policy = "geo"
	PolicyProximity  Policy = "proximity"
	PolicyLatency    Policy = "latency"
	PolicySubnet     Policy = "subnet"
)

// Policies are all of them.
func Policies() []Policy {
	return []Policy{PolicySimple, PolicyWeighted, PolicyFailover, PolicyPriority, PolicyMultivalue, PolicyRoundRobin,
		PolicyGeo, PolicyProximity, PolicyLatency, PolicySubnet}
}

// Group is the records of one name (or of several names that answer alike) under one policy.
type Group struct {
	// Names are absolute and lower case; a name relative to the stanza's zones is listed once for each zone.
	// The first one names the group. A first label `*` makes a wildcard (RFC 4592).
	Names   []string
	Policy  Policy
	Preset  Preset        // "" is none
	TTL     time.Duration // of its answers; of `ttl A-B` the upper end
	MinTTL  time.Duration // of `ttl A-B` the lower end, above 0; 0 for a fixed TTL (spec 4.13)
	Records []*Record
	// Max is the most records in an answer: multivalue, 1 to 100; also of other groups but weighted ones with an alias of a pool or a
	// balancer, for what that answers. 0 there is no limit.
	Max        int
	LastResort LastResort
	// Sorry is what `last_resort alias NAME` answers with: the names of a group, one for each zone of the stanza.
	Sorry []string

	FamiliesTogether bool          // a record is usable only if it is usable for every family that it has (spec 4.12)
	Sticky           *Sticky       // weighted, multivalue, roundrobin, latency, proximity; nil: every query is a new draw
	MinHealthy       MinHealthy    // below it the group is unhealthy to whatever points to it
	Hold             time.Duration // a record that recovered stays out so much longer; 0 for none
	FailbackManual   bool          // failover, priority: a higher record that failed stays out until an operator says so
	Ramp             time.Duration // weighted: a record that recovered gets its weight back over this time; 0 for at once
	Overrides        []Override    // ranges of clients that get one record
	Strict           bool          // geo: the most specific matching location only
	Hidden           bool          // answers no query; for aliases only
	Disabled         bool          // nothing of it is eligible

	Places Places
}

// Sticky makes the same clients get the same record: those of one network of so many bits.
type Sticky struct{ IPv4, IPv6 int }

// DefaultSticky are the networks of `sticky` alone: what resolvers that care for privacy pass on (RFC 7871 section 11.1).
var DefaultSticky = Sticky{IPv4: 24, IPv6: 56}

// MinHealthy is how many usable records make a group healthy to whatever points to it. The zero value is 1.
type MinHealthy struct {
	Count   int  // 0: one
	Percent bool // Count is percent of the eligible ones, rounded up
	IPv4    int  // at least so many with a usable IPv4 address; 0: not asked for
	IPv6    int
	ShowAll bool // as soon as Count is missed all eligible records are candidates (spec 4.13)
}

// Override gives clients of some ranges one record before the policy is asked (spec 4.9).
type Override struct {
	From     []Source
	Use      string // id of a record of the group
	Position Position
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
	LastResortAlias    LastResort = "alias"    // the answer of another group, Group.Sorry
)

// Record is one possible answer in a group. What the group says for all records is filled in.
type Record struct {
	ID     string  // unique in its group
	Values []Value // none for an alias
	Alias  *Alias  // nil for a record with values
	TTL    time.Duration
	MinTTL time.Duration // as the group's

	Weight      int          // weighted: 0 to 65535
	Role        Role         // failover
	Priority    int          // priority: lower first; equal ones answer together
	Locations   Locations    // geo
	Coordinates *Coordinates // proximity
	Bias        int          // proximity: -99 to 99, above 0 draws clients in
	From        []Source     // subnet
	Default     bool         // geo, subnet: for clients that no other record is for
	Site        string       // "" if none is named; latency compares clients' latencies to it

	Probe   string     // name of a probe of the stanza; "" for none
	Headers []Header   // for this record's checks; they win over the probe's
	Admin   AdminState // what the Corefile says; "" is enabled
	Places  Places
}

// AdminState is what an operator says of a record or a group: a layer over health, never mixed into it (spec 3.1, 4.13).
type AdminState string

// The admin states.
const (
	Enabled  AdminState = "enabled"  // health decides
	Disabled AdminState = "disabled" // not answered, not attempted, not eligible for a last resort
	Draining AdminState = "draining" // not answered, not eligible; attempts go on
	Always   AdminState = "always"   // usable, not attempted
)

// Alias is where a record without values takes its values and health from.
type Alias struct {
	// Group is the names of another group of the stanza, one for each zone of the stanza: a relative name is a group's of
	// whichever zone the answer is for. Empty for an alias of a name.
	Group []string
	// Name is an absolute name that is resolved down the chain, for `alias name`; "" for an alias of a group.
	Name string
	// Pool or Balancer is the name of one of the stanza; "" for other aliases. Site is the one site of the balancer that the alias
	// stands for; "" for all.
	Pool, Balancer, Site string

	Evaluate   bool       // the alias is usable only if its target is healthy
	MinHealthy MinHealthy // what makes the target healthy, besides its own word
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
