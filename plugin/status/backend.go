package status

import (
	"context"
	"time"
)

// Backend is what a server of this package shows and changes. Its methods are called from any number of goroutines at once; the context ends with the
// request, and at the latest after a few seconds. An error that is a *Problem goes to the client as it is; others are this server's own fault and
// go to the log.
//
// A write returns when it holds: what is asked for later, of this interface or by DNS, sees it, and if the server keeps its state in a file, it is there; what holds but
// could not be saved is a *Problem with InForce.
type Backend interface {
	Groups(context.Context, Selection) (Page[Group], error)
	Records(context.Context, Selection) (Page[Record], error)
	Pools(context.Context, Selection) (Page[Pool], error)
	Balancers(context.Context, Selection) (Page[Balancer], error)
	Checks(context.Context, Selection) (Page[Check], error)
	Explain(context.Context, Question) (Explanation, error)
	Configuration(context.Context) ([]Stanza, error)
	State(context.Context) (State, error)
	Overrides(context.Context) ([]Override, error)

	// Say puts an admin state in force, for all objects or, with an error, for none.
	Say(context.Context, Order, By) (Said, error)
	Failback(context.Context, FailbackOrder, By) (FailedBack, error)
	Push(context.Context, Pushed, By) (Reached, error)
	Attempt(context.Context, AttemptOrder, By) (Reached, error)
}

// By is who writes.
type By struct {
	Author string // as the request says, else as he logged in; "" if neither tells
	Login  string // "token", "certificate NAME" or "" where nobody needs to log in
	Remote string // where he came from: an address with its port, or "unix"
}

// Question asks why a query is answered as it is.
type Question struct {
	Name   string // absolute, or relative to a zone of ours
	Type   uint16
	Client string // address, or prefix that its resolver tells; "" is this host
	Block  string // the server block that is asked; "" is the one that CoreDNS would ask
}

// State is the server's own.
type State struct {
	Version  string    `json:"version"`
	Host     string    `json:"host"` // the host's name
	Started  time.Time `json:"started"`
	Now      time.Time `json:"now"`
	Ready    bool      `json:"ready"`    // every check has ended an attempt, or has a verdict from the state file
	Reloaded time.Time `json:"reloaded"` // when the configuration that runs was taken
	Blocks   []string  `json:"blocks"`   // server blocks

	Groups          int            `json:"groups"`
	Records         int            `json:"records"`
	Pools           int            `json:"pools"`
	Targets         int            `json:"targets"`
	Checks          map[string]int `json:"checks"` // how many by health
	Overrides       int            `json:"overrides"`
	AttemptsUnder   int            `json:"attempts_under_way"`
	AttemptsWaiting int            `json:"attempts_waiting"`
	OldestDue       float64        `json:"oldest_due_attempt_seconds"`
	Frozen          bool           `json:"verdicts_frozen"`
	Canaries        []string       `json:"canaries"` // checks

	File   *StateFile `json:"state,omitempty"` // what is kept over restarts; absent if the Corefile has no `state`
	Events EventState `json:"events"`          // filled in by the server
}

// StateFile is how the file fares that keeps what is known over restarts.
type StateFile struct {
	File    string     `json:"file"`
	Read    *time.Time `json:"read,omitempty"`          // of when what was read at the start is; absent if nothing was
	Refused string     `json:"refused,omitempty"`       // why what was there at the start was not taken, in one line
	Written *time.Time `json:"written,omitempty"`       // of when what it holds is; absent if this server has not written it yet
	Age     *float64   `json:"age_seconds,omitempty"`   // of that
	Size    int        `json:"size_bytes"`              // of that; 0 before it
	Failing *time.Time `json:"failing_since,omitempty"` // absent if it can be written
	Error   string     `json:"error,omitempty"`         // why it cannot
}

// EventState is what is known of events.
type EventState struct {
	Last      string `json:"last"` // id of the newest; listening after it misses nothing
	Kept      int    `json:"kept"`
	Listeners int    `json:"listeners"`
}

// Stanza is a part of the configuration as it was understood.
type Stanza struct {
	Block string   `json:"block"` // server block
	File  string   `json:"file"`
	Line  int      `json:"line"`
	Zones []string `json:"zones"`
	// Corefile says the same as the stanza: names absolute, defaults left out, and secrets replaced by a word.
	Corefile string `json:"corefile"`
}
