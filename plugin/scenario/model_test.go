package scenario

import (
	"net/netip"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// model is the procedure of spec 4.1 once more, slow and plain: draw by policy among all eligible records that match, as if all were healthy;
// test what was drawn; draw again without what is not usable. It knows nothing of package route, so that the two can be held against each
// other.
type model struct {
	groups map[string]*config.Group // by short name
	// health is healthy, unhealthy or checking, by address, and by GROUP/RECORD for records that have a check of their own: aliases and
	// names. What is not there is unmonitored.
	health map[string]string
	admin  map[string]string // disabled, draining, always or stopped, by GROUP and GROUP/RECORD; stands over the configuration's word
	// excluded says that what has no verdict yet is not usable (preset nlb); under all other presets it is.
	excluded   bool
	client     modelClient
	asked      *config.Group
	trying     bool // whether the name exists is being found out
	pools      map[string]*config.Pool
	balancers  map[string]*config.Balancer
	shifts     []string              // BALANCER/SITE that clients are shifted away from
	ownTargets map[string]netip.Addr // of sites' probes that have a target
	otherTypes bool                  // the name has other types, or there are names below it, so that it cannot be NXDOMAIN
}

// anyType stands for all types where the preset chooses first and compares the type afterwards (spec 4.11).
const anyType uint16 = 0

// typeFor is the type by which the group's records are candidates for a query.
func typeFor(g *config.Group, qtype uint16) uint16 {
	if g.Preset == config.PresetTrafficManager && g.Policy != config.PolicyMultivalue {
		return anyType
	}
	return qtype
}

// answer is spec 4.1's answer(group, q).
func (m *model) answer(g *config.Group, qtype uint16) dist {
	all := m.candidates(g, typeFor(g, qtype))
	if len(all) == 0 {
		return m.nothingEligible(g, qtype)
	}
	if r := m.override(g, all, qtype); r != nil {
		return m.values(g, []*config.Record{r}, qtype, false)
	}
	if g.Preset == config.PresetTrafficManager {
		switch g.Policy {
		case config.PolicyGeo:
			return m.geographic(g, qtype)
		case config.PolicySubnet:
			return m.ranges(g, all, qtype)
		}
	}
	matching := m.matching(g, all)
	switch {
	case len(matching) == 0:
		return sure(nodata)
	case m.showsAll(g, qtype):
		return m.showAll(g, matching, qtype)
	}
	return m.draw(g, matching, matching, qtype)
}

// draw draws among those that are left, tests, and draws again.
func (m *model) draw(g *config.Group, matching, left []*config.Record, qtype uint16) dist {
	if len(left) == 0 {
		return m.lastResort(g, matching, qtype)
	}
	out := dist{}
	for _, d := range m.pick(g, typeFor(g, qtype), left) {
		good := slices.DeleteFunc(slices.Clone(d.records), func(r *config.Record) bool { return !m.usable(g, r, typeFor(g, qtype)) })
		switch {
		case g.Policy == config.PolicyMultivalue:
			return m.sample(g, matching, qtype) // is filled up until it is full
		case len(good) > 0:
			out.add(d.part, m.values(g, good, qtype, false))
		default:
			rest := slices.DeleteFunc(slices.Clone(left), func(r *config.Record) bool { return slices.Contains(d.records, r) })
			out.add(d.part, m.draw(g, matching, rest, qtype))
		}
	}
	return out
}

// lastResort answers where nothing is usable (spec 4.2, 4.13).
func (m *model) lastResort(g *config.Group, matching []*config.Record, qtype uint16) dist {
	switch g.LastResort {
	case config.LastResortAll:
		return m.untested(g, matching, qtype, true)
	case config.LastResortAlias:
		return m.answer(m.group(g.Sorry[0]), qtype)
	case config.LastResortNone:
		return sure(nodata)
	case config.LastResortNXDomain:
		return m.nxdomain()
	}
	return sure(string(g.LastResort))
}

// nxdomain answers that the name does not exist, where that is true: it has no other types, and no query for an address would get one.
func (m *model) nxdomain() dist {
	if m.otherTypes || m.trying {
		return sure(nodata)
	}
	m.trying = true
	defer func() { m.trying = false }()
	for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
		for answer := range m.answer(m.asked, family) {
			if !isWord(answer) {
				return sure(nodata)
			}
		}
	}
	return sure("nxdomain")
}

// showsAll reports whether too few are usable for a group that then shows all.
func (m *model) showsAll(g *config.Group, qtype uint16) bool {
	return g.MinHealthy.ShowAll && g.LastResort == config.LastResortAll &&
		!m.enough(g, config.MinHealthy{Count: g.MinHealthy.Count, Percent: g.MinHealthy.Percent}, typeFor(g, qtype))
}

// showAll is the draw where too few are usable: all eligible records are candidates. Those that are usable answer as ever (spec 4.12, rule 2),
// so that their bad addresses stay out; of the others all addresses answer.
func (m *model) showAll(g *config.Group, matching []*config.Record, qtype uint16) dist {
	return m.untested(g, matching, qtype, m.count(g, typeFor(g, qtype)) == 0)
}

// untested draws without a test.
func (m *model) untested(g *config.Group, matching []*config.Record, qtype uint16, everything bool) dist {
	if g.Policy == config.PolicyMultivalue {
		return m.sampleOf(g, matching, qtype, true, everything)
	}
	out := dist{}
	for _, d := range m.pick(g, typeFor(g, qtype), matching) {
		out.add(d.part, m.values(g, d.records, qtype, everything))
	}
	return out
}

// nothingEligible answers where no record of the type is eligible.
func (m *model) nothingEligible(g *config.Group, qtype uint16) dist {
	declared := slices.ContainsFunc(g.Records, func(r *config.Record) bool { return m.has(r, typeFor(g, qtype)) })
	switch {
	case g.LastResort == config.LastResortAlias && declared:
		return m.answer(m.group(g.Sorry[0]), qtype)
	case m.asked.Preset == config.PresetTrafficManager && len(m.candidates(m.asked, anyType)) == 0:
		return m.nxdomain()
	}
	return sure(nodata)
}

// candidates are the eligible records that could answer the type.
func (m *model) candidates(g *config.Group, qtype uint16) []*config.Record {
	var out []*config.Record
	for _, r := range g.Records {
		if m.eligible(g, r, qtype) {
			out = append(out, r)
		}
	}
	return out
}

// values is what the records answer together. A record that is not usable answers with all its addresses; everything does that to all.
func (m *model) values(g *config.Group, records []*config.Record, qtype uint16, everything bool) dist {
	out := sure("")
	for _, r := range records {
		if x, ok := m.balancing(r, qtype); ok {
			out = out.together(x.answer(g))
			continue
		}
		if r.Alias != nil {
			out = out.together(m.answer(m.group(r.Alias.Group[0]), qtype))
			continue
		}
		var data []string
		everything := everything || m.adminOf(g, r) == "always" || !m.usable(g, r, typeFor(g, qtype))
		for _, v := range r.Values {
			switch {
			case v.Type == dns.TypeCNAME && qtype != dns.TypeCNAME:
				data = append(data, "CNAME "+v.Data)
			case v.Type == qtype && (everything || m.passes(m.healthKey(g, r, v))):
				data = append(data, v.Data)
			}
		}
		if data == nil {
			data = []string{nodata}
		}
		out = out.together(sure(join(data)))
	}
	return out
}
