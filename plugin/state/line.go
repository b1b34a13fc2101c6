package state

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// The file is lines of JSON: a header, overrides, latches, lists of sources, checks, and a last line with the checksum of all above it. People can read it, and tools
// such as jq, but not change it.

// format is what the first line of every state file begins with.
const format = "healthroute state"

// version is that of the files that are written. It grows with every change that an earlier server would misread, words included.
// Version 1 had no lists of sources.
const version = 2

type header struct {
	Format    string `json:"format"`
	Version   int    `json:"version"`
	Taken     stamp  `json:"taken"`
	Overrides int    `json:"overrides"` // how many lines of each kind follow
	Latches   int    `json:"latches"`
	Sources   int    `json:"sources"` // from version 2 on
	Checks    int    `json:"checks"`
}

type overrideLine struct {
	Kind   health.ObjectKind `json:"kind"`
	Name   string            `json:"name"`
	Member string            `json:"member,omitempty"`
	said
	Under *said `json:"under,omitempty"`
}

type said struct {
	State  health.AdminState `json:"state"`
	Reason string            `json:"reason,omitempty"`
	Author string            `json:"author,omitempty"`
	Since  stamp             `json:"since"`
	Until  stamp             `json:"until,omitzero"`
}

type latchLine struct {
	Latch string `json:"latch"`
	Rank  int    `json:"rank"`
}

type checkLine struct {
	Check    string        `json:"check"`
	Identity string        `json:"identity"`
	Lineages []string      `json:"lineages,omitempty"`
	At       stamp         `json:"at,omitzero"` // if it is not the header's time
	Status   string        `json:"status"`
	Since    stamp         `json:"since"`
	Verdict  string        `json:"verdict"`
	Passes   int           `json:"passes,omitempty"`
	Fails    int           `json:"fails,omitempty"`
	Together string        `json:"together,omitempty"` // if it is not the own verdict
	Last     *attemptLine  `json:"last,omitempty"`
	Expires  int64         `json:"expires,omitempty"`
	Recovery *recoveryLine `json:"recovery,omitempty"`
}

