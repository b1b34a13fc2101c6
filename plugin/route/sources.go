package route

import (
	"context"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/discover"
)

// Sources keep the pools of a table told of the targets that are found for them. Their owner calls Start once and then Stop.
type Sources struct{ list []*Source }

// Source is one source of a pool's targets.
type Source struct {
	*discover.Source
	Pool  *Pool
	index int // its place in the pool's configuration
}

// Sources makes the sources of the table's pools. Of the options, Clock, Ask, Every, Lists and the Scope of Key are the caller's; report is told of changes of fortune, and of
// lists that a pool refuses, whose last good one stays too.
func (t *Table) Sources(o discover.Options, report func(*Source, discover.Report)) *Sources {
	all := &Sources{}
	for _, p := range t.pools {
		for i, d := range p.Config.Sources {
			s := &Source{Pool: p, index: i}
			own := o
			own.Limit = p.Config.Limit
			own.Report = func(r discover.Report) { report(s, r) }
			own.Take = s.take(t, own.Report)
			own.Key.Zone, own.Key.Pool = p.stanza.Zones[0], p.Name
			s.Source = discover.New(d, own)
			all.list = append(all.list, s)
		}
	}
	return all
}

// Config is the source as it was declared.
func (s *Source) Config() config.Discovery { return s.Pool.Config.Sources[s.index] }

// take hands what was found on to the pool, or tells why that will not have it.
func (s *Source) take(t *Table, report func(discover.Report)) func([]config.Found) {
	return func(list []config.Found) {
		if err := t.Discovered(s.Pool, s.index, list); err != nil {
			report(discover.Report{Source: s.String(), Fortune: discover.Refused, Fault: s.String() + ": " + err.Error(), Known: t.listed(s.Pool, s.index), Age: -1})
		}
	}
}

// Inherit takes over what earlier sources of the same pools know, so that a reload forgets nothing. It is called before Start.
func (s *Sources) Inherit(old *Sources) {
	for _, now := range s.list {
		for _, before := range old.list {
			if now.Pool.Name == before.Pool.Name && now.Pool.stanza.Zones[0] == before.Pool.stanza.Zones[0] {
				now.Source.Inherit(before.Source)
			}
		}
	}
}

// Recall takes over what was known before a restart of those that know nothing. It is called before Start.
func (s *Sources) Recall() {
	for _, source := range s.list {
		source.Recall()
	}
}

// Start begins to look.
func (s *Sources) Start() {
	for _, source := range s.list {
		source.Start()
	}
}

// Stop ends all looks and waits for those under way.
func (s *Sources) Stop() {
	for _, source := range s.list {
		source.Stop()
	}
}

// Hurry makes those that have nothing good look again at once.
func (s *Sources) Hurry() {
	for _, source := range s.list {
		if source.State().Fortune != discover.Good {
			source.Hurry()
		}
	}
}

// Learned reports whether each has looked once.
func (s *Sources) Learned() bool {
	for _, source := range s.list {
		if !source.Learned() {
			return false
		}
	}
	return true
}

// WaitFirst waits until each has looked once, or until the context ends, and reports which.
func (s *Sources) WaitFirst(ctx context.Context) bool {
	for _, source := range s.list {
		select {
		case <-source.First():
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// All are the sources, in the order of declaration.
func (s *Sources) All() []*Source { return s.list }
