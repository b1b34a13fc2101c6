package health

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// Spec asks for a check: one probe applied to one target.
type Spec struct {
	Probe  *config.Probe
	Prober *probe.Prober
	Target probe.Target
	// Children are what a calculated check counts: each is the checks of a probe or of a record, and healthy if one of them is usable
	// or it has none. The lease must hold them.
	Children [][]*Check
	// User is who asks: the group's name, or the zone for a probe with a target of its own. With the probe's
	// name and the target it tells that a check whose options changed is still the same one (design, Packages).
	User string
}

// identity is a digest of everything that is sent and compared; specs of one identity share one check
// (design, Probes).
func (s Spec) identity() string {
	digest := sha256.New()
	t := s.Target
	fmt.Fprintf(digest, "%s\n%s %s %d\n%q %q", s.Prober.Fingerprint(), t.Address, t.Name, t.Port, t.Host, t.SNI)
	for _, h := range t.Headers {
		fmt.Fprintf(digest, "\n%q: %q", strings.ToLower(h.Name), h.Value)
	}
	for _, group := range s.Children {
		fmt.Fprintf(digest, "\nchild")
		for _, child := range group {
			fmt.Fprintf(digest, " %x", child.identity)
		}
	}
	return string(digest.Sum(nil))
}

// lineage names the check for the operator: it stays when the probe's options change.
func (s Spec) lineage() string {
	return fmt.Sprintf("%s@%s for %s", s.Probe.Name, targetString(s.Target), s.User)
}

// Check is one probe applied to one target, with its health. All methods may be called at any time from any
// goroutine; they go on answering, unchanged, after the check has stopped.
type Check struct {
	identity string
	children [][]*Check // of a calculated check; never changed
	engine   *Engine
	usable   atomic.Bool  // what State().Usable says, for views
	flips    atomic.Int64 // Unix nanoseconds; what Flips returns; 0 for never
	idle     atomic.Bool  // what paused says, for children, or that it has stopped
	canary   atomic.Bool  // verdicts are frozen while it and its like are unhealthy; it is not

	mu       sync.Mutex
	state    State              // guarded by mu
	holds    []hold             // guarded by mu: who uses the check, oldest first; the last of all stays
	parents  []*Check           // guarded by mu: calculated checks that count this one; replaced, never changed
	told     time.Time          // guarded by mu: when our own verdict was heard last
	votes    map[string]vote    // guarded by mu: other observers' verdicts; nil while there are none
	halted   bool               // guarded by mu: it was forced to be stopped
	begun    bool               // guarded by mu: the first attempt is scheduled
	apart    bool               // guarded by mu: it has left the herd that it started in
	stale    bool               // guarded by mu: what it began with is from before a restart
	slow     bool               // guarded by mu: its last attempt took half of its timeout or more
	queued   *waiter            // guarded by mu: its attempt is due and waits for its turn; nil while none does
	history  *ring              // guarded by mu: the last attempts; nil before the first
	stopped  bool               // guarded by mu: no lease is left
	paused   bool               // guarded by mu: no lease wants attempts
	epoch    int                // guarded by mu: attempts of an earlier one do not count
	unset    func() bool        // guarded by mu: calls the next attempt off
	unexpire func() bool        // guarded by mu: calls off that what was pushed expires
	abandon  context.CancelFunc // guarded by mu: ends the attempt under way
	running  int                // guarded by mu: attempts that have not ended, abandoned ones among them
	first    chan struct{}      // closed when the first attempt has ended, or there will be none
}

// hold is one lease's use of a check. Leases may know it by different probe names.
type hold struct {
	lease *Lease
	spec  Spec
	idle  bool // it wants no attempts
}

// State is what is known of a check at one instant.
type State struct {
	Status   Status
	Usable   bool         // whether it lets its record answer
	Counter  Counter      // of our own attempts
	Verdict  Verdict      // of all observers together; with one, Counter's
	Since    time.Time    // when Status began
	Last     probe.Result // the last attempt's; zero before it. Of a calculated check, the last count
	LastAt   time.Time    // when that ended; zero before it. Of a pushed check, Last and LastAt are what was told and when it was so
	Next     time.Time    // when the next attempt is due; zero if none is
	Recovery Recovery     // how it came back from being unhealthy
	Expires  int64        // until when the certificate seen last is valid, in Unix seconds; 0 if none was seen
}

