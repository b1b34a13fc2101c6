package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// attempted is what probe prints of one attempt. Field names are stable; durations are seconds.
type attempted struct {
	Check    string           `json:"check"`
	Type     config.ProbeType `json:"type"`
	Zone     string           `json:"zone"`
	Host     string           `json:"host,omitempty"`
	SNI      string           `json:"sni,omitempty"`
	At       time.Time        `json:"at"`
	Steps    []probeStep      `json:"steps"`
	Outcome  probe.Outcome    `json:"-"`
	Word     string           `json:"outcome"`
	Reason   string           `json:"reason,omitempty"`
	Protocol string           `json:"protocol,omitempty"`
	Status   uint16           `json:"status,omitempty"`
	Duration seconds          `json:"duration"`
	Notes    []string         `json:"notes,omitempty"`
}

// probeStep is one step of an attempt.
type probeStep struct {
	Step        probe.Step   `json:"step"`
	Start       seconds      `json:"start"` // since the start of the attempt
	Took        seconds      `json:"duration"`
	Detail      string       `json:"detail,omitempty"`
	Reason      string       `json:"reason,omitempty"` // why the attempt ended here
	Certificate *certificate `json:"certificate,omitempty"`
}

// certificate is a server's certificate as JSON.
type certificate struct {
	Subject   string    `json:"subject"`
	Issuer    string    `json:"issuer"`
	NotBefore time.Time `json:"not_before"`
	NotAfter  time.Time `json:"not_after"`
	Names     []string  `json:"names"`
	Verified  bool      `json:"verified"`
	Version   string    `json:"version,omitempty"`
	Cipher    string    `json:"cipher,omitempty"`
	Protocol  string    `json:"protocol,omitempty"`
}

// seconds is a length of time that JSON has in seconds.
type seconds time.Duration

// MarshalJSON writes seconds, to the microsecond.
func (s seconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%.6f", time.Duration(s).Seconds()), nil
}

// String writes milliseconds.
func (s seconds) String() string {
	return fmt.Sprintf("%.1fms", float64(time.Duration(s).Microseconds())/1000)
}

func newAttempted(what *scenario.Probing, target probe.Target, at time.Time, r probe.Result, trace probe.Trace) attempted {
	a := attempted{
		Check: checkName(what, target), Type: what.Probe.Type, Zone: what.Zone, Host: target.Host, SNI: target.SNI, At: at.UTC(),
		Steps: []probeStep{}, Outcome: r.Outcome, Word: r.Outcome.String(), Reason: r.Reason,
		Protocol: r.Protocol.String(), Status: r.Status, Duration: seconds(r.Duration),
	}
	for _, e := range trace.Events {
		a.Steps = append(a.Steps, probeStep{e.Step, seconds(e.Start), seconds(e.Took), e.Detail, e.Reason, (*certificate)(e.Certificate)})
	}
	if what.Probe.Invert {
		a.Notes = append(a.Notes, "invert: what passes counts as unhealthy")
	}
	if what.Probe.Assume != "" {
		a.Notes = append(a.Notes, fmt.Sprintf("assume %s: a server makes no such attempts", what.Probe.Assume))
	}
	return a
}

func (a attempted) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", a.Check, a.Type)
	for _, name := range []struct{ what, value string }{{"Host", a.Host}, {"SNI", a.SNI}} {
		if name.value != "" {
			fmt.Fprintf(&b, ", %s %s", name.what, name.value)
		}
	}
	b.WriteString("\n")
	line := func(step, took, detail string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-10s  %9s  %s", step, took, detail), " ") + "\n")
	}
	for _, s := range a.Steps {
		detail := s.Detail
		if s.Reason != "" {
			detail = "ended: " + s.Reason
		}
		line(s.Step.String(), s.Took.String(), detail)
		if s.Certificate != nil {
			for _, text := range s.Certificate.lines(a.At) {
				line("", "", text)
			}
		}
	}
	fmt.Fprintf(&b, "  %s", a.Word)
	if a.Reason != "" {
		fmt.Fprintf(&b, ": %s", a.Reason)
	}
	fmt.Fprintf(&b, " (%s)\n", a.Duration)
	for _, note := range a.Notes {
		fmt.Fprintf(&b, "  note: %s\n", note)
	}
	return b.String()
}

// lines are what a certificate says, at the given time.
func (c *certificate) lines(now time.Time) []string {
	verified := "verified"
	if !c.Verified {
		verified = "not verified"
	}
	names := "for nobody"
	if len(c.Names) > 0 {
		names = "for " + strings.Join(c.Names, ", ")
	}
	validity := fmt.Sprintf("valid %s to %s, ", c.NotBefore.Format(time.DateOnly), c.NotAfter.Format(time.DateOnly))
	if left := c.NotAfter.Sub(now); left >= 0 {
		validity += config.FormatDays(left) + " left"
	} else {
		validity += "expired"
	}
	return []string{
		fmt.Sprintf("certificate %s by %s, %s", c.Subject, c.Issuer, names),
		validity + ", " + verified,
	}
}
