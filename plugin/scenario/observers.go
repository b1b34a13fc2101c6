package scenario

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// colleague is another observer: an engine that makes attempts on the same targets in the same virtual time, with counters of its
// own, and tells the world's engine its verdicts (spec 2.6).
type colleague struct {
	name   string
	world  *World
	engine *health.Engine
	lease  *health.Lease            // nil until it follows a Corefile
	ours   map[string]*health.Check // the world's checks, by identity
	offset time.Duration            // how much later than ours its first attempts are
	begun  bool
	unset  func() bool // calls its beginning off
}

// maxObservers bounds what a misspelt number can cost.
const maxObservers = 1000

// SetObservers says how many observers there are, ourselves included. It can be said once.
func (w *World) SetObservers(n int) error {
	if len(w.others) > 0 {
		return errors.New("`observers` stands there twice")
	}
	w.engine.SetObservers(n)
	for i := 2; i <= n; i++ {
		o := &colleague{name: observerName(i), world: w}
		o.engine = health.NewEngine(health.Options{Clock: w.clock, Observer: o, Runner: o.run, Exact: true})
		o.follow(w)
		w.others = append(w.others, o)
	}
	return nil
}

// observerName names the observers from 2 on; the first is the one that answers.
func observerName(i int) string { return fmt.Sprintf("observer %d", i) }

// SetOffset says how much later than ours the attempts of an observer are. It must not have begun.
func (w *World) SetOffset(observer int, d time.Duration) error {
	if observer < 2 || observer > len(w.others)+1 {
		return fmt.Errorf("there is no observer %d but those of `observers N`; the first is the one that answers", observer)
	}
	o := w.others[observer-2]
	if o.begun {
		return fmt.Errorf("observer %d has begun already: `offset` stands right below `observers`", observer)
	}
	o.offset = d
	if o.unset != nil { // otherwise there is nothing to attempt yet
		o.unset()
		o.schedule()
	}
	return nil
}

// follow makes the observer attempt what the world's checks attempt now; those that stay go on.
func (o *colleague) follow(w *World) {
	before := o.lease
	o.lease, o.ours = o.engine.Lease(nil), map[string]*health.Check{}
	for _, c := range w.Checks() {
		if c.Probe().IsAttempted() {
			o.ours[c.Identity()] = c
			o.lease.Check(c.Spec())
		}
	}
	if o.unset != nil {
		o.unset()
	}
	if o.unset = nil; len(o.lease.Checks()) > 0 {
		o.schedule()
	}
	if before != nil {
		before.Release()
	}
	if len(o.lease.Checks()) == 0 {
		o.lease.Release()
	}
}

// schedule lets the observer begin.
func (o *colleague) schedule() {
	lease := o.lease
	o.unset = o.world.clock.AfterFunc(o.offset, func() {
		o.begun = true
		lease.Start()
	})
}

// run is the observer's Runner. Where we make no attempts, because of an operator or a health of `stopped`, it makes none either, and begins
// anew after that.
func (o *colleague) run(ctx context.Context, c *health.Check, done func(probe.Result)) {
	if ours := o.ours[c.Identity()]; ours != nil && !ours.State().Next.IsZero() {
		o.world.run(ctx, c, done)
		return
	}
	o.engine.Force(c, health.Checking)
	done(probe.Result{Outcome: probe.CannotTell})
}

// AttemptStarted is health.Observer's.
func (*colleague) AttemptStarted(*health.Check, time.Duration) {}

// AttemptEnded tells the world's engine the verdict, as a server would after each attempt.
func (o *colleague) AttemptEnded(c *health.Check, _ probe.Result) {
	o.world.engine.Vote(c.Identity(), o.name, c.State().Counter.Verdict, o.world.clock.Now())
}

// Untestable is health.Observer's.
func (*colleague) Untestable(*health.Check, bool, probe.Result) {}

// Frozen is health.Observer's.
func (*colleague) Frozen(bool, []*health.Check) {}

// Transition is health.Observer's.
func (*colleague) Transition(*health.Check, health.Transition) {}

// ProbePanicked is health.Observer's.
func (*colleague) ProbePanicked(*health.Check, any) {}

// SetVotes lets up of n observers say that the checks of PROBE@TARGET or GROUP/RECORD are up, ourselves first.
func (w *World) SetVotes(object string, up, n int) error {
	verdict := func(i int) health.Verdict {
		if i <= up {
			return health.Up
		}
		return health.Down
	}
	others := map[string]health.Verdict{}
	for i := 2; i <= n; i++ {
		others[observerName(i)] = verdict(i)
	}
	return w.force(object, func(c *health.Check) { w.engine.ForceVotes(c, verdict(1), others) })
}

// parseVotes reads `health OBJECT votes M/N`.
func parseVotes(args []string) (statement, error) {
	if len(args) != 3 {
		return statement{}, errors.New("expected how many of how many, as in `votes 2/3`")
	}
	left, right, _ := strings.Cut(args[2], "/")
	up, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if err1 != nil || err2 != nil || up < 0 || n < max(1, up) || n > maxObservers {
		return statement{}, fmt.Errorf("%q is no part of so many observers, as 2/3 is", args[2])
	}
	return does(func(p *player) error { return p.world.SetVotes(args[0], up, n) })
}

// parseObservers reads `observers N`.
func parseObservers(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 1 {
		return statement{}, errors.New("expected one number")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 || n > maxObservers {
		return statement{}, fmt.Errorf("%q is no number of observers from 1 to %d", args[0], maxObservers)
	}
	return does(func(p *player) error { return p.world.SetObservers(n) })
}

// parseOffset reads `offset OBSERVER D`.
func parseOffset(_ *parser, args []string, _ line) (statement, error) {
	if len(args) != 2 {
		return statement{}, errors.New("expected the number of an observer and a duration")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return statement{}, fmt.Errorf("%q is no number of an observer", args[0])
	}
	d, err := duration(args[1])
	if err != nil {
		return statement{}, err
	}
	return does(func(p *player) error { return p.world.SetOffset(n, d) })
}
