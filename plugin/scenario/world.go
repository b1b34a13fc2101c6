// Package scenario runs a Corefile in virtual time: the server's own engine, views, choice and replies, with
// pretended sockets and a clock that the caller moves.
//
// A World is what is simulated; a Script is the text of a scenario file; Run plays a script in a world and reports what did not
// hold. Everything here runs on the goroutine of its caller.
package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/discover"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/locate"
	"github.com/healthroute/healthroute/plugin/route"
)

// World is one Corefile at one instant of virtual time.
type World struct {
	clock   *clock
	targets *targets
	engine  *health.Engine
	admin   *health.Admin
	lists   *discover.Lists
	source  Source
	dir     string // of the source's files
	cleanUp func() // of the source's files on disk
	servers []*server
	others  []*colleague
	draws   enumeration
	place   *locate.Locator // what is known of the asker's place, instead of the stanzas' files; nil for those

	resolved map[string]pretended // by absolute, lower-case name

	transitions map[*health.Check]int // after the first verdict
	lastResorts map[string]bool       // by group and type
	events      []Event
}

// server is one server block that runs.
type server struct {
	*Block
	table    *route.Table
	lease    *health.Lease
	names    *answer.Names
	sources  *route.Sources
	answerer *answer.Answerer
	unwatch  func()
}

// NewWorld starts the Corefile at time 0: all first attempts are due, none has started. The problems hold the warnings, or why
// it is refused; then the world is nil.
func NewWorld(s Source) (*World, config.Problems) {
	c := &clock{now: epoch}
	w := &World{
		clock: c, targets: newTargets(), admin: health.NewAdmin(expiries{c}), lists: &discover.Lists{},
		cleanUp: func() {}, resolved: map[string]pretended{}, transitions: map[*health.Check]int{}, lastResorts: map[string]bool{},
	}
	w.engine = health.NewEngine(health.Options{Clock: c, Timers: expiries{c}, Observer: w, Runner: w.run, Exact: true})
	problems := w.Reload(s)
	if problems.Errors() != nil {
		return nil, problems
	}
	return w, problems
}

// Reload replaces the Corefile as a server's reload does; a refused one changes nothing.
func (w *World) Reload(s Source) config.Problems {
	dir, cleanUp, err := s.onDisk() // as long as it is in force: sources of targets look at files again
	if err != nil {
		return config.Problems{{Message: err.Error()}}
	}
	laid := s
	laid.Dir = dir
	blocks, problems := Load(laid)
	if problems.Errors() != nil {
		cleanUp()
		return problems
	}
	var servers []*server
	for _, b := range blocks {
		n, err := w.serve(b)
		servers = append(servers, n)
		if err != nil {
			stop(servers)
			cleanUp()
			return append(problems, config.Problem{Message: err.Error()})
		}
	}
	w.engine.SetMaxAttempts(maxAttempts(blocks))
	w.engine.SetCanaries(canaries(servers))
	for _, n := range servers {
		n.table.Begin()
		n.names.Start()
		n.sources.Start()
	}
	stop(w.servers)
	for _, n := range servers {
		n.lease.TakeOver()
	}
	w.cleanUp()
	w.source, w.dir, w.servers, w.cleanUp = s, dir, servers, cleanUp
	for _, o := range w.others {
		o.follow(w)
	}
	w.AdvanceTo(w.Now()) // look-ups take no time
	return problems
}

// maxAttempts is what the Corefile says of it; virtual attempts have no other limit.
func maxAttempts(blocks []*Block) int {
	for _, s := range stanzasOf(blocks) {
		if s.MaxAttempts != 0 {
			return s.MaxAttempts
		}
	}
	return 0
}

// canaries are those of all server blocks.
func canaries(servers []*server) []*health.Check {
	var checks []*health.Check
	for _, n := range servers {
		checks = append(checks, n.table.Canaries()...)
	}
	return checks
}

