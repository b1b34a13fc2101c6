package route

import (
	"slices"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// Candidate is a record that has something to answer the type of its set with.
type Candidate struct {
	Record   *Record
	Standing Standing
	// Target is what stands behind an alias of a group, at the instant of the view; nil for a record with values.
	Target *View

	values []value // what it answers: its usable values of the type, or all of them for a last resort
	whole  bool    // the values are of all types: the set does not look at the type
	// recovered is when the record came back from having been unusable; zero if it has not been.
	recovered time.Time
}

// Standing is whether a candidate may answer.
type Standing uint8

// The standings (spec 3.1).
const (
	Usable   Standing = iota // may answer
	Unusable                 // only in a last resort
	Stopped                  // never: what it stands for is stopped, or nothing behind the alias is eligible
	Removed                  // never, and takes no part in anything: an operator took it out
)

func (s Standing) String() string { return [...]string{"usable", "unusable", "stopped", "removed"}[s] }

// eligible reports whether a last resort may use the candidate.
func (c *Candidate) eligible() bool { return c.Standing <= Unusable }

// Len is the number of resource records that the candidate answers a query of the type with.
func (c *Candidate) Len(qtype uint16) int { return len(c.of(qtype)) }

// RR returns the i-th of them for a name in the zone. Owner and class are the caller's to fill in, on a copy.
func (c *Candidate) RR(qtype uint16, i int, zone string) dns.RR {
	return c.of(qtype)[i].rr(zone, c.Record.origins)
}

// of compares the type afterwards where the set did not (spec 4.11): a CNAME answers every type, and ANY gets one RRset.
func (c *Candidate) of(qtype uint16) []value {
	if !c.whole || len(c.values) == 0 {
		return c.values
	}
	if qtype == dns.TypeANY {
		qtype = c.values[0].rrType
	}
	if of := ofType(c.values, qtype); len(of) > 0 {
		return of
	}
	return ofType(c.values, dns.TypeCNAME)
}

// candidate returns the record as a candidate for the type, or false if it has nothing to answer it with. This is the one place
// where health decides who may answer; policies only choose among the candidates.
func candidate(g *Group, r *Record, qtype uint16) (Candidate, bool) {
	if r.alias != nil {
		return aliasCandidate(r, qtype)
	}
	all := r.answering(qtype)
	if len(all) == 0 {
		return Candidate{}, false
	}
	c := Candidate{Record: r, whole: qtype == dns.TypeANY, values: all}
	switch r.Admin() {
	case health.Disabled, health.Draining:
		c.Standing = Removed
		return c, true
	case health.Always:
		return c, true
	}
	switch usable := usableAmong(all); {
	case len(usable) > 0 && (!g.together || r.usableForEveryFamily()):
		c.values = usable
	default:
		c.Standing = Unusable
		c.leaveStoppedOut()
	}
	return c, true
}

// leaveStoppedOut keeps from a last resort what is said to be stopped (spec 3.1).
func (c *Candidate) leaveStoppedOut() {
	var running []value
	for _, v := range c.values {
		if v.check == nil || v.check.State().Status != health.Stopped {
			running = append(running, v)
		}
	}
	if c.values = running; len(running) == 0 {
		c.Standing = Stopped
	}
}

// answering returns the values that answer a query of the type: those of the type, else a CNAME, which answers every type (spec
// 4.15). For ANY they are all of them, to be compared with the type later.
func (r *Record) answering(qtype uint16) []value {
	if qtype == dns.TypeANY {
		return r.current()
	}
	if of := r.of(qtype); len(of) > 0 {
		return of
	}
	return r.of(dns.TypeCNAME)
}

// usableForEveryFamily is the rule of `families together` (spec 4.12).
func (r *Record) usableForEveryFamily() bool {
	for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
		if values := r.of(family); len(values) > 0 && len(usableAmong(values)) == 0 {
			return false
		}
	}
	return true
}

// upTo returns the candidates up to a standing.
func upTo(candidates []*Candidate, worst Standing) []*Candidate {
	if !slices.ContainsFunc(candidates, func(c *Candidate) bool { return c.Standing > worst }) {
		return candidates
	}
	out := make([]*Candidate, 0, len(candidates))
	for _, c := range candidates {
		if c.Standing <= worst {
			out = append(out, c)
		}
	}
	return out
}
