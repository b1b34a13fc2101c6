package answer

import (
	"context"
	"net"
	"slices"

	"github.com/miekg/dns"
)

// hints puts into service bindings that have address hints the addresses that A and AAAA queries for their targets would get now, if the targets are
// names of ours (spec 4.12, 5): a hint must not lead to what the address record avoids. A family that has nothing to give has no hint. The records live no longer
// than the addresses.
func (a *Answerer) hints(ctx context.Context, q *Query, res *Result, rrs []dns.RR) {
	ttl := rrs[0].Header().Ttl
	for _, rr := range rrs {
		binding, ok := rr.(*dns.SVCB)
		if https, is := rr.(*dns.HTTPS); is {
			binding, ok = &https.SVCB, true
		}
		if !ok || !hinted(binding) {
			continue
		}
		target := serviceHost(rr)
		if h := a.host(ctx, q, res, target, false); target != "" && h.view != nil {
			ttl = min(ttl, a.rehint(q, res, binding, h))
		}
	}
	for _, rr := range rrs {
		rr.Header().Ttl = ttl
	}
}

func hinted(rr *dns.SVCB) bool {
	return slices.ContainsFunc(rr.Value, func(p dns.SVCBKeyValue) bool { return p.Key() == dns.SVCB_IPV4HINT || p.Key() == dns.SVCB_IPV6HINT })
}

// rehint replaces the hints of one record, a copy of ours, and returns how long they hold.
func (a *Answerer) rehint(q *Query, res *Result, rr *dns.SVCB, h *host) (ttl uint32) {
	ttl = rr.Hdr.Ttl
	var values []dns.SVCBKeyValue
	var lost []dns.SVCBKey
	for _, p := range rr.Value {
		var family uint16
		switch p.Key() {
		case dns.SVCB_IPV4HINT:
			family = dns.TypeA
		case dns.SVCB_IPV6HINT:
			family = dns.TypeAAAA
		default:
			values = append(values, p)
			continue
		}
		found, scope := a.addresses(q, h, h.name, family)
		res.Scope = max(res.Scope, scope)
		if len(found) == 0 {
			lost = append(lost, p.Key())
			continue
		}
		ttl = min(ttl, found[0].Header().Ttl)
		values = append(values, hintOf(found))
	}
	rr.Value = withoutMandatory(values, lost)
	return ttl
}

// hintOf is the hint of addresses of one family.
func hintOf(rrs []dns.RR) dns.SVCBKeyValue {
	var v4, v6 []net.IP
	for _, rr := range rrs {
		switch rr := rr.(type) {
		case *dns.A:
			v4 = append(v4, rr.A)
		case *dns.AAAA:
			v6 = append(v6, rr.AAAA)
		}
	}
	if v4 != nil {
		return &dns.SVCBIPv4Hint{Hint: v4}
	}
	return &dns.SVCBIPv6Hint{Hint: v6}
}

// withoutMandatory takes parameters that are not there any more from the list of those that clients must understand: it must not name others than
// there are (RFC 9460 section 8).
func withoutMandatory(values []dns.SVCBKeyValue, lost []dns.SVCBKey) []dns.SVCBKeyValue {
	if len(lost) == 0 {
		return values
	}
	return slices.DeleteFunc(values, func(p dns.SVCBKeyValue) bool {
		mandatory, ok := p.(*dns.SVCBMandatory)
		if !ok {
			return false
		}
		mandatory.Code = slices.DeleteFunc(mandatory.Code, func(k dns.SVCBKey) bool { return slices.Contains(lost, k) })
		return len(mandatory.Code) == 0
	})
}
