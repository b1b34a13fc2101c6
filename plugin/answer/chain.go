package answer

import (
	"context"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
)

// maxChain is the number of CNAMEs in a row that we follow; resolvers go on by themselves from there.
const maxChain = 8

// follow completes an answer that ends in a CNAME: through our own table as far as that reaches, then through whoever stands
// behind us. The last name decides the code and whose SOA is shown (RFC 6604 section 3, RFC 2308 section 2.1).
func (a *Answerer) follow(ctx context.Context, q *Query, res *Result, target string) {
	msg := res.Msg
	for range maxChain {
		if owns(msg.Answer, target) {
			return // a loop; the chain so far is the whole truth
		}
		m := a.match(strings.ToLower(target), q.qtype())
		if isCut(m, q.qtype()) {
			return // another authority's; resolvers go on from here
		}
		if rrs := a.apexOf(m, target, q.qtype()); rrs != nil {
			msg.Answer = append(msg.Answer, withOwner(rrs, target)...)
			return
		}
		e := m.Entry
		if m.Wildcard != nil {
			step := &Query{Req: question(q, target, q.qtype()), Name: strings.ToLower(target), Next: q.Next}
			if b, stands := a.stands(ctx, step, m); stands {
				join(res, b)
				return
			}
			e = m.Wildcard
			if e.Member(q.qtype()) == nil { // the name exists as the wildcard makes it, without this type
				a.negative(ctx, q, msg, e.Zone, negativeTTL(e))
				return
			}
		}
		if e == nil || e.Member(q.qtype()) == nil {
			a.leave(ctx, q, res, target, m)
			return
		}
		g := e.Member(q.qtype())
		set := g.View().Set(q.qtype())
		if set == nil && g.Unresolved(q.qtype()) {
			msg.Rcode = dns.RcodeServerFailure // nobody knows yet what is there
			return
		}
		if set == nil {
			a.negative(ctx, q, msg, e.Zone, g.TTL)
			return
		}
		there := a.within(q, e.Zone.Stanza)
		choice := a.pick(there, res, set, q.qtype())
		if count(choice, q.qtype()) == 0 {
			a.nothing(ctx, there, target, e, g, res)
			return
		}
		if target = a.positive(ctx, q, res, target, e.Zone.Name, choice, q.qtype()); target == "" {
			return
		}
	}
}

// apexOf returns our SOA or NS if the target is the apex of a zone that has them from us.
func (a *Answerer) apexOf(m route.Match, target string, qtype uint16) []dns.RR {
	if m.Zone == nil {
		return nil
	}
	return a.zones[m.Zone].apex(strings.ToLower(target), qtype)
}

// owns reports whether a record of that name stands in the answer already.
func owns(rrs []dns.RR, name string) bool {
	for _, rr := range rrs {
		if strings.EqualFold(rr.Header().Name, name) {
			return true
		}
	}
	return false
}

// leave asks whoever stands behind us for the end of a chain that our groups do not know.
func (a *Answerer) leave(ctx context.Context, q *Query, res *Result, target string, m route.Match) {
	msg := res.Msg
	if m.Entry != nil && len(m.Entry.Members) > 0 && m.Zone.Stanza.OtherTypes == config.OtherTypesNoData {
		a.negative(ctx, q, msg, m.Zone, negativeTTL(m.Entry))
		return
	}
	b := a.behind(ctx, q, question(q, target, q.qtype()))
	res.Filtered = b.filtered
	if b.Msg != nil && (b.Rcode == dns.RcodeSuccess || b.Rcode == dns.RcodeNameError) && !b.empty() {
		join(res, b)
	}
	switch {
	case m.Zone == nil || b.Rcode == dns.RcodeServerFailure && !b.Nobody:
		return // not ours to say what is there
	case (m.Entry != nil || strings.EqualFold(target, m.Zone.Name)) && b.lacksName():
		msg.Rcode = dns.RcodeSuccess // the name exists because of us, or as the apex, without this type
		msg.Ns = nil
	case b.Nobody || a.zones[m.Zone].served() && b.lacksName():
		msg.Rcode = dns.RcodeNameError
	}
	if len(msg.Ns) == 0 && b.lacksName() {
		ttl := uint32(m.Zone.Stanza.TTL.Seconds())
		if m.Entry != nil {
			ttl = negativeTTL(m.Entry)
		}
		a.negative(ctx, q, msg, m.Zone, ttl)
	}
}

// join appends the answer for the last name of a chain. Its additional section is left behind: it is not about our name.
func join(res *Result, b Behind) {
	if b.Msg == nil {
		return
	}
	msg := res.Msg
	res.Filtered = b.filtered
	msg.Rcode = b.Rcode
	msg.Truncated = msg.Truncated || b.Msg.Truncated
	msg.Answer = append(msg.Answer, b.Msg.Answer...)
	msg.Ns = soaOnly(b.Msg.Ns)
}

// soaOnly keeps the SOA of a negative answer and drops the rest, which would speak of another zone than the first name's.
func soaOnly(rrs []dns.RR) []dns.RR {
	for _, rr := range rrs {
		if rr.Header().Rrtype == dns.TypeSOA {
			return []dns.RR{rr}
		}
	}
	return nil
}
