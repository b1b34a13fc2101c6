package answer

import (
	"context"
	"slices"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
)

// group answers from a group of ours.
func (a *Answerer) group(ctx context.Context, q *Query, e *route.Entry, g *route.Group) Result {
	set := setFor(g.View(), q.qtype())
	if set == nil {
		if g.Unresolved(q.qtype()) {
			return Result{Rcode: dns.RcodeServerFailure, Link: Link{Group: g}, Reason: notResolved}
		}
		if !eligible(g) {
			return a.ineligible(ctx, q, e, g)
		}
		return a.noData(ctx, q, e)
	}
	res := Result{Msg: newReply(q)}
	qtype := typeOf(set, q.qtype())
	choice := a.pick(q, &res, set, qtype)
	res.Reason = res.Choice.Reason
	if res.Choice.LastResort {
		res.Reason = "last resort, no usable record"
	}
	if count(choice, qtype) == 0 {
		res.Reason = a.nothing(ctx, q, q.qname(), e, g, &res)
	} else if target := a.positive(ctx, q, &res, q.qname(), e.Zone.Name, choice, qtype); target != "" && q.qtype() != dns.TypeCNAME && q.qtype() != dns.TypeANY {
		a.follow(ctx, q, &res, target)
	}
	return res
}

const notResolved = "the name of an alias is not resolved yet"

// unresolved reports whether a group behind the choice waits for the name of an alias, so that nobody knows whether it has the type.
func unresolved(choice route.Choice, qtype uint16) bool {
	for i := range choice.Len() {
		if behind := choice.At(i).Target; behind != nil && behind.Group.Unresolved(qtype) {
			return true
		}
	}
	return false
}

// ineligible answers for a group of which an operator has taken everything out: Traffic Manager has no such name then (spec, section 0).
func (a *Answerer) ineligible(ctx context.Context, q *Query, e *route.Entry, g *route.Group) Result {
	res := Result{Msg: newReply(q), Link: Link{Group: g}, Reason: "no eligible record"}
	if g.Preset() == config.PresetTrafficManager && a.alone(ctx, q, q.qname(), e, g, &res) {
		res.Msg.Rcode = dns.RcodeNameError
	}
	a.negative(ctx, q, res.Msg, e.Zone, g.TTL)
	return res
}

// eligible reports whether anything in the group is.
func eligible(g *route.Group) bool {
	for _, s := range g.View().Sets() {
		if s.Eligible() {
			return true
		}
	}
	return false
}

// nothing completes the reply of a choice that leaves no record, and says why: the last group on the way to it has a last resort that says
// so, or an operator has taken every record out, which no last resort undoes (spec I-3), or there is nothing for this client or of this type.
func (a *Answerer) nothing(ctx context.Context, q *Query, name string, e *route.Entry, g *route.Group, res *Result) string {
	last, msg := res.last(), res.Msg
	reason := last.Choice.Reason
	ttl := min(g.TTLNow(a.now(), res.sets()...), last.Group.TTLNow(a.now(), res.sets()...))
	switch {
	case unresolved(last.Choice, q.qtype()):
		msg.Rcode = dns.RcodeServerFailure
		return notResolved
	case last.Choice.Len() > 0:
		reason = "the record chosen has no data of this type"
	case last.Choice.LastResort:
		a.lastResort(ctx, q, name, e, g, last.Group, ttl, res)
		return "last resort, no usable record"
	case g.Preset() == config.PresetTrafficManager && !eligible(g) && !last.Set.Eligible() && a.alone(ctx, q, name, e, g, res):
		msg.Rcode = dns.RcodeNameError
	}
	a.negative(ctx, q, msg, e.Zone, ttl)
	return reason
}

