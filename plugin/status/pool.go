package status

import "time"

// Pool is a pool as it stands now: one that something answers from.
type Pool struct {
	Pool        string     `json:"pool"`
	Block       string     `json:"block"`              // server block
	Zone        string     `json:"zone"`               // the first of its stanza: pools of other stanzas may have the same name
	Admin       string     `json:"admin"`              // of all of it: an operator's word, else the Corefile's
	Override    *Override  `json:"override,omitempty"` // what an operator said of the pool itself
	DNSFailover string     `json:"dns_failover"`       // below it a site leaves the answer, as in "count 1"
	FailOpen    string     `json:"fail_open"`          // below it all the site's targets are used
	Drain       float64    `json:"drain_seconds"`      // how long a target that is deregistered or gone is kept known
	Balancers   []string   `json:"balancers"`          // those that answer from it; a pool that is aliased by itself is its own
	Sources     []Source   `json:"sources"`            // where targets are found
	Sites       []PoolSite `json:"sites"`
	Targets     []Target   `json:"targets"` // those of the Corefile first
}

// PoolSite is a site of a pool, for one family: every count is per family. If several balancers answer from the pool, it is as in the worst of them.
type PoolSite struct {
	Site        string `json:"site"`   // "" for targets without one
	Family      string `json:"family"` // ipv4 or ipv6
	Registered  int    `json:"registered"`
	Usable      int    `json:"usable"`       // with cross-site on both are about all sites together
	DNSFailover bool   `json:"dns_failover"` // too few are usable for the site to answer
	FailOpen    bool   `json:"fail_open"`    // so few that all are used, healthy or not
	Shifted     bool   `json:"shifted"`      // an operator shifted clients away
	Answers     bool   `json:"answers"`      // in some balancer
}

// Source is where targets of a pool are found.
type Source struct {
	Source  string     `json:"source"` // as the Corefile has it
	Fortune string     `json:"fortune"`
	Known   int        `json:"known"` // targets in its last good list
	Good    *time.Time `json:"good,omitempty"`
	Fault   string     `json:"fault,omitempty"` // why its last good list stands
}

// Target is a target as it stands now.
type Target struct {
	Target        string            `json:"target"` // id
	Values        []string          `json:"values"` // addresses
	Port          uint16            `json:"port,omitempty"`
	Site          string            `json:"site,omitempty"`
	Weight        int               `json:"weight"`
	Found         string            `json:"found,omitempty"` // the source that tells of it; "" for one of the Corefile, or one that is gone
	Admin         string            `json:"admin"`           // admin state that is in force, whoever said it of whatever it belongs to
	Override      *Override         `json:"override,omitempty"`
	DrainingUntil *time.Time        `json:"draining_until,omitempty"` // of one that is deregistered or gone
	Health        string            `json:"health"`
	Since         *time.Time        `json:"since,omitempty"`  // of that health
	Reason        string            `json:"reason,omitempty"` // what its check saw last or, while the admin state is not enabled, why that is so
	Shares        map[string]string `json:"shares"`           // by type: as a record's, of what an alias of the pool gets, if all aliases get the same
	Checks        []CheckRef        `json:"checks"`
}

// Balancer is a balancer, or a pool that is aliased by itself, as it stands now.
type Balancer struct {
	Balancer  string           `json:"balancer"`
	Block     string           `json:"block"`
	Zone      string           `json:"zone"`
	Declared  bool             `json:"declared"` // false for a pool that is aliased by itself
	Pools     []string         `json:"pools"`
	CrossSite bool             `json:"cross_site"` // thresholds are about all sites together; pools may say otherwise
	Affinity  string           `json:"affinity"`
	Shift     *Override        `json:"shift,omitempty"` // the site that clients are shifted away from, and until when
	Families  []BalancerFamily `json:"families"`
	Sites     []Site           `json:"sites"`
}

// BalancerFamily is how a balancer stands for one family to an alias that evaluates it.
type BalancerFamily struct {
	Family  string `json:"family"`
	Healthy bool   `json:"healthy"`
	Why     string `json:"why,omitempty"` // why not
}

// Site is a site of a balancer, for one family.
type Site struct {
	Site      string     `json:"site"` // "" for targets without one
	Family    string     `json:"family"`
	Addresses []string   `json:"addresses"` // answered instead of its targets
	Answers   bool       `json:"answers"`
	Why       string     `json:"why"`
	Shifted   bool       `json:"shifted"`
	Override  *Override  `json:"override,omitempty"` // what an operator said of everything in the site
	Checks    []CheckRef `json:"checks"`             // of its own probe
	Pools     []SitePool `json:"pools"`
}

// SitePool is a pool in the scope of its thresholds: the site, or with cross-site on all sites together.
type SitePool struct {
	Pool        string `json:"pool"`
	Registered  int    `json:"registered"`
	Usable      int    `json:"usable"`
	DNSFailover bool   `json:"dns_failover"`
	FailOpen    bool   `json:"fail_open"`
}
