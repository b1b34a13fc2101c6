// Package scenario runs a Corefile in virtual time: the server's own engine, views, choice and replies, with
// pretended sockets and a clock that the caller moves.
//
// A World is what is simulated; a Script is the text of a scenario file; Run plays a script in a world and reports what did not
// hold. Everything here runs on the goroutine of its caller.
package scenario

import (
	"errors"
	"math/big"
	"net/netip"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
)

// errUnfinished marks what is still to be written.
var errUnfinished = errors.New("unfinished")

// Source is a Corefile and the files that it names, by their names relative to it.
type Source struct {
	Name  string // the Corefile's name in positions
	Files map[string][]byte
}

// World is one Corefile at one instant of virtual time.
type World struct{}

// NewWorld starts the Corefile at time 0: all first attempts are due, none has started. The problems hold the warnings, or why
// it is refused; then the world is nil.
func NewWorld(s Source) (*World, config.Problems) { return nil, nil }

// Now returns the virtual time since the start.
func (w *World) Now() time.Duration { return 0 }

// AdvanceTo moves the clock to t: whatever happens before t happens, and attempts that end at t end. Attempts that start at t
// start only when the clock is moved on, so that what the caller changes now applies to them.
func (w *World) AdvanceTo(t time.Duration) {}

// Behaviour is how attempts on a target end that start from now on.
type Behaviour struct {
	Kind   BehaviourKind
	Status int           // of Status
	After  time.Duration // how long they take; 50 ms unless said
}

// BehaviourKind is the word of a `target` line.
type BehaviourKind string

// The behaviours of a target.
const (
	Up         BehaviourKind = "up"
	Refuse     BehaviourKind = "refuse"
	Hang       BehaviourKind = "hang"
	Status     BehaviourKind = "status"
	CannotTell BehaviourKind = "cannot_tell"
)

// SetTarget sets the behaviour of ADDRESS, ADDRESS:PORT, NAME or NAME:PORT. One that no check has yet is allowed.
func (w *World) SetTarget(target string, b Behaviour) error { return errUnfinished }

// SetHealth sets the verdict of the checks of PROBE@TARGET or GROUP/RECORD to healthy, unhealthy or checking and clears their
// counters; attempts go on.
func (w *World) SetHealth(object, word string) error { return errUnfinished }

// Admin sets the admin state of GROUP or GROUP/RECORD; 0 lasts until changed.
func (w *World) Admin(object, state string, lasts time.Duration) error { return errUnfinished }

// Reload replaces the Corefile; a refused one changes nothing.
func (w *World) Reload(s Source) config.Problems { return nil }

// Question is what a client asks.
type Question struct {
	Name   string // relative to the first zone unless it ends in a dot; @ is the apex
	Type   uint16
	From   netip.Addr   // the asker; 198.51.100.1 unless said
	Subnet netip.Prefix // EDNS Client Subnet; none unless valid
	DO     bool
}

// Outcome is one possible reply to a question, with its exact probability. Replies whose sets of answer records are equal are one.
type Outcome struct {
	Part   *big.Rat
	Result answer.Result // Msg is never nil
}

// Ask returns all possible replies to the question at this instant, most probable first. Their parts sum to 1. More than
// MaxOutcomes are an error.
func (w *World) Ask(q Question) ([]Outcome, error) { return nil, errUnfinished }

// MaxOutcomes bounds the number of different replies that are listed.
const MaxOutcomes = 10_000

// Values returns the records of a reply's answer section as data in zone file form, sorted.
func Values(m *dns.Msg) []string { return nil }

// RecordState returns the state word of GROUP/RECORD (an admin word if it is not enabled, else a health word) or of PROBE@TARGET.
func (w *World) RecordState(object string) (string, error) { return "", errUnfinished }

// GroupState returns online, degraded, checking, inactive or disabled (spec 3.6).
func (w *World) GroupState(group string) (string, error) { return "", errUnfinished }

// Attempts returns how many attempts on the target (ADDRESS, ADDRESS:PORT, NAME or NAME:PORT) have started.
func (w *World) Attempts(target string) int { return 0 }

// Transitions returns how often the check PROBE@TARGET has changed its status after its first verdict.
func (w *World) Transitions(object string) (int, error) { return 0, errUnfinished }

// Explain returns why the question is answered as it is, as text.
func (w *World) Explain(q Question) string { return "" }

// Close ends the world.
func (w *World) Close() {}
