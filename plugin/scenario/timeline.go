package scenario

// Timeline is what Simulate saw. Field names are stable; lengths of time and instants are seconds in JSON, instants count from the
// start.
type Timeline struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Until   Seconds  `json:"until"`
	Changes []Change `json:"timeline"`
	Outages []Outage `json:"outages"`
}

// Change is one line of a timeline: of its last three fields one is there.
type Change struct {
	At      Seconds       `json:"at"`
	Check   *CheckChange  `json:"check,omitempty"`
	Answers *Distribution `json:"answers,omitempty"`
	Fault   *FaultChange  `json:"fault,omitempty"`
}

// CheckChange is a change of a check's health.
type CheckChange struct {
	Check    string `json:"check"`
	From     string `json:"from"`
	To       string `json:"to"`
	Attempts int    `json:"attempts"` // that said so, one after the other
	Reason   string `json:"reason,omitempty"`
}

// FaultChange is a fault that begins.
type FaultChange struct {
	Object    string        `json:"object"`
	Behaviour BehaviourKind `json:"behaviour"`
	Targets   []string      `json:"targets"`
}

// Outage is the story of one fault that takes targets down.
type Outage struct {
	Object    string        `json:"object"`
	Behaviour BehaviourKind `json:"behaviour"`
	At        Seconds       `json:"at"`
	Checks    []string      `json:"checks"` // that the name's records use, and that the fault makes fail

	// Detection is the time until all of them were unhealthy; nil if they were not, or the targets were back before.
	Detection *Seconds `json:"detection"`
	// Answered is the time until no answer had a dead value any more; nil if some still have at the end.
	Answered *Seconds `json:"answered"`
	// Held is the longest that a client which obeys TTLs could hold a dead value, counted from the beginning of the outage and ended by
	// the return of the targets; nil if dead values are still answered at the end.
	Held *Seconds `json:"held"`
	TTL  uint32   `json:"ttl"` // seconds; of the answers with a dead value, the largest; 0 if there was none

	Back *Seconds `json:"back"` // the time until all its targets were back; nil if they are not
}
