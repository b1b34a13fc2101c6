// Package answer turns a query into a reply message: what we own from the table of package route, the rest from
// whoever stands behind us.
//
// The rules are numbered as in the design's section "How a query is answered". An Answerer is used by all
// goroutines of a server block at once; what it remembers is what the next plugins said, for as long as their TTLs allow.
package answer

import (
	"context"
	"net/netip"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
	"github.com/healthroute/healthroute/plugin/route"
)

// Query is a question with what its reply needs.
type Query struct {
	Req   *dns.Msg    // one question, class IN, opcode QUERY
	Name  string      // the question's name in lower case
	Match route.Match // what the table says of the name
	Next  Next        // whoever stands behind us
	From  Asker       // who asks; nil: nobody knows

	ask route.Query // what choices depend on; filled in when the first is made
	who *client     // nil until it matters
}

// Asker tells who asks, as far as the connection does.
type Asker interface {
	// Source returns the address that the query came from.
	Source() netip.Addr
	// Metadata returns what tells, by a label such as geoip/country/code, what plugin geoip says of the client ("" for nothing); nil where
	// that plugin is not.
	Metadata() func(label string) string
}

func (q *Query) qname() string { return q.Req.Question[0].Name }
func (q *Query) qtype() uint16 { return q.Req.Question[0].Qtype }

// Result is what to do with a query.
type Result struct {
	Pass  bool     // hand it to the next plugin, whose answer stands
	Msg   *dns.Msg // write this
	Rcode int      // Msg nil: return this code with Err and write nothing
	Err   error

	relayed bool // Msg is somebody else's and must not be touched

	Reason string // the step that decided, in a few words
	Link          // the group of ours that answered; its Group is nil if none did
	Chain  []Link // the groups of ours that an alias or a CNAME led to, in the order in which they were asked
	Scope  int    // how much of the client's address mattered to the choices (route.Choice)

	hosts hosts

	Filtered *Filtered // what a filter did to the part of the answer that comes from behind us; nil if none looked at it
}

// sets are the sets that were chosen from.
func (r *Result) sets() []*route.Set {
	var sets []*route.Set
	for _, link := range append([]Link{r.Link}, r.Chain...) {
		if link.Set != nil {
			sets = append(sets, link.Set)
		}
	}
	return sets
}

// last is the last group of ours that was asked.
func (r *Result) last() Link {
	if n := len(r.Chain); n > 0 {
		return r.Chain[n-1]
	}
	return r.Link
}

// Link is a group's part in an answer.
type Link struct {
	Group  *route.Group
	Set    *route.Set   // nil if the group has nothing of the type
	Choice route.Choice // empty for a negative answer

	asked *route.Query // what the choice depended on; nil without one
}

// Answerer answers queries from one table.
type Answerer struct {
	table  *route.Table
	rnd    route.Rand
	choose func(*route.Set, *route.Query) route.Choice
	now    func() time.Time
	places func(*config.Stanza) *locate.Locator
	zones  map[*route.Zone]*authority
	taken  *memory
	beside *Answerer // chooses what stands beside an answer, which no scenario goes through
}

// Options are what an Answerer needs besides its table.
type Options struct {
	Rand route.Rand // source of chance of the policies; safe for concurrent use
	// Choose picks the records of a set; nil takes set.Choose. A scenario goes through all choices with it.
	Choose func(*route.Set, *route.Query) route.Choice
	Now    func() time.Time            // the clock by which remembered answers age
	Serial func(*config.Stanza) uint32 // serial of the SOA of zones with a nameserver; 1 if nil
	// Places knows where the clients of a stanza are; nil where nobody does.
	Places func(*config.Stanza) *locate.Locator
}

// New returns an answerer for the table.
func New(t *route.Table, o Options) *Answerer {
	a := &Answerer{
		table: t, rnd: o.Rand, choose: o.Choose, now: o.Now, places: o.Places,
		zones: map[*route.Zone]*authority{}, taken: newMemory(o.Now),
	}
	if a.choose == nil {
		a.choose = (*route.Set).Choose
	}
	for _, z := range t.Zones() {
		serial := uint32(1)
		if o.Serial != nil {
			serial = o.Serial(z.Stanza)
		}
		a.zones[z] = newAuthority(z, serial, o.Now)
	}
	beside := *a
	beside.choose = (*route.Set).Choose
	a.beside = &beside
	return a
}

// Inherit takes over what an earlier answerer remembers of those who stand behind us, so that a reload forgets nothing that may be asked for in vain
// now. It is called before the first query.
func (a *Answerer) Inherit(old *Answerer) {
	a.taken.inherit(old.taken)
	for zone, now := range a.zones {
		for other, before := range old.zones {
			if other.Name == zone.Name {
				now.inherit(before)
			}
		}
	}
}

// Answer decides a query.
func (a *Answerer) Answer(ctx context.Context, q *Query) Result {
	if q.qtype() == dns.TypeDS {
		q.Match = a.table.Above(q.Name, q.Match)
	}
	res := a.decide(ctx, q)
	if res.Msg != nil {
		if !res.relayed && len(res.Msg.Answer) > 0 && q.qtype() != dns.TypeANY { // which is to be answered shortly
			a.additional(ctx, q, &res)
		}
		addEDNS(q, &res)
	}
	return res
}

