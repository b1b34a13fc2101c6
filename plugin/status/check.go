package status

import "time"

// Check is a check as it stands now.
type Check struct {
	ID      string     `json:"id"`    // stays over reloads as long as all that is sent and compared does
	Check   string     `json:"check"` // PROBE@TARGET, which several checks may share
	Probe   string     `json:"probe"`
	Type    string     `json:"type"`
	Target  string     `json:"target"`
	Host    string     `json:"host,omitempty"` // that is asked for
	SNI     string     `json:"sni,omitempty"`
	Health  string     `json:"health"`
	Usable  bool       `json:"usable"` // whether it lets its record answer
	Since   time.Time  `json:"since"`  // of that health
	Passes  int        `json:"passes"` // in a row, as far as they count
	Fails   int        `json:"fails"`
	Next    *time.Time `json:"next,omitempty"`                // when the next attempt is due; absent if none is
	Expires *time.Time `json:"certificate_expires,omitempty"` // of the certificate seen last
	Last    []Attempt  `json:"attempts"`                      // the last ones, newest first; of a pushed or calculated check what was told or counted last
}

// Attempt is one attempt that has ended.
type Attempt struct {
	At       time.Time          `json:"at"` // its end
	Outcome  string             `json:"outcome"`
	Reason   string             `json:"reason,omitempty"`
	Cause    string             `json:"cause,omitempty"` // of one that could not tell
	Duration float64            `json:"duration_seconds"`
	Steps    map[string]float64 `json:"steps,omitempty"` // seconds, of those that were finished
}