func newCheck(s Spec, identity string, e *Engine, now time.Time) *Check {
	c := &Check{identity: identity, engine: e, first: make(chan struct{})}
	if s.Probe.Type == config.ProbeCalculated {
		c.children = s.Children
		c.attach()
		c.state.Last, c.state.LastAt = c.counted(s.Probe), now
	}
	c.state.Since = now
	c.set(s.Probe, Counter{}, now)
	if !s.Probe.IsAttempted() {
		close(c.first) // there will be no attempt to wait for
	}
	return c
}

// inherit takes over the verdict of an earlier definition of the same check, which was heard last at that time; the new one has to earn a
// change with its own runs. It is called before anybody else knows c.
func (c *Check) inherit(p *config.Probe, old State, told time.Time) {
	if old.Counter.Verdict == NoVerdict || p.Type == config.ProbeCalculated {
		return
	}
	c.told, c.state.Verdict = told, old.Verdict
	c.state.Last, c.state.LastAt, c.state.Expires = old.Last, old.LastAt, old.Expires
	c.set(p, Counter{Verdict: old.Counter.Verdict}, c.state.Since)
	if c.state.Status == old.Status { // `invert` may have turned it
		c.state.Since, c.state.Recovery = old.Since, old.Recovery
	}
	if !c.Attempted() {
		close(c.first)
	}
}

// set stores a counter and what follows from it; it is called with mu held, or before anybody else knows c.
func (c *Check) set(p *config.Probe, counter Counter, at time.Time) {
	c.state.Counter = counter
	c.judge(p, at)
}

// judge works out the status; it is called with mu held, or before anybody else knows c.
func (c *Check) judge(p *config.Probe, at time.Time) {
	switch p.Type {
	case config.ProbeCalculated:
		c.state.Verdict, _, _ = c.count(p)
	case config.ProbePush: // told to every observer for itself
		c.state.Verdict = c.pushedVerdict(p, at)
		c.state.Counter = Counter{Verdict: c.state.Verdict}
	default:
		c.state.Verdict = c.together(p, at)
	}
	status := statusOf(c.state.Verdict, p)
	if c.halted {
		status = Stopped
	}
	if status != c.state.Status {
		c.state.Since = at
		c.state.Recovery = c.state.Recovery.turn(status, at)
	}
	c.state.Status = status
	c.state.Usable = usable(status, p)
	c.usable.Store(c.state.Usable)
}

// spec is what the newest lease asked for; it is called with mu held.
func (c *Check) spec() Spec { return c.holds[len(c.holds)-1].spec }

// Usable reports whether the check lets its record answer now.
func (c *Check) Usable() bool { return c.usable.Load() }

// State returns what is known of the check now.
func (c *Check) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Probe returns the definition that the check follows. It must not be changed.
func (c *Check) Probe() *config.Probe {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spec().Probe
}

// Target returns what the check tests.
func (c *Check) Target() probe.Target {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spec().Target
}

// Attempted reports whether the first attempt has ended, whatever it showed, or there will be none.
func (c *Check) Attempted() bool {
	select {
	case <-c.first:
		return true
	default:
		return false
	}
}

// ID tells the check from all others, also from those of the same name, and stays over reloads as long as all that is sent and compared does.
func (c *Check) ID() string { return hex.EncodeToString([]byte(c.identity[:8])) }

// String is the check's name in logs and scenarios: PROBE@TARGET.
func (c *Check) String() string { return c.Probe().Name + "@" + targetString(c.Target()) }

// TargetString writes the target as address or name, colon and port.
func (c *Check) TargetString() string { return targetString(c.Target()) }

// CalculatedTarget stands for the target of a calculated check, which has none.
const CalculatedTarget = "calculated"

// PushTarget stands for the target of a pushed check: somebody tells, whoever it is about.
const PushTarget = "push"

// TargetString writes a target as address or name, with colon and port if it has one.
func TargetString(t probe.Target) string { return targetString(t) }

func targetString(t probe.Target) string {
	switch {
	case t.Name != "" && t.Port == 0: // the type knows no port
		return t.Name
	case t.Name != "":
		return fmt.Sprintf("%s:%d", t.Name, t.Port)
	case !t.Address.IsValid():
		return CalculatedTarget
	case t.Port == 0:
		return t.Address.String()
	}
	return netip.AddrPortFrom(t.Address, t.Port).String()
}
