package answer

import (
	"fmt"
	"math/big"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// Explanation says why a query was answered as it was. It is read off the Result of that very query, so it can say
// nothing that the answer did not follow; a query that nobody asks about pays nothing for it. Field names are stable.
type Explanation struct {
	Name   string        `json:"name"`
	Type   string        `json:"type"`
	Zone   string        `json:"zone,omitempty"`   // the zone of ours that the name lies in
	Entry  string        `json:"entry,omitempty"`  // the name in our table that answered: the name itself or a wildcard
	Found  string        `json:"found"`            // how the name was found
	Groups []Reason      `json:"groups,omitempty"` // the group that answered, and those that an alias or a CNAME led to
	Filter *FilterReason `json:"filter,omitempty"` // what it did to the part of the answer that comes from behind us
	Reason string        `json:"reason"`           // the step that decided
	Rcode  string        `json:"rcode"`
	Answer []string      `json:"answer"`           // one answer that the query got, data in zone file form
	Refers []string      `json:"refers,omitempty"` // the name servers that a referral leads to
	TTL    uint32        `json:"ttl"`              // seconds; of a negative answer its SOA's, of a referral its name servers'
	Scope  *int          `json:"scope,omitempty"`  // ECS scope, if the query had the option
	Passed bool          `json:"passed"`           // the next plugin's answer stands
}

// Reason is a group's part in an answer.
type Reason struct {
	Group      string            `json:"group"`
	Policy     string            `json:"policy"`
	LastResort string            `json:"last_resort,omitempty"` // the word, while nothing in the group is usable
	ShowsAll   bool              `json:"shows_all,omitempty"`   // fewer records are usable than min_healthy asks for, and show_all stands there
	Step       string            `json:"step,omitempty"`        // what the policy did
	Sites      []SiteReason      `json:"sites,omitempty"`       // of a pool or a balancer
	Records    []CandidateReason `json:"records"`
}

// CandidateReason is why a record is in or out.
type CandidateReason struct {
	Record string        `json:"record"`
	Alias  string        `json:"alias,omitempty"` // what it stands for
	Site   string        `json:"site,omitempty"`
	Admin  string        `json:"admin"`  // admin state
	Health string        `json:"health"` // health word of the record for the type
	Share  string        `json:"share"`  // exact part of answers that it stands in, "0" if out
	Why    string        `json:"why"`
	Checks []CheckReason `json:"checks,omitempty"`
	Behind *Reason       `json:"behind,omitempty"` // of an alias that is not usable: how it stands in its target
}

// CheckReason is the health of one check of a record.
type CheckReason struct {
	Check       string    `json:"check"`
	Health      string    `json:"health"`
	Since       time.Time `json:"since"`
	LastAttempt string    `json:"last_attempt,omitempty"` // outcome, and the reason unless it passed
	At          time.Time `json:"at,omitzero"`            // when that ended
}

// Explain reads the explanation off a result. reply is the message that was sent in the end: the result's own, or for a query
// that was passed on the next plugin's; nil if there was none.
func Explain(q *Query, res Result, reply *dns.Msg) Explanation {
	x := Explanation{
		Name: q.qname(), Type: dns.Type(q.qtype()).String(), Found: found(q.Match),
		Reason: res.Reason, Rcode: dns.RcodeToString[res.Rcode], Passed: res.Pass || res.relayed, Answer: []string{},
	}
	if f := res.Filtered; f != nil {
		x.Filter = explainFilter(f, reply)
		if reason := f.reason(); x.Reason == "" {
			x.Reason = reason
		}
	}
	if x.Passed && x.Reason == "" {
		x.Reason = "the next plugin's answer stands"
	}
	if q.Match.Zone != nil {
		x.Zone = q.Match.Zone.Name
	}
	if e := entryOf(q.Match); e != nil && !x.Passed {
		x.Entry = e.Name
	}
	for _, link := range append([]Link{res.Link}, res.Chain...) {
		if link.Group != nil {
			x.Groups = append(x.Groups, explainLink(link))
		}
	}
	if reply != nil {
		x.describe(reply)
	}
	return x
}

// describe fills in what the reply shows.
func (x *Explanation) describe(reply *dns.Msg) {
	x.Rcode = dns.RcodeToString[reply.Rcode]
	for i, rr := range reply.Answer {
		x.Answer = append(x.Answer, Data(rr))
		if i == 0 || rr.Header().Ttl < x.TTL {
			x.TTL = rr.Header().Ttl
		}
	}
	if len(reply.Answer) == 0 && len(reply.Ns) > 0 {
		x.TTL = reply.Ns[0].Header().Ttl
		for _, rr := range reply.Ns {
			if rr.Header().Rrtype == dns.TypeNS {
				x.Refers = append(x.Refers, Data(rr))
			}
		}
	}
	if subnet := subnetOf(reply); subnet != nil {
		scope := int(subnet.SourceScope)
		x.Scope = &scope
	}
}

// found says how the table knows the name.
func found(m route.Match) string {
	switch {
	case m.Zone == nil:
		return "not in our zones"
	case m.Cut != nil && m.Cut.Delegation() == nil:
		return "in the zone " + m.Cut.Name + " of another server block"
	case m.Cut != nil && m.Cut != m.Entry:
		return "below the delegation " + m.Cut.Name
	case m.Cut != nil:
		return "delegation"
	case m.Entry != nil && len(m.Entry.Members) == 0:
		return "a name of ours exists below it"
	case m.Entry != nil:
		return "exact name"
	case m.Wildcard != nil:
		return "covered by the wildcard " + m.Wildcard.Name
	}
	return "in our zone, but not a name of ours"
}

func entryOf(m route.Match) *route.Entry {
	if m.Entry != nil {
		return m.Entry
	}
	return m.Wildcard
}

// explainLink turns a set into reasons, record by record.
func explainLink(l Link) Reason {
	r := Reason{Group: l.Group.Name, Policy: string(l.Group.Policy), Step: l.Choice.Reason, Records: []CandidateReason{}}
	if l.Set == nil {
		return r
	}
	r.Sites, r.ShowsAll = explainSites(l), l.Set.ShowsAll
	if l.Choice.LastResort {
		r.LastResort = string(l.Group.LastResort)
	}
	parts := map[*route.Candidate]*big.Rat{}
	for _, s := range l.Set.Shares(l.asked) {
		parts[s.Candidate] = s.Part
	}
	for _, c := range l.Set.Candidates {
		r.Records = append(r.Records, explainCandidate(l, c, parts[c]))
	}
	return r
}

func explainCandidate(l Link, c *route.Candidate, part *big.Rat) CandidateReason {
	s := l.Set
	r := CandidateReason{
		Record: c.Record.ID, Alias: c.Record.Target(), Site: c.Record.Site, Admin: string(c.Record.Admin()),
		Health: c.Status(s.Type).String(), Share: "0",
	}
	for _, check := range c.Record.ChecksFor(s.Type) {
		r.Checks = append(r.Checks, explainCheck(check))
	}
	if behind := c.Behind(s.Type); behind != nil && c.Standing != route.Usable && part == nil {
		r.Behind = explainBehind(behind)
	}
	switch {
	case part != nil:
		r.Share = part.RatString()
		r.Why = "usable"
		if c.Standing == route.Unusable {
			r.Why = "not usable, but nothing better is: last resort"
			if s.ShowsAll {
				r.Why = "not usable, but too few are: show_all"
			}
			if s.Balance != nil && l.Group.Fronts() == nil {
				r.Why = "not usable, but too little of its site is: fail open"
			}
		}
	case c.Standing == route.Removed && r.Admin == string(health.Enabled):
		r.Why = s.HeldBack(l.Choice, c)
	case c.Standing == route.Removed:
		r.Why = "taken out: " + r.Admin
	case c.Standing == route.Stopped && c.Target != nil:
		r.Why = "nothing behind it is eligible"
	case c.Standing == route.Stopped:
		r.Why = "stopped"
	case c.Standing == route.Unusable:
		r.Why = "not usable: " + unusable(l, c, r.Checks)
	default:
		r.Why = s.HeldBack(l.Choice, c)
	}
	return r
}

// explainBehind says how the records behind an alias stand that is not answered because of them.
func explainBehind(s *route.Set) *Reason {
	l := Link{Group: s.Group, Set: s}
	r := &Reason{Group: s.Group.Name, Policy: string(s.Group.Policy), Sites: explainSites(l), Records: []CandidateReason{}}
	for _, c := range s.Candidates {
		record := explainCandidate(l, c, nil)
		if c.Standing == route.Usable {
			record.Why = "usable"
		}
		r.Records = append(r.Records, record)
	}
	return r
}

// unusable says why a candidate is not usable.
func unusable(l Link, c *route.Candidate, checks []CheckReason) string {
	text, qtype := why(checks), l.Set.Type
	switch {
	case text != "":
		return text
	case l.Set.Balance != nil:
		return l.Set.HeldBack(l.Choice, c)
	case c.Target != nil && c.Behind(qtype).Balance != nil:
		return c.Behind(qtype).Balance.Why
	case c.Target != nil:
		return "too little is usable in " + c.Target.Group.Name
	}
	return "its other family is not, and families go together"
}

// why joins the last words of the checks that are not healthy; "" if all are.
func why(checks []CheckReason) string {
	text := ""
	for _, c := range checks {
		if c.Health == health.Healthy.String() {
			continue
		}
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%s is %s", c.Check, c.Health)
		if c.LastAttempt != "" {
			text += ", last attempt " + c.LastAttempt
		}
	}
	return text
}

func explainCheck(c *health.Check) CheckReason {
	state := c.State()
	r := CheckReason{Check: c.String(), Health: state.Status.String(), Since: state.Since}
	if state.LastAt.IsZero() {
		return r
	}
	r.At = state.LastAt
	r.LastAttempt = state.Last.Outcome.String()
	if state.Last.Reason != "" {
		r.LastAttempt += ": " + state.Last.Reason
	}
	return r
}

// Data is the data of a record in zone file form, without owner, TTL, class and type.
func Data(rr dns.RR) string { return config.DataOf(rr) }