// positive appends the chosen records under the owner name. It returns the target if the answer is a CNAME, else "".
func (a *Answerer) positive(ctx context.Context, q *Query, res *Result, owner, zone string, choice route.Choice, qtype uint16) string {
	rrs := a.records(res, owner, zone, choice, qtype)
	target := ""
	switch rr := rrs[0].(type) {
	case *dns.CNAME:
		target = rr.Target
	case *dns.SVCB, *dns.HTTPS:
		a.hints(ctx, q, res, rrs)
	}
	if len(res.Msg.Answer) > 0 {
		rrs = append(res.Msg.Answer, rrs...)
	}
	res.Msg.Answer = rrs
	return target
}

// records are copies of the chosen records under the owner name, each once, all with the smallest TTL among them (spec 4.1) and rotated by chance.
func (a *Answerer) records(res *Result, owner, zone string, choice route.Choice, qtype uint16) []dns.RR {
	n := count(choice, qtype)
	shift := 0
	if n > 1 {
		shift = int(a.rnd.Uint64N(uint64(n)))
	}
	rrs := make([]dns.RR, n)
	ttl := ^uint32(0)
	at := shift
	for i := range choice.Len() {
		c := choice.At(i)
		for j := range c.Len(qtype) {
			rr := withName(c.RR(qtype, j, zone), owner)
			ttl = min(ttl, a.ttl(c.Record, rr.Header().Ttl, res))
			rrs[at] = rr
			at = (at + 1) % n
		}
	}
	for _, rr := range rrs {
		rr.Header().Ttl = ttl
	}
	if choice.Len() > 1 {
		rrs = each(rrs)
	}
	return rrs
}

// each takes out what is there already: several records may have one value, and an RRset has it once (RFC 2181 section 5).
func each(rrs []dns.RR) []dns.RR {
	var out []dns.RR
	for i, rr := range rrs {
		if slices.ContainsFunc(rrs[:i], func(other dns.RR) bool { return dns.IsDuplicate(rr, other) }) {
			if out == nil {
				out = slices.Clone(rrs[:i])
			}
		} else if out != nil {
			out = append(out, rr)
		}
	}
	if out == nil {
		return rrs
	}
	return out
}

// ttl is the TTL of a record, which may follow what could change (spec 4.13).
func (a *Answerer) ttl(r *route.Record, fixed uint32, res *Result) uint32 {
	if r.Config.MinTTL == 0 {
		return fixed
	}
	return r.TTL(fixed, a.now(), res.sets()...)
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

// lastResort answers for a name of group g where the group that speaks, g or one behind an alias of it, has nothing usable and nothing else to
// fall back on (spec 4.13).
func (a *Answerer) lastResort(ctx context.Context, q *Query, name string, e *route.Entry, g, speaks *route.Group, ttl uint32, res *Result) {
	msg := res.Msg
	switch speaks.LastResort {
	case config.LastResortServfail:
		msg.Rcode = dns.RcodeServerFailure
		return
	case config.LastResortRefused:
		msg.Rcode = dns.RcodeRefused
		return
	case config.LastResortNXDomain:
		if a.alone(ctx, q, name, e, g, res) {
			msg.Rcode = dns.RcodeNameError
		}
	}
	a.negative(ctx, q, msg, e.Zone, ttl)
}

// alone reports whether the name has nothing but what the group has just lost: no other type of ours, no name
// below it, nothing behind us, and no SOA as at an apex. Only then NXDOMAIN is true. It denies all types (RFC 8020), so that what decides about
// the others counts for the scope of the result too.
func (a *Answerer) alone(ctx context.Context, q *Query, name string, e *route.Entry, g *route.Group, res *Result) bool {
	if e.Name == e.Zone.Name || e.Below || len(e.Members) > 1 {
		return false
	}
	for _, s := range g.View().Sets() {
		can, scope := s.CanAnswer(q.asking(a, s))
		if res.Scope = max(res.Scope, scope); can {
			return false
		}
	}
	return e.Zone.Stanza.OtherTypes == config.OtherTypesNoData || q.Next.Ask(ctx, question(q, name, q.qtype())).lacksName()
}
