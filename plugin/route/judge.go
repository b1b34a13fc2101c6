package route

import (
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// judge decides for one group and one instant which records may answer. It is the one place where health does that; policies only choose
// among the candidates that it hands them.
type judge struct {
	group *Group
	now   time.Time
	wake  time.Time // when a judgement changes although no check does: the end of a hold or a ramp; zero if none will
}

func newJudge(g *Group) *judge { return &judge{group: g, now: g.now()} }

// candidate returns the record as a candidate for the type, or false if it has nothing to answer it with.
func (j *judge) candidate(r *Record, qtype uint16) (Candidate, bool) {
	if r.alias != nil {
		return j.alias(r, qtype)
	}
	all := r.answering(qtype)
	if len(all) == 0 {
		return Candidate{}, false
	}
	c := Candidate{Record: r, whole: qtype == dns.TypeANY, values: all}
	switch r.Admin() {
	case health.Disabled, health.Draining, health.Unused:
		c.Standing = Removed
		return c, true
	case health.Always:
		return c, true
	}
	switch usable := j.usableAmong(all); {
	case len(usable) > 0 && (!j.group.together || j.usableForEveryFamily(r)):
		c.values = usable
		c.recovered = j.recovered(usable)
	default:
		c.Standing = Unusable
		c.leaveStoppedOut()
	}
	return c, true
}

// usable reports whether a check lets its record answer; a group with `hold` waits a while after it came back (spec 4.13).
func (j *judge) usable(c *health.Check) bool {
	switch {
	case c == nil:
		return true
	case !c.Usable():
		return false
	case j.group.hold == 0:
		return true
	}
	until := c.State().HeldUntil(j.group.hold)
	if !until.After(j.now) {
		return true
	}
	j.wakeAt(until)
	return false
}

// wakeAt makes the group be judged again then.
func (j *judge) wakeAt(t time.Time) {
	if t.After(j.now) && t.Before(health.Later) && (j.wake.IsZero() || t.Before(j.wake)) {
		j.wake = t
	}
}

// usableAmong returns the usable values; the very slice, if all are.
func (j *judge) usableAmong(values []value) []value {
	for i, v := range values {
		if j.usable(v.check) {
			continue
		}
		out := append([]value(nil), values[:i]...)
		for _, v := range values[i+1:] {
			if j.usable(v.check) {
				out = append(out, v)
			}
		}
		return out
	}
	return values
}

// usableForEveryFamily is the rule of `families together` (spec 4.12).
func (j *judge) usableForEveryFamily(r *Record) bool {
	for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
		if values := r.of(family); len(values) > 0 && len(j.usableAmong(values)) == 0 {
			return false
		}
	}
	return true
}

// recovered is when the first of the usable values came back from having been unusable, zero if one has always been usable or nobody asks.
func (j *judge) recovered(usable []value) time.Time {
	if !j.group.tracksRecovery {
		return time.Time{}
	}
	var first time.Time
	for _, v := range usable {
		if v.check == nil {
			return time.Time{}
		}
		at := v.check.State().RecoveredAt(j.group.hold)
		if at.IsZero() {
			return time.Time{}
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}
