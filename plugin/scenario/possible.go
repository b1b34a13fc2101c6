package scenario

import (
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// Possible is one answer that a question can get, and how often it does. Field names are stable.
type Possible struct {
	Share  string   `json:"share"` // exact: "1/3"
	Rcode  string   `json:"rcode"`
	Answer []string `json:"answer"`           // data in zone file form
	Refers []string `json:"refers,omitempty"` // the name servers that a referral leads to
	TTL    uint32   `json:"ttl"`              // seconds; of a negative answer its SOA's
	// Theirs says that it is not ours: whoever stands behind us decides.
	Theirs bool `json:"-"`

	part  *big.Rat
	links []answer.Link // the groups of ours that answered
}

// Distribution is every answer that a question can get at an instant. Where there are more than MaxOutcomes, because many records answer
// together in samples, it has the records one by one instead.
type Distribution struct {
	Possible []Possible `json:"possible"` // most probable first
	Together bool       `json:"together"` // records one by one: the share of each is the part of answers that it stands in
}

// Distribution returns the answers that the question can get at this instant.
func (w *World) Distribution(q Question) (Distribution, error) {
	query, n, err := w.query(q)
	if err != nil {
		return Distribution{}, err
	}
	return w.distributionOf(n, query)
}

// distributionOf is Distribution for one server block.
func (w *World) distributionOf(n *server, query *answer.Query) (Distribution, error) {
	outcomes, err := w.askOf(n, query)
	if err != nil {
		return w.recordByRecord(n, query)
	}
	var d Distribution
	for _, o := range outcomes {
		d.Possible = append(d.Possible, possible(o.Part, o.Result))
	}
	return d, nil
}

func possible(part *big.Rat, res answer.Result) Possible {
	p := Possible{
		Share: part.RatString(), Rcode: dns.RcodeToString[res.Msg.Rcode], Answer: Values(res.Msg), Refers: servers(res.Msg), part: part,
		Theirs: res.Group == nil && res.Reason == "",
	}
	for i, rr := range res.Msg.Answer {
		if i == 0 || rr.Header().Ttl < p.TTL {
			p.TTL = rr.Header().Ttl
		}
	}
	if len(res.Msg.Answer) == 0 && len(res.Msg.Ns) > 0 {
		p.TTL = res.Msg.Ns[0].Header().Ttl
	}
	for _, link := range append([]answer.Link{res.Link}, res.Chain...) {
		if link.Set != nil {
			p.links = append(p.links, link)
		}
	}
	return p
}

// recordByRecord is the Distribution of a set of too many samples.
func (w *World) recordByRecord(n *server, query *answer.Query) (Distribution, error) {
	w.draws.reset()
	w.draws.begin()
	res := n.answer(query)
	last := res.Link
	for _, next := range res.Chain { // one alias behind the other leads to the sample, and nothing else does
		if last.Set == nil || next.Set == nil || !settledOn(last.Set, query) {
			return Distribution{}, tooMany(query)
		}
		last = next
	}
	if last.Set == nil {
		return Distribution{}, tooMany(query)
	}
	d := Distribution{Together: true}
	for _, s := range last.Set.Shares(query.Asked()) {
		p := Possible{Share: s.Part.RatString(), Rcode: dns.RcodeToString[dns.RcodeSuccess], part: s.Part}
		for i := range s.Candidate.Len(last.Set.Type) {
			rr := s.Candidate.RR(last.Set.Type, i, query.Match.Zone.Name)
			p.Answer, p.TTL = append(p.Answer, answer.Data(rr)), rr.Header().Ttl
		}
		p.links = []answer.Link{{Group: last.Group, Set: last.Set, Choice: route.Choice{One: s.Candidate, LastResort: last.Choice.LastResort}}}
		d.Possible = append(d.Possible, p)
	}
	return d, nil
}

// settledOn reports whether the query can get but one record of the set.
func settledOn(s *route.Set, q *answer.Query) bool {
	outcomes, ok := s.Outcomes(q.Asked(), 1)
	return ok && len(outcomes) == 1 && outcomes[0].Choice.Len() == 1
}

func tooMany(q *answer.Query) error {
	return fmt.Errorf("more than %d different answers to %s %s", MaxOutcomes, q.Name, dns.Type(q.Req.Question[0].Qtype))
}

// checks returns the checks of the records that the answer was chosen among.
func (p Possible) checks() []*health.Check {
	var out []*health.Check
	for _, link := range p.links {
		out = append(out, link.Set.Checks()...)
	}
	return out
}

// dead returns whether the answer holds a value whose target is down, and for how long a client may keep that: values of a group go with
// the smallest TTL among them.
func (p Possible) dead(down func(*health.Check) bool) (dead bool, ttl uint32) {
	for _, link := range p.links {
		deadHere, smallest := false, ^uint32(0)
		for i := range link.Choice.Len() {
			c := link.Choice.At(i)
			checks := c.Record.ChecksFor(link.Set.Type)
			for j := range c.Len(link.Set.Type) {
				rr := c.RR(link.Set.Type, j, "")
				smallest = min(smallest, rr.Header().Ttl)
				deadHere = deadHere || slices.ContainsFunc(watching(checks, rr, link.Group.Name), down)
			}
			deadHere = deadHere || leadsNowhere(link, c, down)
		}
		if deadHere {
			dead, ttl = true, max(ttl, smallest)
		}
	}
	return dead, ttl
}

// leadsNowhere reports whether the candidate is the address of a site behind which every target of a pool is down.
func leadsNowhere(link answer.Link, c *route.Candidate, down func(*health.Check) bool) bool {
	if len(link.Group.Fronts()) == 0 {
		return false
	}
	isDown := func(target *route.Candidate) bool { return slices.ContainsFunc(target.Record.Checks(), down) }
	for _, site := range link.Set.Balance.Sites {
		for _, p := range site.Pools {
			works := func(target *route.Candidate) bool { return !isDown(target) }
			if site.Site == c.Record.Site && len(p.Targets()) > 0 && !slices.ContainsFunc(p.Targets(), works) {
				return true
			}
		}
	}
	return false
}

// watching returns those of a record's checks that watch the value: the one of its address or of the host that it leads to, or else, where the probe has a
// target of its own, all of them.
func watching(checks []*health.Check, rr dns.RR, owner string) []*health.Check {
	var address netip.Addr
	switch rr := rr.(type) {
	case *dns.A:
		address, _ = netip.AddrFromSlice(rr.A)
	case *dns.AAAA:
		address, _ = netip.AddrFromSlice(rr.AAAA)
	}
	host, _ := config.HostOf(rr, owner)
	host = strings.TrimSuffix(host, ".")
	for i, c := range checks {
		t := c.Target()
		if address.IsValid() && t.Address == address.Unmap() || host != "" && strings.EqualFold(t.Name, host) {
			return checks[i : i+1]
		}
	}
	return checks
}