type attemptLine struct {
	At      stamp  `json:"at"`
	Outcome string `json:"outcome"`
	Cause   string `json:"cause,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Took    length `json:"took,omitzero"`
}

type recoveryLine struct {
	Clean stamp     `json:"clean,omitzero"`
	Runs  []runLine `json:"runs,omitempty"`
}

type runLine struct {
	From  stamp  `json:"from"`
	Lasts length `json:"lasts"`
}

type trailer struct {
	Lines    int    `json:"lines"` // above this one
	Checksum string `json:"sha256"`
}

// stamp is an instant, which is written in UTC.
type stamp struct{ time.Time }

func stampOf(t time.Time) stamp { return stamp{utc(t)} }

// UnmarshalJSON reads one in UTC only: that of another zone could be in a year that cannot be written.
func (s *stamp) UnmarshalJSON(text []byte) error {
	if err := s.Time.UnmarshalJSON(text); err != nil {
		return err
	}
	if _, offset := s.Zone(); offset != 0 {
		return fmt.Errorf("time %s is not in UTC", text)
	}
	s.Time = utc(s.Time)
	return nil
}

// utc leaves the zero time alone.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// length is a length of time in Go's form.
type length time.Duration

// MarshalText writes it.
func (l length) MarshalText() ([]byte, error) { return []byte(time.Duration(l).String()), nil }

// UnmarshalText reads it.
func (l *length) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*l = length(d)
	return err
}

// wordOf finds the value that a word stands for among all up to the last one.
func wordOf[T interface {
	~uint8
	fmt.Stringer
}](word string, last T) (T, error) {
	for v := T(0); v <= last; v++ {
		if v.String() == word {
			return v, nil
		}
	}
	return 0, fmt.Errorf("unknown word %q", word)
}

func sayOf(v health.Override) said {
	return said{State: v.State, Reason: v.Reason, Author: v.Author, Since: stampOf(v.Since), Until: stampOf(v.Until)}
}

func (s said) override() (health.Override, error) {
	states := append(health.AdminStates(), health.Deregistered, health.Unused, health.Shifted)
	if !slices.Contains(states, s.State) {
		return health.Override{}, fmt.Errorf("unknown admin state %q", s.State)
	}
	return health.Override{State: s.State, Reason: s.Reason, Author: s.Author, Since: s.Since.Time, Until: s.Until.Time}, nil
}

func overrideLineOf(s health.Standing) overrideLine {
	l := overrideLine{Kind: s.Object.Kind, Name: s.Object.Name, Member: s.Object.Member, said: sayOf(s.Override)}
	if s.Under != nil {
		under := sayOf(*s.Under)
		l.Under = &under
	}
	return l
}

func (l overrideLine) standing() (health.Standing, error) {
	s := health.Standing{Object: health.Object{Kind: l.Kind, Name: l.Name, Member: l.Member}}
	if !slices.Contains([]health.ObjectKind{health.OfGroup, health.OfPool, health.OfSite, health.OfShift}, l.Kind) {
		return s, fmt.Errorf("unknown kind %q", l.Kind)
	}
	var err error
	if s.Override, err = l.override(); err != nil || l.Under == nil {
		return s, err
	}
	under, err := l.Under.override()
	s.Under = &under
	return s, err
}

func checkLineOf(k health.Known, taken time.Time) checkLine {
	l := checkLine{
		Check: k.Name, Identity: k.Identity, Lineages: k.Lineages, Status: k.Status.String(), Since: stampOf(k.Since),
		Verdict: k.Counter.Verdict.String(), Passes: k.Counter.Passes, Fails: k.Counter.Fails, Expires: k.Expires,
	}
	if !k.At.Equal(taken) {
		l.At = stampOf(k.At)
	}
	if k.Verdict != k.Counter.Verdict {
		l.Together = k.Verdict.String()
	}
	if !k.LastAt.IsZero() {
		l.Last = &attemptLine{At: stampOf(k.LastAt), Outcome: k.Last.Outcome.String(), Cause: k.Last.Cause.String(), Reason: k.Last.Reason, Took: length(k.Last.Duration)}
	}
	if k.Recovery.Fallen {
		l.Recovery = &recoveryLine{Clean: stampOf(k.Recovery.Clean)}
		for _, run := range k.Recovery.Runs {
			l.Recovery.Runs = append(l.Recovery.Runs, runLine{stampOf(run.From), length(run.Lasts)})
		}
	}
	return l
}

func (l checkLine) known(taken time.Time) (health.Known, error) {
	k := health.Known{
		Identity: l.Identity, Lineages: l.Lineages, Name: l.Check, At: taken, Since: l.Since.Time,
		Counter: health.Counter{Passes: l.Passes, Fails: l.Fails}, Expires: l.Expires,
	}
	var err error
	if k.Status, err = wordOf(l.Status, health.Stopped); err != nil {
		return k, err
	}
	if k.Counter.Verdict, err = wordOf(l.Verdict, health.Down); err != nil {
		return k, err
	}
	if k.Verdict = k.Counter.Verdict; l.Together != "" {
		if k.Verdict, err = wordOf(l.Together, health.Down); err != nil {
			return k, err
		}
	}
	if l.Passes < 0 || l.Fails < 0 || l.Passes > 0 && l.Fails > 0 {
		return k, fmt.Errorf("%d passes and %d failures in a row", l.Passes, l.Fails)
	}
	if !l.At.IsZero() {
		k.At = l.At.Time
	}
	if len(l.Lineages) == 0 {
		k.Lineages = nil
	}
	if l.Last != nil {
		if l.Last.At.IsZero() {
			return k, errors.New("an attempt at no time")
		}
		k.LastAt, k.Last.Reason, k.Last.Duration = l.Last.At.Time, l.Last.Reason, time.Duration(l.Last.Took)
		if k.Last.Outcome, err = wordOf(l.Last.Outcome, probe.CannotTell); err != nil {
			return k, err
		}
		if k.Last.Cause, err = wordOf(l.Last.Cause, probe.OtherCause); err != nil {
			return k, err
		}
	}
	if l.Recovery != nil {
		k.Recovery = health.RecoverySnapshot{Fallen: true, Clean: l.Recovery.Clean.Time}
		for _, run := range l.Recovery.Runs {
			k.Recovery.Runs = append(k.Recovery.Runs, health.CleanRun{From: run.From.Time, Lasts: time.Duration(run.Lasts)})
		}
	}
	return k, nil
}
