package status

import "time"

// Pool is a pool as it stands now. The names are the spec's: a site enters DNS while enough of its targets are healthy.
type Pool struct {
	Pool      string    `json:"pool"`
	Block     string    `json:"block"`
	Override  *Override `json:"override,omitempty"` // what an operator said of the pool itself
	Balancers []string  `json:"balancers"`          // those with the pool
	Sites     []Site    `json:"sites"`
	Targets   []Target  `json:"targets"`
}

// Site is a site of a pool, for one family: every count is per family.
type Site struct {
	Site       string `json:"site"` // "" for targets without one
	Family     string `json:"family"`
	Registered int    `json:"registered"`
	Healthy    int    `json:"healthy"`
	InDNS      bool   `json:"in_dns"`    // not below `dns_failover`
	FailsOpen  bool   `json:"fail_open"` // below `fail_open`: all its targets are used
	Shifted    bool   `json:"shifted"`   // an operator shifted clients away
}

// Target is a target as it stands now.
type Target struct {
	Target   string     `json:"target"` // id
	Values   []string   `json:"values"` // addresses
	Port     uint16     `json:"port,omitempty"`
	Site     string     `json:"site,omitempty"`
	Weight   int        `json:"weight"`
	Found    string     `json:"found,omitempty"` // the source that told of it; "" for one of the Corefile
	Admin    string     `json:"admin"`
	Override *Override  `json:"override,omitempty"`
	Health   string     `json:"health"`
	Since    *time.Time `json:"since,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Checks   []CheckRef `json:"checks"`
}
