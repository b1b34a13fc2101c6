package healthroute

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/plugin"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/discover"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/locate"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// firstAttempts is how long a start waits for the first attempts of all checks together.
const firstAttempts = 2 * time.Second

// What the whole process has once, and keeps over reloads: the engine that makes the attempts, what operators said, and what happened last.
var (
	engine = health.NewEngine(health.Options{Observer: observer{}})
	admin  = health.NewAdmin(health.RealClock{})
	events = status.NewEvents(eventsKept)
)

// instance is what the server blocks of one Corefile share: they start, and give back what they hold, together.
type instance struct {
	blocks []*block
	since  time.Time // when it started

	follows  bool      // another one ran when it started
	takeOver sync.Once // done when it has taken over
}

// block is the plugin in one server block. What start fills in is only read afterwards.
type block struct {
	key     string            // tells the blocks of one Corefile apart, and is the same after a reload
	keys    []string          // of the server block
	before  *block            // until the reload is over: the block of the older instance that it goes on from; nil for none
	beside  map[string]*block // the server blocks of other zones, by zone
	hasView func() bool       // asked from the start on: whether the server block is for some clients only
	stanzas []*config.Stanza
	probers map[*config.Probe]*probe.Prober
	places  map[*config.Stanza]*locate.Locator // of the stanzas that name files of places

	meetNeighbours func() // looks for the other plugins of the server block, once all have been set up

	geoip    metadataCollector // of the server block's *metadata*, if *geoip* stands there too; nil otherwise
	signing  *signing          // by the server block's *dnssec*; nil without one
	next     plugin.Handler    // the rest of the chain; nil at its end
	table    *route.Table
	unwatch  func() // ends that the table follows what operators say
	names    *answer.Names
	sources  *route.Sources
	rereader *rereader
	answerer *answer.Answerer
	explains *answer.Answerer // the same for those who ask why: it takes nobody's turn
	lease    *health.Lease
	counters *answerCounters
}

func newBlock(stanzas []*config.Stanza) *block {
	return &block{
		stanzas: stanzas, probers: map[*config.Probe]*probe.Prober{}, places: map[*config.Stanza]*locate.Locator{},
	}
}

// zones are those of all stanzas of the block.
func (b *block) zones() []string {
	var zones []string
	for _, s := range b.stanzas {
		zones = append(zones, s.Zones...)
	}
	return zones
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
	lastResorts.compare(running.all())
	return nil
}

// compile builds the block's table on the checks that it leases.
func (b *block) compile() error {
	b.table = route.NewTable(observer{block: b.key}, admin)
	b.lease = engine.Lease(b.table.Changed)
	b.unwatch = admin.Watch(b.table.AdminChanged)
	b.lease.Scope = b.key
	if b.before != nil && b.before.key != b.key {
		b.lease.Formerly = b.before.key
	}
	b.table.Beside(slices.Sorted(maps.Keys(b.beside)))
	if err := b.table.Compile(b.stanzas, b.probers, b.lease); err != nil {
		return err
	}
	options := answer.Options{
		Rand: chance{}, Now: time.Now, Serial: corefile.Serial,
		Places: func(s *config.Stanza) *locate.Locator { return b.places[s] },
	}
	b.answerer = answer.New(b.table, options)
	options.Choose = chooseAside
	b.explains = answer.New(b.table, options)
	b.counters = newAnswerCounters(b.table)
	b.names = answer.NewNames(b.table, health.RealClock{}, b.ask)
	b.sources = b.table.Sources(discover.Options{Clock: health.RealClock{}, Ask: b.askedFor, Every: rereadEvery}, tellDiscovery)
	if b.before != nil {
		b.names.Inherit(b.before.names)
		b.sources.Inherit(b.before.sources)
		b.table.Inherit(b.before.table)
		b.answerer.Inherit(b.before.answerer)
		b.explains.Inherit(b.before.explains)
	}
	return nil
}

// ask runs the rest of the chain for a question of our own.
func (b *block) ask(ctx context.Context, req *dns.Msg) answer.Behind {
	q := query{h: &Handler{Next: b.next, block: b}, w: overUDP}
	reply := q.Ask(ctx, req)
	if reply.Msg != nil && reply.Msg.Truncated {
		q.w = overTCP
		reply = q.Ask(ctx, req)
	}
	return reply
}

// askedFor is ask for those who need an answer or nothing.
func (b *block) askedFor(ctx context.Context, req *dns.Msg) *dns.Msg {
	reply := b.ask(ctx, req)
	if reply.Nobody {
		return nil
	}
	return reply.Msg
}

// stop gives the checks back; queries that still come are answered from the last views.
func (i *instance) stop() error {
	running.remove(i)
	i.handOn()
	running.takeOver()
	old := servedBy(i)
	i.release()
	running.forget(old)
	lastResorts.compare(running.all())
	return nil
}

func (i *instance) release() {
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

// instances are those that started and have not stopped; their blocks are compiled.
type instances struct {
	mu   sync.Mutex
	list []*instance // guarded by mu; oldest first
}

var running instances

func (is *instances) add(i *instance) {
	is.mu.Lock()
	defer is.mu.Unlock()
	is.list = append(is.list, i)
}

func (is *instances) remove(i *instance) {
	is.mu.Lock()
	defer is.mu.Unlock()
	for n, other := range is.list {
		if other == i {
			is.list = append(is.list[:n:n], is.list[n+1:]...)
			return
		}
	}
}

// all returns the instances that run now.
func (is *instances) all() []*instance {
	is.mu.Lock()
	defer is.mu.Unlock()
	return append([]*instance(nil), is.list...)
}

// newest returns the instance that started last, whose configuration holds; nil if none runs.
func (is *instances) newest() *instance {
	is.mu.Lock()
	defer is.mu.Unlock()
	if len(is.list) == 0 {
		return nil
	}
	return is.list[len(is.list)-1]
}

// releaseForgotten gives back what instances hold that caddy has dropped: when a reload fails after our start, in another
// plugin's start or in listen, nobody calls that instance's OnShutdown.
func (is *instances) releaseForgotten() {
	known := map[any]bool{}
	for _, inst := range caddy.Instances() {
		inst.StorageMu.RLock()
		known[inst.Storage[instanceKey{}]] = true
		inst.StorageMu.RUnlock()
	}
	for _, i := range is.all() {
		if !known[i] {
			is.remove(i)
			is.takeOver()
			old := servedBy(i)
			i.release()
			is.forget(old)
			lastResorts.compare(is.all())
		}
	}
}

type watchedKey struct{}

// watchReloads makes every instance of caddy release what a failed reload leaves behind: also one that has no
// healthroute itself, when the Corefile that first brings it fails after our start.
func watchReloads() {
	for _, inst := range caddy.Instances() {
		inst.StorageMu.Lock()
		if inst.Storage[watchedKey{}] == nil {
			inst.Storage[watchedKey{}] = true
			inst.OnRestartFailed = append(inst.OnRestartFailed, func() error {
				running.releaseForgotten()
				publishReload(false)
				return nil
			})
		}
		inst.StorageMu.Unlock()
	}
}

// chance is the random source of every choice.
type chance struct{}

// Uint64N is rand.Uint64N, which is safe for concurrent use.
func (chance) Uint64N(n uint64) uint64 { return rand.Uint64N(n) }
