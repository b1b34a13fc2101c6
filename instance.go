package healthroute

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coredns/caddy"

	"github.com/healthroute/healthroute/plugin/discover"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/state"
	"github.com/healthroute/healthroute/plugin/status"
)

// firstAttempts is how long a start waits for the first attempts of all checks together.
const firstAttempts = 2 * time.Second

// What the whole process has once, and keeps over reloads: the engine that makes the attempts, what operators said, which targets
// were found, and what happened last.
var (
	engine = health.NewEngine(health.Options{Observer: observer{}})
	admin  = health.NewAdmin(health.RealClock{})
	lists  = &discover.Lists{}
	events = status.NewEvents(eventsKept)
)

// instance is what the server blocks of one Corefile share: they start, and give back what they hold, together.
type instance struct {
	blocks []*block
	since  time.Time // when it started

	follows  bool      // another one ran when it started
	takeOver sync.Once // done when it has taken over

	keeper *state.Keeper // of what we know over restarts; nil for none
	unkept sync.Once     // it was given back
}

type instanceKey struct{}

// instanceOf returns the instance that the controller's server block belongs to; the first block ties it to caddy.
func instanceOf(c *caddy.Controller) *instance {
	if i, ok := c.Get(instanceKey{}).(*instance); ok {
		return i
	}
	i := &instance{}
	c.Set(instanceKey{}, i)
	c.OnStartup(i.start)
	c.OnShutdown(i.stop)
	return i
}

// add takes in the next block; keys are those of its server block, which blocks with different views may share.
func (i *instance) add(b *block, keys []string) {
	same := 0
	name := strings.Join(keys, " ")
	for _, other := range i.blocks {
		if strings.HasPrefix(other.key, name+" #") {
			same++
		}
	}
	b.key, b.keys = fmt.Sprintf("%s #%d", name, same), keys
	i.blocks = append(i.blocks, b)
}

// start adopts the checks that run already, begins the new ones and waits, within firstAttempts, for the first looks at sources of targets and for
// the first attempts, so that the first answers know what works.
func (i *instance) start() error {
	running.releaseForgotten()
	watchReloads()
	if err := i.keep(); err != nil {
		return err
	}
	i.since = time.Now()
	if older := running.newest(); older != nil {
		i.follow(older)
	}
	for _, b := range i.blocks {
		b.beside = i.besides(b)
		b.meetNeighbours()
		if err := b.compile(); err != nil {
			i.release()
			return err
		}
	}
	running.add(i) // from here on it is read by others
	running.takeOver()
	for _, b := range i.blocks {
		b.warnOfObstacles()
		b.table.Begin()
		b.names.Start()
		b.sources.Start()
		b.rereader = startRereading(b.places)
	}
	ctx, cancel := context.WithTimeout(context.Background(), firstAttempts)
	defer cancel()
	for _, b := range i.blocks {
		if !b.sources.WaitFirst(ctx) || !b.lease.WaitFirst(ctx) || !b.table.Settle(ctx) {
			log.Infof("serving before all first attempts have ended, after %gs", firstAttempts.Seconds())
			break
		}
	}
	running.keepLists()
	lastResorts.compare(running.all())
	return nil
}

// stop gives the checks back; queries that still come are answered from the last views.
func (i *instance) stop() error {
	i.unkeep(true) // while the API still answers, so that nothing is acknowledged after the last write
	i.retire(i.handOn)
	return nil
}

// retire ends what the instance does among those that run, and then hands on what it knows, if it is to.
func (i *instance) retire(handOn func()) {
	running.remove(i)
	handOn()
	running.takeOver()
	old := servedBy(i)
	i.release()
	running.forget(old)
	running.keepLists()
	lastResorts.compare(running.all())
}

// release gives back whatever the instance holds.
func (i *instance) release() {
	i.unkeep(false)
	for _, b := range i.blocks {
		b.rereader.stop()
		if b.unwatch != nil {
			b.unwatch()
		}
		if b.names != nil {
			b.names.Stop()
			b.sources.Stop()
		}
		if b.lease != nil {
			b.lease.Release()
		}
	}
}

// attempted reports whether every check of the instance has ended an attempt that the views know of, every name that an alias stands for is
// resolved, and every source of targets has been looked at. Addresses that filters meet while we serve are not waited for.
func (i *instance) attempted() bool {
	for _, b := range i.blocks {
		waiting := slices.ContainsFunc(b.lease.Checks(), func(c *health.Check) bool { return !c.Attempted() && !b.table.OnlyMet(c) })
		if waiting || !b.table.Settled() || !b.names.Resolved() || !b.sources.Learned() {
			return false
		}
	}
	return true
}