// serve compiles one server block on the world's engine.
func (w *World) serve(b *Block) (*server, error) {
	n := &server{Block: b, table: route.NewTable(w, w.admin)}
	n.lease = w.engine.Lease(n.table.Changed)
	n.lease.Scope = b.Scope
	n.unwatch = w.admin.Watch(n.table.AdminChanged)
	n.table.Beside(b.beside)
	if err := n.table.Compile(b.Stanzas, b.Probers, n.lease); err != nil {
		return n, err
	}
	n.names = answer.NewNames(n.table, expiries{w.clock}, w.askFor(n))
	n.sources = n.table.Sources(w.discovering(n), func(*route.Source, discover.Report) {})
	n.answerer = answer.New(n.table, answer.Options{
		Rand: first{}, Choose: w.draws.choose, Now: w.clock.Now, Serial: corefile.Serial,
		Places: func(s *config.Stanza) *locate.Locator {
			if w.place != nil {
				return w.place
			}
			return b.Places[s]
		},
	})
	for _, before := range w.servers {
		if slices.Equal(before.Zones, n.Zones) {
			n.names.Inherit(before.names)
			n.sources.Inherit(before.sources)
			n.table.Inherit(before.table)
			n.answerer.Inherit(before.answerer)
		}
	}
	n.sources.Recall()
	return n, nil
}

func stop(servers []*server) {
	for _, n := range servers {
		n.unwatch()
		if n.names != nil {
			n.names.Stop()
			n.sources.Stop()
		}
		n.lease.Release()
	}
}

// Close ends the world.
func (w *World) Close() {
	stop(w.servers)
	w.cleanUp()
	w.servers, w.cleanUp = nil, func() {}
	for _, o := range w.others {
		o.follow(w)
	}
}

// Now returns the virtual time since the start.
func (w *World) Now() time.Duration { return w.clock.Now().Sub(epoch) }

// AdvanceTo moves the clock to t: whatever happens before t happens, and attempts that end at t end. Attempts that start at t
// start only when the clock is moved on, so that what the caller changes now applies to them.
func (w *World) AdvanceTo(t time.Duration) { w.clock.advance(epoch.Add(t)) }

// NextEvent returns when something will happen next: an attempt that starts or ends, an override that expires.
func (w *World) NextEvent() (time.Duration, bool) {
	at, ok := w.clock.nextEvent()
	return at.Sub(epoch), ok
}

// At writes an instant of the world as seconds since the start.
func At(t time.Time) string { return t.Sub(epoch).String() }

// SetTarget sets the behaviour of ADDRESS, ADDRESS:PORT, NAME or NAME:PORT. One that no check has yet is allowed.
func (w *World) SetTarget(target string, b Behaviour) error {
	key, err := targetKey(target)
	if err != nil {
		return err
	}
	w.targets.behaviours[key] = b
	return nil
}

// Attempts returns how many attempts on the target (ADDRESS, ADDRESS:PORT, NAME or NAME:PORT) have started.
func (w *World) Attempts(target string) int {
	key, err := targetKey(target)
	if err != nil {
		return 0
	}
	return w.targets.attempts[key]
}

// SetHealth sets the verdict of the checks of PROBE@TARGET or GROUP/RECORD to healthy, unhealthy or checking and clears their
// counters; attempts go on. Stopped ends the attempts until another word follows.
func (w *World) SetHealth(object, word string) error {
	for _, s := range []health.Status{health.Checking, health.Healthy, health.Unhealthy, health.Stopped} {
		if s.String() == word {
			return w.force(object, func(c *health.Check) { w.engine.Force(c, s) })
		}
	}
	return fmt.Errorf("unknown health %q: expected healthy, unhealthy, checking or stopped", word)
}

// force changes the checks of an object, unless their health follows from others'.
func (w *World) force(object string, change func(*health.Check)) error {
	checks, err := w.checksOf(object)
	if err != nil {
		return err
	}
	for _, c := range checks {
		if c.Probe().Type == config.ProbeCalculated {
			return fmt.Errorf("check %s is calculated: set what it counts", c)
		}
		change(c)
	}
	return nil
}

// Admin sets the admin state of GROUP or GROUP/RECORD; 0 lasts until changed.
func (w *World) Admin(object, state string, lasts time.Duration) error {
	o, err := w.object(object)
	if err != nil {
		return err
	}
	v := health.Override{State: health.AdminState(state)}
	if lasts > 0 {
		v.Until = w.clock.Now().Add(lasts)
	}
	w.admin.Set(o, v)
	return nil
}

// Failback lets the higher records of a group with `failback manual` answer again.
func (w *World) Failback(group string) error {
	groups := w.groups(group)
	if len(groups) == 0 {
		return w.unknown(group)
	}
	for _, n := range w.servers {
		for _, g := range n.table.Groups() {
			if slices.Contains(groups, g) {
				n.table.Failback(g)
			}
		}
	}
	return nil
}
