package route

import (
	"iter"
	"net/netip"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// subnet answers by the client's address: the record of the longest block that holds its network, else the default (spec 4.9, source range). A
// match that is not usable gives way to the next shorter block, then to the default, and if none is usable answers as a last resort. Preset
// traffic_manager knows no shorter blocks, and has a rule of its own for a match without a usable fallback.
func subnet(s *Set, among []*Candidate) chooser {
	b := &blocks{
		table:   s.Group.blocks,
		byIndex: make([]*Candidate, len(s.Group.Records)),
		azure:   s.Group.preset == config.PresetTrafficManager, anyUsable: s.usable > 0, showsAll: s.ShowsAll,
	}
	for _, c := range among {
		b.byIndex[c.Record.Index] = c
		if c.Record.Config.Default {
			b.standard = c
		}
	}
	b.scopes = b.table.regions.Merge(b.decision)
	return byClient(b.choose)
}

// blockTable is the blocks of a subnet group, which do not change.
type blockTable struct {
	blocks  *locate.Map[block]
	regions *locate.Regions[block]
}

// block is one prefix of a record.
type block struct {
	prefix netip.Prefix
	record int // index
}

func newBlockTable(records []*Record) *blockTable {
	var entries []locate.Entry[block]
	for _, r := range records {
		for _, from := range r.Config.From {
			for _, p := range from.Prefixes() {
				entries = append(entries, locate.Entry[block]{Prefix: p, Value: block{p, r.Index}})
			}
		}
	}
	m := locate.NewMap(entries)
	return &blockTable{blocks: m, regions: m.Regions()}
}

// blocks are the records of a subnet group by block, at one instant.
type blocks struct {
	table     *blockTable
	scopes    *locate.Scopes
	byIndex   []*Candidate // by the records' indices; nil: taken out
	standard  *Candidate   // the default
	azure     bool
	anyUsable bool // any record of the group is
	showsAll  bool // all eligible ones count as usable
}

func (b *blocks) choose(q *Query) Choice {
	network := q.Client.Network
	c := b.pick(b.table.blocks.Matches(network))
	c.Scope = b.scopes.Around(network, func(address netip.Prefix) bool {
		return b.pick(b.table.blocks.Matches(address)).One != c.One
	})
	return c
}

const noBlock = "no record for the client's address"

// pick finds the record for a client whose network lies in these blocks, longest first.
func (b *blocks) pick(matches iter.Seq2[netip.Prefix, block]) Choice {
	if b.azure && !b.showsAll {
		return b.pickAzure(matches)
	}
	w := &walk{anyHealth: b.showsAll}
	for prefix, block := range matches {
		if w.take(b.byIndex[block.record], prefix.String()) {
			return w.end(noBlock)
		}
	}
	w.take(b.standard, "default")
	return w.end(noBlock)
}

// pickAzure is Traffic Manager's form: the match, else the fallback. A match that is not usable, without a usable fallback, answers only as a
// last resort: of its own if there is a fallback that is no better, of the group if nothing in it is usable (T-161 to T-166).
func (b *blocks) pickAzure(matches iter.Seq2[netip.Prefix, block]) Choice {
	var match *Candidate
	reason := ""
	for prefix, block := range matches {
		if c := b.byIndex[block.record]; c != nil && c.Standing != Stopped {
			match, reason = c, prefix.String()
			break
		}
	}
	switch standard := b.standard; {
	case match == nil:
		w := &walk{}
		w.take(standard, "default")
		return w.end(noBlock)
	case match.Standing == Usable:
		return Choice{One: match, Reason: reason}
	case standard != nil && standard.Standing == Usable:
		return Choice{One: standard, Reason: "default, the match " + reason + " is not usable"}
	case standard != nil && standard.Standing == Unusable || !b.anyUsable:
		return Choice{One: match, Reason: reason + ", nothing for the client is usable", LastResort: true}
	}
	return Choice{Reason: "the match " + reason + " is not usable, and there is no default"}
}

// decision numbers what the clients of a region get, for the scope. Those of one region lie in the same blocks.
func (b *blocks) decision(at block, matched bool) int {
	matches := nowhere
	if matched {
		matches = b.table.blocks.Matches(at.prefix)
	}
	if c := b.pick(matches); c.One != nil {
		return c.One.Record.Index
	}
	return -1
}

// nowhere is in no block.
func nowhere(func(netip.Prefix, block) bool) {}
