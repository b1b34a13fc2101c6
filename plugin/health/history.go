package health

import (
	"slices"
	"time"

	"github.com/healthroute/healthroute/plugin/probe"
)

// Attempt is one attempt that a check remembers.
type Attempt struct {
	EndedAt time.Time
	Result  probe.Result
}

// Remembered is how many attempts a check remembers.
const Remembered = 10

// longestReason bounds the bytes of a reason that is remembered. Reasons are one line; what they quote of a reply is cut already.
const longestReason = 256

// ring keeps the last attempts of a check in 40 bytes each, the times of their steps included. Reasons are kept once each: those of a target that is down are mostly the same,
// and those of the same cause are mostly one string in the whole process.
type ring struct {
	attempts [Remembered]past
	count    uint8 // of those in use
	next     uint8 // where the next one goes
	reasons  []string
}

// past is one attempt.
type past struct {
	ended   int64  // Unix nanoseconds
	took    uint32 // microseconds; an attempt takes at most some minutes
	outcome probe.Outcome
	cause   probe.Cause
	reason  uint8 // place in reasons, from 1 on; 0 for none
	times   probe.Times
}

// remember adds an attempt; it is called with mu held.
func (c *Check) remember(at time.Time, r probe.Result) {
	if c.history == nil {
		c.history = &ring{}
	}
	c.history.add(at, r)
}

func (h *ring) add(at time.Time, r probe.Result) {
	h.attempts[h.next] = past{} // its reason may go
	h.attempts[h.next] = past{
		ended: at.UnixNano(), took: uint32(min(r.Duration.Microseconds(), 1<<32-1)),
		outcome: r.Outcome, cause: r.Cause, reason: h.place(r.Reason), times: r.Times,
	}
	h.next = (h.next + 1) % Remembered
	h.count = min(h.count+1, Remembered)
}

// place finds a reason among those that are kept, or keeps it.
func (h *ring) place(reason string) uint8 {
	if reason == "" {
		return 0
	}
	if len(reason) > longestReason {
		reason = reason[:longestReason]
	}
	if i := slices.Index(h.reasons, reason); i >= 0 {
		return uint8(i + 1)
	}
	for i := range h.reasons {
		unused := func(a past) bool { return a.reason != uint8(i+1) }
		if !slices.ContainsFunc(h.attempts[:], func(a past) bool { return !unused(a) }) {
			h.reasons[i] = reason
			return uint8(i + 1)
		}
	}
	h.reasons = append(h.reasons, reason)
	return uint8(len(h.reasons))
}

// History returns the last attempts, at most Remembered, oldest first. Those that did not count, because verdicts were frozen or they could
// not tell, are among them. Reasons are cut to 256 bytes and durations to whole microseconds.
func (c *Check) History() []Attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.history == nil {
		return nil
	}
	h := c.history
	out := make([]Attempt, 0, h.count)
	for i := range h.count {
		a := h.attempts[(h.next+Remembered-h.count+i)%Remembered]
		r := probe.Result{Outcome: a.outcome, Cause: a.cause, Times: a.times, Duration: time.Duration(a.took) * time.Microsecond}
		if a.reason > 0 {
			r.Reason = h.reasons[a.reason-1]
		}
		out = append(out, Attempt{EndedAt: time.Unix(0, a.ended), Result: r})
	}
	return out
}
