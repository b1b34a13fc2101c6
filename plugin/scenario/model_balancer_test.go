package scenario

import (
	"math/big"
	"math/bits"
	"net/netip"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// sites are those that answer: the good ones, else all that clients are not shifted away from. Where sites' addresses answer it is among
// those that have one of the family (spec 4.12, rule 1). An alias of one site has that, unless clients are shifted away from it.
func (x balancing) sites() []string {
	out := slices.DeleteFunc(x.open(), func(site string) bool { return !x.reaches(site) })
	if x.only != "" {
		return out
	}
	good := slices.DeleteFunc(slices.Clone(out), x.bad)
	if len(good) == 0 {
		return out
	}
	return good
}

// reaches reports whether the alias can answer with the site.
func (x balancing) reaches(site string) bool {
	_, front := x.front(site)
	return (x.only == "" || x.only == site) && (front || !x.balancer.HasAddresses())
}

// front is the site's address of the family.
func (x balancing) front(site string) (netip.Addr, bool) {
	for _, s := range x.balancer.Sites {
		if s.Name == site {
			return addressOf(s.Addresses, x.family)
		}
	}
	return netip.Addr{}, false
}

// used are the targets that answer for the sites, each once.
func (x balancing) used(sites []string) []seat {
	var out []seat
	for _, p := range x.pools() {
		for _, site := range sites {
			all := x.registered(p, x.scope(p, site))
			used := x.healthy(all)
			if breach(p.FailOpen, len(used), len(all)) {
				used = all
			}
			for _, s := range used {
				if !slices.Contains(out, s) {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// couldAnswer reports whether the alias could ever answer the family.
func (x balancing) couldAnswer() bool {
	if x.family == anyType {
		return slices.ContainsFunc(x.eachFamily(), balancing.couldAnswer)
	}
	if !x.balancer.HasAddresses() {
		return slices.ContainsFunc(x.balancer.Pools, func(name string) bool { return knows(x.model.pools[name], x.family) })
	}
	return slices.ContainsFunc(x.balancer.Sites, func(s *config.Site) bool { return x.reaches(s.Name) })
}

// eligible reports whether there is anything to answer with, were it only a last resort.
func (x balancing) eligible() bool {
	if x.family == anyType {
		return slices.ContainsFunc(x.eachFamily(), balancing.eligible)
	}
	for _, site := range x.open() {
		if x.reaches(site) && (x.balancer.HasAddresses() || slices.ContainsFunc(x.pools(), func(p *config.Pool) bool { return len(x.registered(p, x.scope(p, site))) > 0 })) {
			return true
		}
	}
	return false
}

// eachFamily is the same for A and AAAA.
func (x balancing) eachFamily() []balancing {
	a, aaaa := x, x
	a.family, aaaa.family = dns.TypeA, dns.TypeAAAA
	return []balancing{a, aaaa}
}

// enough is the health of the balancer to an alias that evaluates it (spec 4.15): every pool has a target and meets its threshold over all
// sites together, a site works by its own probe, and the alias's minimum is met.
func (x balancing) enough(want config.MinHealthy) bool {
	if x.family == anyType { // of an alias that is chosen before the family is looked at, one is enough
		return slices.ContainsFunc(x.eachFamily(), func(y balancing) bool { return y.eligible() && y.enough(want) })
	}
	healthy, registered := 0, 0
	for _, p := range x.pools() {
		all := x.registered(p, x.together(p))
		works := x.healthy(all)
		if len(all) == 0 || breach(p.DNSFailover, len(works), len(all)) {
			return false
		}
		healthy, registered = healthy+len(works), registered+len(all)
	}
	reached := slices.DeleteFunc(x.open(), func(site string) bool { return !x.reaches(site) })
	if len(x.pools()) == 0 || !slices.ContainsFunc(reached, x.probePasses) {
		return false
	}
	number := want.Count
	if want.Percent {
		number = (want.Count*registered + 99) / 100
	}
	families := x.eachFamily()
	return (want == config.MinHealthy{} || healthy >= max(number, 1)) && families[0].number() >= want.IPv4 && families[1].number() >= want.IPv6
}

// number is how many targets of the family work; none, if it could never be answered.
func (x balancing) number() int {
	n := 0
	if !x.couldAnswer() {
		return 0
	}
	for _, p := range x.pools() {
		n += len(x.healthy(x.registered(p, x.together(p))))
	}
	return n
}

// together are the sites whose targets are counted for the health of the pool to the alias.
func (x balancing) together(p *config.Pool) []string {
	if x.only == "" {
		return x.open()
	}
	return x.scope(p, x.only)
}

// answer is what an alias of the balancer in the group is answered with.
func (x balancing) answer(g *config.Group) dist {
	sites := x.sites()
	whole := x.part(g, sites, "")
	own := x.client.own
	affine := x.balancer.Affinity == config.AffinityFull || x.balancer.Affinity == config.AffinityPartial
	if !affine || x.only != "" || !slices.Contains(sites, own) || own == "" {
		return whole
	}
	part := x.part(g, sites, own)
	if _, empty := part[nodata]; empty {
		return whole
	}
	if x.balancer.Affinity == config.AffinityFull {
		return part
	}
	out := dist{}
	out.add(big.NewRat(17, 20), part)
	out.add(big.NewRat(3, 20), whole)
	return out
}

// part is the answer of the sites, or the part of it that is in one of them.
func (x balancing) part(g *config.Group, sites []string, within string) dist {
	var data []string
	if x.balancer.HasAddresses() {
		for _, site := range sites {
			if a, ok := x.front(site); ok && (within == "" || site == within) {
				data = append(data, a.String())
			}
		}
		return atOnce(data)
	}
	used := slices.DeleteFunc(x.used(sites), func(s seat) bool { return within != "" && s.target.Site != within })
	if g.Policy == config.PolicyWeighted {
		return x.oneOf(used)
	}
	for _, s := range used {
		a, _ := addressOf(s.target.Addresses, x.family)
		if !slices.Contains(data, a.String()) {
			data = append(data, a.String())
		}
	}
	return someOf(data, g.Max)
}

// oneOf draws a target by its weight (spec 4.4).
func (x balancing) oneOf(used []seat) dist {
	var records []*config.Record
	for _, s := range used {
		a, _ := addressOf(s.target.Addresses, x.family)
		records = append(records, &config.Record{ID: a.String(), Weight: s.target.Weight})
	}
	out := dist{}
	for _, d := range weightedDraws(records) {
		out.add(d.part, sure(d.records[0].ID))
	}
	if len(out) == 0 {
		return sure(nodata)
	}
	return out
}

func atOnce(data []string) dist {
	if len(data) == 0 {
		return sure(nodata)
	}
	return sure(join(data))
}

// someOf is every set of so many values, equally likely; all of them if there are no more, or no limit (0).
func someOf(data []string, most int) dist {
	if most == 0 || len(data) <= most {
		return atOnce(data)
	}
	var sets []string
	for mask := range uint(1) << len(data) {
		var set []string
		for i, v := range data {
			if mask>>i&1 == 1 {
				set = append(set, v)
			}
		}
		if bits.OnesCount(mask) == most {
			sets = append(sets, join(set))
		}
	}
	out := dist{}
	for _, set := range sets {
		out.add(big.NewRat(1, int64(len(sets))), sure(set))
	}
	return out
}
