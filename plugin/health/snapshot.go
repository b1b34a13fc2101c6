package health

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/healthroute/healthroute/plugin/probe"
)

// Snapshot is what an engine knows at one instant, as plain data: what a restart has to keep.
type Snapshot struct {
	Taken   time.Time
	Checks  []Known        // in the order of their names
	Latches map[string]int // ranks by key; none is 0
}

// Known is what is known of one check.
type Known struct {
	Identity string    // of all that is sent and compared, in hexadecimal digits
	Lineages []string  // by which leases know the check, sorted
	Name     string    // PROBE@TARGET, for people
	At       time.Time // when this was known last: when the snapshot was taken, or earlier
	Status   Status
	Counter  Counter
	Verdict  Verdict // of all observers together
	Since    time.Time
	Last     probe.Result // outcome, cause, reason and duration only
	LastAt   time.Time
	Expires  int64
	Recovery RecoverySnapshot
}

// RecoverySnapshot is a Recovery as plain data.
type RecoverySnapshot struct {
	Fallen bool
	Clean  time.Time
	Runs   []CleanRun
}

// CleanRun is a time without a bad attempt that has ended.
type CleanRun struct {
	From  time.Time
	Lasts time.Duration
}

// Snapshot returns what is known now. Checks of which nothing is known are not in it, nor those that rest: these begin anew when they are wanted. What
// was restored and has found no check yet is, with its own time, as long as it may find one.
func (e *Engine) Snapshot() Snapshot {
	e.mu.Lock()
	now := e.clock.Now()
	lineages := e.lineages()
	checks := slices.Collect(maps.Values(e.checks))
	known := e.restored.left(now)
	e.mu.Unlock()
	for _, c := range checks {
		if k, worth := c.known(now); worth {
			k.Lineages = lineages[c]
			known = append(known, k)
		}
	}
	slices.SortFunc(known, func(a, b Known) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Identity, b.Identity)) })
	return Snapshot{Taken: now, Checks: known, Latches: e.latches.all()}
}

// lineages are the names of all checks, newer leases before older ones; it is called with mu held.
func (e *Engine) lineages() map[*Check][]string {
	out := make(map[*Check][]string, len(e.checks))
	seen := make(map[string]bool, len(e.checks))
	for _, l := range slices.Backward(e.leases) {
		for name, c := range l.lineages {
			if !seen[name] {
				seen[name] = true
				out[c] = append(out[c], name)
			}
		}
	}
	for _, names := range out {
		slices.Sort(names)
	}
	return out
}

// known is what is known of the check, and whether that is worth keeping.
func (c *Check) known(now time.Time) (Known, bool) {
	name := c.String()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	k := Known{
		Identity: hex.EncodeToString([]byte(c.identity)), Name: name, At: now, Status: s.Status, Counter: s.Counter, Verdict: s.Verdict, Since: s.Since,
		Last:   probe.Result{Outcome: s.Last.Outcome, Cause: s.Last.Cause, Reason: s.Last.Reason, Duration: s.Last.Duration},
		LastAt: s.LastAt, Expires: s.Expires, Recovery: s.Recovery.snapshot(),
	}
	return k, !c.paused && !c.halted && (s.Counter != Counter{} || s.Verdict != NoVerdict || !s.LastAt.IsZero())
}

func (r Recovery) snapshot() RecoverySnapshot {
	s := RecoverySnapshot{Fallen: r.fallen, Clean: r.clean}
	for _, run := range r.earlier() {
		s.Runs = append(s.Runs, CleanRun{run.from, run.lasts})
	}
	return s
}

// recovery is the Recovery that the snapshot is of.
func (s RecoverySnapshot) recovery() Recovery {
	r := Recovery{fallen: s.Fallen, clean: s.Clean}
	if len(s.Runs) > 0 {
		runs := make([]cleanRun, len(s.Runs))
		for i, run := range s.Runs {
			runs[i] = cleanRun{run.From, run.Lasts}
		}
		r.runs = &runs
	}
	return r
}
