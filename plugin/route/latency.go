package route

import (
	"math"
	"slices"
)

// latency answers with a record of the site to which the client's way is the shortest (spec 4.8). Sites that nothing is known of come
// behind the others; where nothing is known at all, the order of declaration stands. The site that the client stands in is the nearest.
func latency(s *Set, among []*Candidate) chooser {
	var sites []string // in the order of declaration
	bySite := map[string][]*Candidate{}
	for _, c := range among {
		site := c.Record.Site
		if bySite[site] == nil {
			sites = append(sites, site)
		}
		bySite[site] = append(bySite[site], c)
	}
	return &nearest{set: s, near: func(q *Query) ([]*Candidate, string, int) {
		own := q.Client.Site()
		bits := own.Bits
		best, lowest := sites[:1], math.Inf(1)
		for i, site := range sites {
			fact := q.Client.Latency(site)
			bits = max(bits, fact.Bits)
			ms := math.Inf(1)
			switch {
			case fact.Known:
				ms = fact.Value
			case own.Known && own.Value == site:
				ms = -1 // before every latency
			}
			switch {
			case ms < lowest:
				best, lowest = sites[i:i+1], ms
			case ms == lowest && !math.IsInf(ms, 1):
				best = append(slices.Clip(best), site)
			}
		}
		reason := "lowest latency to the client"
		switch {
		case math.IsInf(lowest, 1):
			reason = "no latency known for the client: first site declared"
		case lowest < 0:
			reason = "the client's own site"
		}
		if len(best) == 1 {
			return bySite[best[0]], reason, bits
		}
		var tied []*Candidate
		for _, site := range best {
			tied = append(tied, bySite[site]...)
		}
		return tied, reason, bits
	}}
}
