package status

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// Order says an admin state of objects.
type Order struct {
	Objects []string `json:"objects"`          // by exact name, or with * and ?
	State   string   `json:"state"`            // enabled ends what was said before
	For     string   `json:"for,omitempty"`    // a duration; "" is until it is changed
	Reason  string   `json:"reason,omitempty"` // for people
	Author  string   `json:"author,omitempty"`
	Force   bool     `json:"force,omitempty"` // also if a group has nothing usable left
}

// Said is what an order did.
type Said struct {
	Changed []Change    `json:"changed"`
	Emptied []Remainder `json:"emptied"` // groups that it left with nothing usable
}

// Change is what an order did to one object.
type Change struct {
	Object string     `json:"object"`
	Before string     `json:"before"` // what an operator had said; "" for nothing
	State  string     `json:"state"`  // what holds now, whoever said it
	Until  *time.Time `json:"until,omitempty"`
	Note   string     `json:"note,omitempty"` // why State is not what was asked for
}

// Remainder is what a group answers a type with that has nothing usable left.
type Remainder struct {
	Group      string   `json:"group"` // or `pool POOL`, or `balancer BALANCER`
	Type       string   `json:"type"`
	LastResort string   `json:"last_resort"` // the word that holds; "fail_open" of a pool or a balancer
	Answers    []string `json:"answers"`     // ids of the records or targets that answer by it; behind an alias as "ALIAS -> ID"
}

// toldAnswers is how many of the records that answer are told in a line.
const toldAnswers = 5

// String tells it.
func (r Remainder) String() string {
	answers, more := "nothing is left to answer", ""
	if n := len(r.Answers); n > toldAnswers {
		more = fmt.Sprintf(" and %d more", n-toldAnswers)
	}
	if len(r.Answers) > 0 {
		answers = "would answer " + strings.Join(r.Answers[:min(toldAnswers, len(r.Answers))], ", ") + more
	}
	word := "last_resort " + r.LastResort
	if r.LastResort == "fail_open" {
		word = "nothing in it is usable"
	}
	return fmt.Sprintf("%s %s: %s, %s", r.Group, r.Type, word, answers)
}

// Override is an admin state that an operator said.
type Override struct {
	Object  string     `json:"object"`
	State   string     `json:"state"`
	Reason  string     `json:"reason,omitempty"`
	Author  string     `json:"author,omitempty"`
	Since   time.Time  `json:"since"`
	Age     float64    `json:"age_seconds"`
	Until   *time.Time `json:"until,omitempty"`
	Matches []string   `json:"matches"` // records and targets that it is about now; none: it waits for one of that name
}

// FailbackOrder lets records of groups with `failback manual` answer again.
type FailbackOrder struct {
	Groups []string `json:"groups"` // by exact name, or with * and ?
	Reason string   `json:"reason,omitempty"`
	Author string   `json:"author,omitempty"`
}

// FailedBack is what it did.
type FailedBack struct {
	Groups []FailedBackGroup `json:"groups"`
}

// FailedBackGroup is what it did to one group.
type FailedBackGroup struct {
	Group string `json:"group"`
	Held  bool   `json:"held"` // records were held out until now
}

// Pushed is what somebody tells about the checks of a push probe.
type Pushed struct {
	Probe  string     `json:"probe"`
	Health string     `json:"health"`       // healthy or unhealthy
	At     *time.Time `json:"at,omitempty"` // when that was so; absent: now
	Reason string     `json:"reason,omitempty"`
	Author string     `json:"author,omitempty"`
}

// AttemptOrder asks for attempts at once.
type AttemptOrder struct {
	Checks []string `json:"checks"` // PROBE@TARGET or id, by exact name or with * and ?
	Author string   `json:"author,omitempty"`
}

// Reached is the checks that a write was about.
type Reached struct {
	Checks []CheckRef `json:"checks"`
}

// Bounds of what a write may carry. They are far above what people need.
const (
	maxNamed  = 1000 // objects, groups or checks in one write
	maxText   = 500  // bytes of a reason
	maxAuthor = 100  // bytes of an author's name
)

// Lasts returns how long an order's state holds, 0 for until it is changed. The order must be valid.
func (o Order) Lasts() time.Duration {
	d, _ := time.ParseDuration(o.For)
	return d
}

// validate checks what can be checked without knowing any object.
func (o Order) validate() *Problem {
	if p := firstOf(named("objects", o.Objects), text("reason", o.Reason, maxText), text("author", o.Author, maxAuthor)); p != nil {
		return p
	}
	if p := oneOf("state", o.State, states()); p != nil {
		return p
	}
	if o.For == "" {
		return nil
	}
	if d, err := time.ParseDuration(o.For); err != nil || d <= 0 {
		return invalid(fmt.Sprintf("%q of \"for\" is no duration", o.For), "a duration above 0, as in 30m or 1h30m")
	}
	return nil
}

// states are the words that an order may say, of one object or the other.
func states() []string {
	var words []string
	for _, s := range append(health.AdminStates(), health.Shifted, health.Deregistered) {
		words = append(words, string(s))
	}
	return words
}

func (o FailbackOrder) validate() *Problem {
	return firstOf(named("groups", o.Groups), text("reason", o.Reason, maxText), text("author", o.Author, maxAuthor))
}

func (p Pushed) validate() *Problem {
	if p.Probe == "" {
		return invalid(`"probe" is missing`, "the name of a push probe")
	}
	return firstOf(oneOf("health", p.Health, []string{health.Healthy.String(), health.Unhealthy.String()}),
		text("reason", p.Reason, maxText), text("author", p.Author, maxAuthor))
}

func (o AttemptOrder) validate() *Problem {
	return firstOf(named("checks", o.Checks), text("author", o.Author, maxAuthor))
}

// named checks a list of names.
func named(field string, words []string) *Problem {
	switch {
	case len(words) == 0:
		return invalid(fmt.Sprintf("%q is empty", field), "at least one name")
	case len(words) > maxNamed:
		return invalid(fmt.Sprintf("%q has %d names", field, len(words)), fmt.Sprintf("at most %d; a name may have * and ?", maxNamed))
	}
	return nil
}

// text checks a line that people write for people: it goes to the log and to terminals.
func text(field, value string, most int) *Problem {
	switch {
	case len(value) > most:
		return invalid(fmt.Sprintf("%q has %d bytes", field, len(value)), fmt.Sprintf("at most %d", most))
	case strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
		return invalid(fmt.Sprintf("%q of %q holds what cannot be printed", value, field), "one line of text")
	}
	return nil
}

// oneOf checks a word.
func oneOf(field, word string, words []string) *Problem {
	for _, w := range words {
		if w == word {
			return nil
		}
	}
	p := invalid(fmt.Sprintf("%q of %q is unknown", word, field), config.OneOf(words))
	p.Nearest = config.Nearest(word, words)
	return p
}

func firstOf(problems ...*Problem) *Problem {
	for _, p := range problems {
		if p != nil {
			return p
		}
	}
	return nil
}
