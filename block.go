package healthroute

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

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
)

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
	b.sources = b.table.Sources(discover.Options{
		Clock: health.RealClock{}, Ask: b.askedFor, Every: rereadEvery, Lists: lists, Key: discover.Key{Scope: b.key},
	}, tellDiscovery)
	if b.before != nil {
		b.names.Inherit(b.before.names)
		b.sources.Inherit(b.before.sources)
		b.table.Inherit(b.before.table)
		b.answerer.Inherit(b.before.answerer)
		b.explains.Inherit(b.before.explains)
	}
	b.sources.Recall()
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

// chance is the random source of every choice.
type chance struct{}

// Uint64N is rand.Uint64N, which is safe for concurrent use.
func (chance) Uint64N(n uint64) uint64 { return rand.Uint64N(n) }
