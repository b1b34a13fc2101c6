package answer

import (
	"context"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
)

// group answers from a group of ours.
func (a *Answerer) group(ctx context.Context, q *Query, e *route.Entry, m route.Member) Result {
	set := setFor(m.View(), q.qtype())
	if set == nil {
		return a.noData(ctx, q, e)
	}
	choice := a.choose(set)
	res := Result{Msg: newReply(q), Link: Link{m.Group, set, choice, set.LastResort}, Reason: choice.Reason}
	switch {
	case set.LastResort:
		res.Reason = "last resort, no usable record"
	case choice.Len() == 0:
		res.Reason = "no eligible record"
	}
	if choice.Len() == 0 {
		a.nothing(ctx, q, q.qname(), e, m, set, res.Msg)
	} else if target := a.positive(res.Msg, q.qname(), m, choice); target != "" && q.qtype() != dns.TypeCNAME && q.qtype() != dns.TypeANY {
		a.follow(ctx, q, &res, target)
	}
	return res
}

// nothing completes the reply of a set that leaves nothing to choose: its last resort says so, or an operator has taken every
// record out, which no last resort undoes (spec I-3).
func (a *Answerer) nothing(ctx context.Context, q *Query, name string, e *route.Entry, m route.Member, set *route.Set, msg *dns.Msg) {
	if set.LastResort {
		a.lastResort(ctx, q, name, e, m, msg)
		return
	}
	a.negative(ctx, q, msg, e.Zone, m.TTL)
}

// setFor returns the choice for a query type. ANY takes the first type of the group that has an answer.
func setFor(v *route.View, qtype uint16) *route.Set {
	if qtype != dns.TypeANY {
		return v.Set(qtype)
	}
	sets := v.Sets()
	for _, s := range sets {
		if s.Usable() {
			return s
		}
	}
	if len(sets) > 0 {
		return sets[0]
	}
	return nil
}

// positive appends the chosen records under the owner name, all with the smallest TTL among them (spec 4.1) and
// rotated by chance. It returns the target if the answer is a CNAME, else "".
func (a *Answerer) positive(msg *dns.Msg, owner string, m route.Member, choice route.Choice) string {
	n := 0
	for i := range choice.Len() {
		n += choice.At(i).Len()
	}
	shift := 0
	if n > 1 {
		shift = int(a.rnd.Uint64N(uint64(n)))
	}
	first := len(msg.Answer)
	rrs := make([]dns.RR, first+n)
	copy(rrs, msg.Answer)
	ttl := ^uint32(0)
	at := shift
	for i := range choice.Len() {
		c := choice.At(i)
		for j := range c.Len() {
			rr := withName(c.RR(j, m.Origin), owner)
			ttl = min(ttl, rr.Header().Ttl)
			rrs[first+at] = rr
			at = (at + 1) % n
		}
	}
	for _, rr := range rrs[first:] {
		rr.Header().Ttl = ttl
	}
	msg.Answer = rrs
	if alias, ok := rrs[first].(*dns.CNAME); ok {
		return alias.Target
	}
	return ""
}

// withName copies a record of a view under an owner name. The address bytes stay shared: nobody changes those.
func withName(rr dns.RR, owner string) dns.RR {
	switch rr := rr.(type) {
	case *dns.A:
		own := &dns.A{Hdr: rr.Hdr, A: rr.A}
		own.Hdr.Name = owner
		return own
	case *dns.AAAA:
		own := &dns.AAAA{Hdr: rr.Hdr, AAAA: rr.AAAA}
		own.Hdr.Name = owner
		return own
	}
	own := dns.Copy(rr)
	own.Header().Name = owner
	return own
}

func withOwner(rrs []dns.RR, owner string) []dns.RR {
	out := make([]dns.RR, len(rrs))
	for i, rr := range rrs {
		out[i] = withName(rr, owner)
	}
	return out
}

// lastResort answers for a name whose group has nothing usable and nothing else to fall back on (spec 4.13).
func (a *Answerer) lastResort(ctx context.Context, q *Query, name string, e *route.Entry, m route.Member, msg *dns.Msg) {
	switch m.LastResort {
	case config.LastResortServfail:
		msg.Rcode = dns.RcodeServerFailure
		return
	case config.LastResortRefused:
		msg.Rcode = dns.RcodeRefused
		return
	case config.LastResortNXDomain:
		if a.alone(ctx, q, name, e, m) {
			msg.Rcode = dns.RcodeNameError
		}
	}
	a.negative(ctx, q, msg, e.Zone, m.TTL)
}

// alone reports whether the name has nothing but what the group has just lost: no other type of ours, no name
// below it, nothing behind us, and no SOA as at an apex. Only then NXDOMAIN is true.
func (a *Answerer) alone(ctx context.Context, q *Query, name string, e *route.Entry, m route.Member) bool {
	if e.Name == e.Zone.Name || e.Below || len(e.Members) > 1 {
		return false
	}
	for _, s := range m.View().Sets() {
		if !s.LastResort {
			return false
		}
	}
	return e.Zone.Stanza.OtherTypes == config.OtherTypesNoData || q.Next.Ask(ctx, question(q, name, q.qtype())).lacksName()
}
