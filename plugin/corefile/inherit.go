package corefile

import (
	"fmt"

	"github.com/healthroute/healthroute/plugin/config"
)

// inherit gives groups, pools, balancers and filters, and what is in them, what the object around them says for all. It comes when
// the whole stanza is read, as options may stand in any order.
func (p *parser) inherit(s *config.Stanza) {
	for _, g := range p.drafts {
		if !g.Places.Has("ttl") {
			g.TTL, g.MinTTL = s.TTL, s.MinTTL
		}
		for _, r := range g.Records {
			if !r.Places.Has("ttl") {
				r.TTL, r.MinTTL = g.TTL, g.MinTTL
			}
		}
		if !g.Places.Has("preset") {
			g.Preset = s.Preset
		}
		g.Preset = plain(g.Preset)
		p.followPreset(g)
	}
	for _, pool := range s.Pools {
		if !pool.Places.Has("ttl") {
			pool.TTL, pool.MinTTL = s.PoolTTL(pool.Preset)
		}
	}
	for _, b := range s.Balancers {
		if !b.Places.Has("ttl") {
			b.TTL, b.MinTTL = s.PoolTTL(b.Preset)
		}
	}
	for _, f := range s.Filters {
		if !f.Places.Has("ttl") {
			f.TTL = s.TTL
		}
	}
}

// followPreset gives a group the defaults of its preset, and reports what the preset wants to be written.
func (p *parser) followPreset(g *groupDraft) {
	if g.Policy == config.PolicyMultivalue && !g.Places.Has("max") {
		g.Max = g.Preset.DefaultMax()
	}
	for _, r := range g.Records {
		switch {
		case g.Policy == config.PolicyWeighted && g.Preset.WeightRequired() && !r.Places.Has("weight"):
			p.report(r.Places.Own, fmt.Sprintf("record %q has no weight, as preset %s requires", r.ID, g.Preset), "`weight N`", "")
		case g.Policy == config.PolicySubnet && g.Preset == config.PresetTrafficManager && len(r.From) == 0 && !r.Places.Faulty:
			r.Default = true // an endpoint without ranges is the fallback (spec 4.9)
		}
	}
	p.judgeHostBits(g.masked, g.Preset.RefusesHostBits())
}
