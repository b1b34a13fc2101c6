// Package compare tells what a Corefile does to a server that runs another one: whose answers change, what becomes of the checks, and what has nothing
// usable. It asks both in virtual time (package scenario), opens no socket and starts no attempt.
//
// Worlds says it all; a Report is plain data, in a stable order. Everything here runs on the goroutine of its caller.
package compare

import (
	"github.com/healthroute/healthroute/plugin/scenario"
)

// Report is what changes from one Corefile to the next. Field names are stable.
type Report struct {
	ServerBlocks []Part   `json:"server_blocks"` // that only one of them has
	Zones        []Part   `json:"zones"`         // and what is said for all of a zone
	Answers      []Answer `json:"answers"`       // that change while every check is healthy
	// Declared are names that are declared otherwise, but answered alike while every check is healthy: maybe not when one fails.
	Declared []Part     `json:"declared"`
	Filters  []Part     `json:"filters"`
	Unusable []Unusable `json:"unusable"` // in the new Corefile
	Checks   Checks     `json:"checks"`
	Notes    []string   `json:"notes"` // what could not be compared
}

// Change is what became of something.
type Change string

// The changes.
const (
	Added   Change = "added"
	Dropped Change = "dropped"
	Changed Change = "changed"
)

// Part is something that is declared, perhaps under several names.
type Part struct {
	Names  []string `json:"names"`
	Types  []string `json:"types,omitempty"` // that the names are asked for
	Change Change   `json:"change"`
	Why    []string `json:"why"` // what is declared otherwise: "record a: weight 10 -> 20"
}

// Answer is the answers to one question, for several names and types if they change alike.
type Answer struct {
	Names   []string   `json:"names"`
	Types   []string   `json:"types"`
	Change  Change     `json:"change"`  // added: nobody here answered before; dropped: nobody does from now on
	Clients []string   `json:"clients"` // for whom; empty: for everybody
	Before  []Possible `json:"before"`
	After   []Possible `json:"after"`
	// Together says that records are told one by one, because many answer together: the share of each is the part of answers that it stands in.
	Together bool     `json:"together"`
	Why      []string `json:"why"`
}

// Possible is one answer of several.
type Possible struct {
	Share  string   `json:"share"`           // exact: "1/3"
	From   string   `json:"from,omitempty"`  // who answers, if not healthroute: "next plugin"
	Rcode  string   `json:"rcode,omitempty"` // empty if healthroute does not answer
	Answer []string `json:"answer"`          // data in zone file form
	Refers []string `json:"refers,omitempty"`
	TTL    uint32   `json:"ttl"` // seconds; of a negative answer its SOA's
}

// Unusable is a group or a pool's site that has nothing usable although no check is unhealthy.
type Unusable struct {
	Name    string   `json:"name"`
	Types   []string `json:"types"`
	Answers string   `json:"answers"` // what it answers: its last resort, or nothing
	Why     []string `json:"why"`
	Starts  bool     `json:"starts"` // only until its new checks have their first verdicts
	Before  bool     `json:"before"` // in the old Corefile too
}

// Checks is what becomes of checks at a reload.
type Checks struct {
	Kept           int                  `json:"kept"` // they go on with all that they know
	Added          []string             `json:"added"`
	Changed        []CheckChange        `json:"changed"` // they keep their verdicts, and count anew
	Dropped        []string             `json:"dropped"`
	AttemptsBefore scenario.AttemptRate `json:"attempts_before"`
	AttemptsAfter  scenario.AttemptRate `json:"attempts_after"`
}

// CheckChange is a check whose definition changes.
type CheckChange struct {
	Check string   `json:"check"`
	Why   []string `json:"why"`
}

// Empty reports whether nothing changes. What has nothing usable in both is no change.
func (r Report) Empty() bool {
	return len(r.ServerBlocks)+len(r.Zones)+len(r.Answers)+len(r.Declared)+len(r.Filters)+
		len(r.Checks.Added)+len(r.Checks.Changed)+len(r.Checks.Dropped) == 0
}
