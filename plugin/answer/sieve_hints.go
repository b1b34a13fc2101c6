package answer

import (
	"net"
	"net/netip"
	"slices"

	"github.com/miekg/dns"
)

// hinted returns an HTTPS or SVCB record without the address hints that are not usable (RFC 9460 section 7.3), other records as they are. Where
// none of a family is usable, the last resort decides whether the hint stays; one that the record calls mandatory always does.
func (s *sieve) hinted(rr dns.RR) dns.RR {
	var params []dns.SVCBKeyValue
	switch rr := rr.(type) {
	case *dns.HTTPS:
		params = rr.Value
	case *dns.SVCB:
		params = rr.Value
	default:
		return rr
	}
	left := make([]dns.SVCBKeyValue, 0, len(params))
	differs := false
	for _, param := range params {
		now := s.hint(param, mandatory(params, param.Key()))
		differs = differs || now != param
		if now != nil {
			left = append(left, now)
		}
	}
	if !differs {
		return rr
	}
	out := dns.Copy(rr)
	switch out := out.(type) {
	case *dns.HTTPS:
		out.Value = left
	case *dns.SVCB:
		out.Value = left
	}
	return out
}

// hint returns what is left of a parameter: the very one, one with fewer addresses, or nil.
func (s *sieve) hint(param dns.SVCBKeyValue, mandatory bool) dns.SVCBKeyValue {
	switch param := param.(type) {
	case *dns.SVCBIPv4Hint:
		switch left := s.hints(param.Hint, mandatory); len(left) {
		case len(param.Hint):
		case 0:
			return nil
		default:
			return &dns.SVCBIPv4Hint{Hint: left}
		}
	case *dns.SVCBIPv6Hint:
		switch left := s.hints(param.Hint, mandatory); len(left) {
		case len(param.Hint):
		case 0:
			return nil
		default:
			return &dns.SVCBIPv6Hint{Hint: left}
		}
	}
	return param
}

// hints returns those addresses that are left of a hint.
func (s *sieve) hints(all []net.IP, mandatory bool) []net.IP {
	var left []net.IP
	var gone []netip.Addr
	for _, ip := range all {
		a, ok := netip.AddrFromSlice(ip)
		if a = a.Unmap(); ok && !s.usable(a) {
			gone = append(gone, a)
			continue
		}
		left = append(left, ip)
	}
	if len(left) == 0 && (mandatory || !s.none) {
		return all
	}
	s.gone = append(s.gone, gone...)
	return left
}

// mandatory reports whether the parameters say that a client must know this one (RFC 9460 section 8).
func mandatory(params []dns.SVCBKeyValue, key dns.SVCBKey) bool {
	return slices.ContainsFunc(params, func(p dns.SVCBKeyValue) bool {
		list, ok := p.(*dns.SVCBMandatory)
		return ok && slices.Contains(list.Code, key)
	})
}
