package status

import "time"

// Group is a group as it stands now.
type Group struct {
	Group      string      `json:"group"` // its first name
	Names      []string    `json:"names"`
	Block      string      `json:"block"` // server block
	Policy     string      `json:"policy"`
	State      string      `json:"state"`                // online, degraded, checking, inactive or disabled
	Hidden     bool        `json:"hidden"`               // for aliases only
	TTL        uint32      `json:"ttl"`                  // seconds
	LastResort string      `json:"last_resort"`          // the word that holds when nothing is usable
	Override   *Override   `json:"override,omitempty"`   // what an operator said of the group itself
	Types      []TypeState `json:"types"`                // what queries get
	Records    []Record    `json:"records"`              // in the order of declaration
	HeldOut    bool        `json:"held_out_by_failback"` // `failback manual` keeps records out that work
}

// TypeState is how a group stands for one type of query.
type TypeState struct {
	Type       string `json:"type"` // ANY: the records are chosen whatever is asked for
	Usable     int    `json:"usable"`
	Eligible   int    `json:"eligible"` // a last resort may use so many
	LastResort bool   `json:"last_resort"`
	ShowsAll   bool   `json:"shows_all"` // show_all answers with all, as fewer are usable than min_healthy asks for
	ByClient   bool   `json:"by_client"` // the answer depends on who asks, so that records have no shares
}

// Record is a record as it stands now.
type Record struct {
	Group    string            `json:"group"`
	Record   string            `json:"record"` // id
	Block    string            `json:"block"`
	Values   []string          `json:"values"`          // type and data; none for an alias of a group
	Alias    string            `json:"alias,omitempty"` // what it stands for
	Site     string            `json:"site,omitempty"`
	Admin    string            `json:"admin"`              // admin state that is in force, whoever said it of whatever it belongs to
	Override *Override         `json:"override,omitempty"` // what an operator said of this very record
	Health   string            `json:"health"`
	Since    *time.Time        `json:"since,omitempty"`  // of that health
	Reason   string            `json:"reason,omitempty"` // what the check that decides saw last or, while the admin state is not enabled, why that is so
	Shares   map[string]string `json:"shares"`           // by type: the exact part of answers that it stands in, "0" if out; types by_client are absent
	Checks   []CheckRef        `json:"checks"`
}

// CheckRef names a check.
type CheckRef struct {
	ID     string `json:"id"`
	Check  string `json:"check"` // PROBE@TARGET
	Health string `json:"health"`
}
