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
	taken  bool    // a pool's target: it is used for a site that answers
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

// Behind is the choice behind an alias for the type, nil for a record with values.
func (c *Candidate) Behind(qtype uint16) *Set {
	if c.Target == nil {
		return nil
	}
	return c.Target.setOf(qtype)
}

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
