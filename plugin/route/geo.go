package route

import (
	"fmt"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// geo answers by the client's place, the most specific one that a record is for: autonomous system, subdivision, country, continent, default
// (spec 4.9). A match that is not usable gives way to the next larger place and, if none is usable, answers as a last resort. Strict looks at
// the most specific match alone. Preset traffic_manager takes the most specific match whatever its health.
func geo(s *Set, among []*Candidate) chooser {
	p := &places{
		strict: s.Group.strict, ignoresHealth: s.Group.preset == config.PresetTrafficManager,
		asn: map[uint32]*Candidate{}, subdivision: map[string]*Candidate{}, country: map[string]*Candidate{}, continent: map[string]*Candidate{},
	}
	for _, c := range among {
		p.add(c)
	}
	return byClient(p.choose)
}

// places are the records of a geo group by place.
type places struct {
	strict, ignoresHealth bool

	asn         map[uint32]*Candidate
	subdivision map[string]*Candidate
	country     map[string]*Candidate
	continent   map[string]*Candidate
	standard    *Candidate // the default
}

func (p *places) add(c *Candidate) {
	l := c.Record.Config.Locations
	for _, n := range l.ASNs {
		p.asn[n] = c
	}
	for _, code := range l.Subdivisions {
		p.subdivision[code] = c
	}
	for _, code := range l.Countries {
		p.country[code] = c
	}
	for _, code := range l.Continents {
		p.continent[code] = c
	}
	if c.Record.Config.Default {
		p.standard = c
	}
}

func (p *places) choose(q *Query) Choice {
	w := &walk{alone: p.strict || p.ignoresHealth, anyHealth: p.ignoresHealth}
	if !visit(w, p.asn, q.Client.ASN, "autonomous system") &&
		!visit(w, p.subdivision, q.Client.Subdivision, "subdivision") &&
		!visit(w, p.country, q.Client.Country, "country") &&
		!visit(w, p.continent, q.Client.Continent, "continent") {
		w.take(p.standard, "default")
	}
	return w.end("no record for the client's place")
}

// visit looks at the record for the client's place of one level, if any record is for such places, and reports whether the walk is over.
func visit[K comparable](w *walk, of map[K]*Candidate, fact func() locate.Fact[K], level string) bool {
	if len(of) == 0 {
		return false // the fact does not matter, and neither does how far it holds
	}
	f := fact()
	w.bits = max(w.bits, f.Bits)
	if !f.Known {
		return false
	}
	return w.take(of[f.Value], fmt.Sprintf("%s %v", level, f.Value))
}

// walk goes from the most specific match of a client to the least, and stops at the first that may answer.
type walk struct {
	alone     bool // the first match stands or falls alone
	anyHealth bool // it stands whatever its health
	bits      int  // of the client's address that have decided
	found     *Candidate
	reason    string
	first     *Candidate // the most specific eligible match
	firstFor  string
	stopped   bool
}

// take looks at a match (nil: none) and reports whether the walk is over.
func (w *walk) take(c *Candidate, place string) bool {
	switch {
	case c == nil:
		return false
	case c.Standing == Usable || w.anyHealth && c.Standing == Unusable:
		w.found, w.reason = c, place
		return true
	case c.Standing == Unusable && w.first == nil:
		w.first, w.firstFor = c, place
	case c.Standing == Stopped && w.alone:
		w.stopped = true
	}
	return w.alone
}

// end says what the walk came to.
func (w *walk) end(nothing string) Choice {
	switch {
	case w.found != nil && w.first != nil:
		return Choice{One: w.found, Reason: w.reason + ", the closer match is not usable", Scope: w.bits}
	case w.found != nil:
		return Choice{One: w.found, Reason: w.reason, Scope: w.bits}
	case w.first != nil:
		return Choice{One: w.first, Reason: w.firstFor + ", no match is usable", LastResort: true, Scope: w.bits}
	case w.stopped:
		return Choice{Reason: "the record for the client's place is stopped", Scope: w.bits}
	}
	return Choice{Reason: nothing, Scope: w.bits}
}
