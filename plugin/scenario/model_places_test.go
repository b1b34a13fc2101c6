package scenario

import (
	"math"
	"net/netip"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
)

// modelClient is who asks, and what is known of its place. Zero values are not known.
type modelClient struct {
	network                              netip.Prefix // of the ECS option, else the whole source address
	asn                                  uint32
	subdivision, country, continent, own string // own is the site that it stands in
	coordinates                          *config.Coordinates
	ms                                   map[string]float64 // latencies by site
}

// noMatch is the rank of a record that is not for the client.
const noMatch = math.MaxInt

// placeRank is how specific a record's place is that the client is in: 0 is the most specific (spec 4.9).
func (m *model) placeRank(r *config.Record) int {
	c := m.client
	switch {
	case c.asn != 0 && slices.Contains(r.Locations.ASNs, c.asn):
		return 0
	case slices.Contains(r.Locations.Subdivisions, c.subdivision):
		return 1
	case slices.Contains(r.Locations.Countries, c.country):
		return 2
	case slices.Contains(r.Locations.Continents, c.continent):
		return 3
	case r.Default:
		return 4
	}
	return noMatch
}

// blockLength is the length of a record's longest block that holds the client's network; -1 of the default, -2 of one that is not for the
// client. A range is split into the fewest blocks; the one that holds the client is the largest around it within the range.
func (m *model) blockLength(r *config.Record) int {
	best := -2
	if r.Default {
		best = -1
	}
	for _, s := range r.From {
		best = max(best, blockIn(s, m.client.network))
	}
	return best
}

// blockIn returns the length of the largest block within the range that holds the network, or -2.
func blockIn(s config.Source, network netip.Prefix) int {
	a := network.Addr()
	if a.BitLen() != s.From.BitLen() {
		return -2
	}
	for length := 0; length <= network.Bits(); length++ {
		first, last := endsOf(netip.PrefixFrom(a, length))
		if first.Compare(s.From) >= 0 && last.Compare(s.To) <= 0 {
			return length
		}
	}
	return -2
}

// endsOf are the first and the last address of a prefix.
func endsOf(p netip.Prefix) (first, last netip.Addr) {
	p = p.Masked()
	bytes := p.Addr().AsSlice()
	for i := p.Bits(); i < p.Addr().BitLen(); i++ {
		bytes[i/8] |= 0x80 >> (i % 8)
	}
	last, _ = netip.AddrFromSlice(bytes)
	return p.Addr(), last
}

// matching is matches(r, q) of spec 4.1: all policies but those of places and ranges take every client.
func (m *model) matching(g *config.Group, all []*config.Record) []*config.Record {
	rank := func(*config.Record) int { return 0 }
	switch g.Policy {
	case config.PolicyGeo:
		rank = m.placeRank
	case config.PolicySubnet:
		rank = func(r *config.Record) int {
			if length := m.blockLength(r); length >= -1 {
				return -length
			}
			return noMatch
		}
	}
	var out []*config.Record
	best := noMatch
	for _, r := range all {
		if rank(r) != noMatch {
			best = min(best, rank(r))
			out = append(out, r)
		}
	}
	if g.Strict {
		out = slices.DeleteFunc(out, func(r *config.Record) bool { return rank(r) != best })
	}
	return out
}

// override is the record that the client gets before the policy is asked, or nil (spec 4.9, 4.15). The longest block decides.
func (m *model) override(g *config.Group, all []*config.Record, qtype uint16) *config.Record {
	var use string
	best := -1
	for _, o := range g.Overrides {
		for _, s := range o.From {
			if length := blockIn(s, m.client.network); length > best {
				best, use = length, o.Use
			}
		}
	}
	for _, r := range all {
		geographic := g.Preset == config.PresetTrafficManager && g.Policy == config.PolicyGeo
		if best >= 0 && r.ID == use && (geographic || m.usable(g, r, typeFor(g, qtype))) {
			return r
		}
	}
	return nil
}

// geographic is Traffic Manager's method: the most specific place alone, whatever its health. A stopped record holds its place.
func (m *model) geographic(g *config.Group, qtype uint16) dist {
	var enabled []*config.Record
	for _, r := range g.Records {
		if word := m.adminOf(g, r); word != "disabled" && word != "draining" && m.placeRank(r) != noMatch {
			enabled = append(enabled, r)
		}
	}
	first := lowest(enabled, func(r *config.Record) float64 { return float64(m.placeRank(r)) })
	if len(first) == 0 || !m.eligible(g, first[0], anyType) {
		return sure(nodata)
	}
	return m.values(g, first[:1], qtype, false)
}

// ranges is Traffic Manager's subnet method: the record of the range, else the one without ranges; not the latter's neighbours.
func (m *model) ranges(g *config.Group, all []*config.Record, qtype uint16) dist {
	var own, fallback *config.Record
	for _, r := range all {
		switch length := m.blockLength(r); {
		case length >= 0:
			own = r
		case length == -1:
			fallback = r
		}
	}
	someUsable := m.count(g, anyType) > 0
	usable := func(r *config.Record) bool { return r != nil && (m.showsAll(g, qtype) || m.usable(g, r, anyType)) }
	switch {
	case own == nil && fallback == nil:
		return sure(nodata)
	case usable(own):
		return m.values(g, []*config.Record{own}, qtype, false)
	case usable(fallback):
		return m.values(g, []*config.Record{fallback}, qtype, false)
	case own == nil:
		return m.lastResort(g, []*config.Record{fallback}, qtype)
	case fallback == nil && someUsable:
		return sure(nodata)
	}
	return m.lastResort(g, []*config.Record{own}, qtype)
}