func (a *Answerer) decide(ctx context.Context, q *Query) Result {
	m := q.Match
	if m.Zone == nil {
		return Result{Pass: true} // rule 1
	}
	zone := a.zones[m.Zone]
	cut := isCut(m, q.qtype())
	if cut && m.Cut.Delegation() == nil {
		return Result{Pass: true} // another server block's
	}
	if !cut && m.Entry == nil && m.Wildcard == nil && !zone.served() {
		return a.pass(ctx, q) // rule 7
	}
	if option, _ := locate.SubnetOf(q.Req); option != nil {
		if a.client(q).subnet.Malformed {
			return Result{Rcode: dns.RcodeFormatError}
		}
	}
	if cut {
		return a.referral(ctx, q, m.Cut)
	}
	qtype := q.qtype()
	if qtype == dns.TypeANY && (m.Entry == nil || len(m.Entry.Members) == 0) {
		qtype = dns.TypeSOA // one RRset is enough (RFC 8482 section 4.1), and this one every apex has
	}
	if rrs := zone.apex(q.Name, qtype); rrs != nil {
		msg := newReply(q)
		msg.Answer = withOwner(rrs, q.qname())
		return Result{Msg: msg, Reason: "our own apex"}
	}
	switch {
	case m.Entry != nil:
		return a.entry(ctx, q, m.Entry)
	case m.Wildcard != nil:
		if b, stands := a.stands(ctx, q, m); stands {
			return relay(b)
		}
		return a.wildcard(ctx, q, m.Wildcard)
	}
	return a.missing(ctx, q, zone)
}

// entry answers at a name that exists because of us.
func (a *Answerer) entry(ctx context.Context, q *Query, e *route.Entry) Result {
	if g := memberFor(e, q.qtype()); g != nil {
		return a.group(ctx, q, e, g)
	}
	if e.Zone.Stanza.OtherTypes == config.OtherTypesNoData && len(e.Members) > 0 {
		return a.noData(ctx, q, e)
	}
	return a.otherType(ctx, q, e)
}

// wildcard answers a name that nobody behind us has from the wildcard that covers it.
func (a *Answerer) wildcard(ctx context.Context, q *Query, e *route.Entry) Result {
	if g := memberFor(e, q.qtype()); g != nil {
		return a.group(ctx, q, e, g)
	}
	return a.noData(ctx, q, e)
}

// memberFor returns the group for the type; ANY takes the first that has something usable, which answers one RRset (RFC 8482 section 4.1).
func memberFor(e *route.Entry, qtype uint16) *route.Group {
	if qtype != dns.TypeANY || len(e.Members) == 0 {
		return e.Member(qtype)
	}
	for _, g := range e.Members {
		for _, s := range g.View().Sets() {
			if s.Usable() {
				return g
			}
		}
	}
	return e.Members[0]
}

// otherType is rule 5: the next plugin may have a type that we lack; that it lacks the name, or fails, means NODATA,
// because the name exists. A failure at an apex without a group of ours stands: what the zone is made of is the next plugin's.
func (a *Answerer) otherType(ctx context.Context, q *Query, e *route.Entry) Result {
	bare := len(e.Members) == 0 && e.Name == e.Zone.Name
	b := a.behind(ctx, q, q.Req)
	if b.lacksName() || b.fails() && !bare || b.empty() {
		res := a.noData(ctx, q, e)
		res.Filtered = b.filtered
		return res
	}
	if e.Member(dns.TypeCNAME) != nil && b.hasCNAME(q.Name) {
		return a.noData(ctx, q, e) // a CNAME there would say that our addresses do not exist
	}
	return relay(b)
}

// noData says that the name has nothing of the type.
func (a *Answerer) noData(ctx context.Context, q *Query, e *route.Entry) Result {
	var group *route.Group
	if n := len(e.Members); n > 0 {
		group = e.Members[n-1]
	}
	msg := newReply(q)
	a.negative(ctx, q, msg, e.Zone, negativeTTL(e))
	return Result{Msg: msg, Link: Link{Group: group}, Reason: "no data of this type"}
}

// negativeTTL is how long it may be remembered that the name lacks a type: no longer than what its groups answer.
func negativeTTL(e *route.Entry) uint32 {
	ttl := uint32(e.Zone.Stanza.TTL.Seconds())
	for _, g := range e.Members {
		ttl = min(ttl, g.TTL)
	}
	return ttl
}

// missing is rule 7 with a nameserver: a name in our zone that nobody has. A failure behind us is no proof of that
// and stands.
func (a *Answerer) missing(ctx context.Context, q *Query, zone *authority) Result {
	if b := a.behind(ctx, q, q.Req); !b.lacksName() {
		return relay(b)
	}
	msg := newReply(q)
	if q.Name != zone.zone.Name {
		msg.Rcode = dns.RcodeNameError
	}
	a.negative(ctx, q, msg, zone.zone, uint32(zone.zone.Stanza.TTL.Seconds()))
	return Result{Msg: msg, Reason: "nobody has the name"}
}
