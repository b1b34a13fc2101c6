package locate

import (
	"net/netip"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// Subnet is what a query's EDNS Client Subnet option (RFC 7871) means for its reply. The zero value is that of a query without one, or
// with one that is ignored.
type Subnet struct {
	// Malformed says that the reply is FORMERR (RFC 7871 sections 6 and 7.2.1).
	Malformed bool

	option *dns.EDNS0_SUBNET // nil: none goes back
	mapped bool              // the client's network is IPv4 and was written as IPv6
}

// Reply is the option that goes into the reply, nil if none does. scope is the length of the shortest prefix around the client in which
// everybody gets the same answer, in the client's own family: 0 where the client did not matter. It may exceed the length in the query
// (RFC 7871 section 7.2.1: more bits would have helped). Where the asker opted out it is 0 always (spec 4.15).
func (s Subnet) Reply(scope int) *dns.EDNS0_SUBNET {
	if s.option == nil {
		return nil
	}
	echo := *s.option
	echo.SourceScope = 0
	if echo.SourceNetmask == 0 {
		return &echo
	}
	longest := 32
	if echo.Family == 2 {
		longest = 128
	}
	if s.mapped { // 0 is all of IPv4, but not all of the option's family
		scope += mappedBits
	}
	echo.SourceScope = uint8(max(0, min(scope, longest)))
	return &echo
}

// ClientOf tells who asks: the network in the query's EDNS Client Subnet option if it has one and `ecs` heeds the asker, else the source
// address at full length (spec 4.1). l may be nil.
//
// An option of length 0 says that the client does not want to be located: the asker's own address decides (RFC 7871 section 7.1.2). The
// options of askers that `ecs` does not heed are not looked at at all, malformed or not, and none goes back, as from a server that does
// not know them (RFC 7871 section 7.2.1). Of several options, of which the standards say nothing, the first one counts and goes back, as
// CoreDNS's plugins and other servers have it; but none of them may be malformed.
//
// An IPv4 address that is written as IPv6, as source or in an option, is IPv4: the same client must not be in two places.
func ClientOf(req *dns.Msg, source netip.Addr, ecs config.ECS, l *Locator) (Client, Subnet) {
	source = source.Unmap().WithZone("")
	here := netip.PrefixFrom(source, source.BitLen())
	if !heeds(ecs, source) {
		return l.Client(here), Subnet{}
	}
	option, good := SubnetOf(req)
	switch {
	case !good:
		return l.Client(here), Subnet{Malformed: true}
	case option == nil || option.SourceNetmask == 0:
		return l.Client(here), Subnet{option: option}
	}
	written := prefixOf(option)
	c := l.Client(written)
	return c, Subnet{option: option, mapped: c.Network.Addr().Is4() && option.Family == 2}
}

// heeds reports whether the asker's options decide.
func heeds(ecs config.ECS, source netip.Addr) bool {
	if ecs.Off || len(ecs.From) == 0 {
		return !ecs.Off
	}
	for _, p := range ecs.From {
		if p.Contains(source) {
			return true
		}
	}
	return false
}

// SubnetOf returns the first EDNS Client Subnet option of a query, nil if it has none. good is false if any of them is malformed.
func SubnetOf(req *dns.Msg) (first *dns.EDNS0_SUBNET, good bool) {
	opt := req.IsEdns0()
	if opt == nil {
		return nil, true
	}
	good = true
	for _, option := range opt.Option {
		subnet, ok := option.(*dns.EDNS0_SUBNET)
		if !ok {
			continue
		}
		if first == nil {
			first = subnet
		}
		good = good && Valid(subnet)
	}
	return first, good
}

// Valid reports whether a query may carry the option: a known family, a prefix that fits into it, an address of the family, scope 0, and
// no bits beyond the prefix (RFC 7871 sections 6 and 7.2.1). Family 0 is no family of addresses; some programs use it to opt out, so it is
// valid with length 0. How many bytes of address came over the wire cannot be seen here: the DNS library has made it a whole one.
func Valid(s *dns.EDNS0_SUBNET) bool {
	if s.SourceScope != 0 {
		return false
	}
	if s.Family == 0 {
		return s.SourceNetmask == 0
	}
	p := prefixOf(s)
	return p.IsValid() && p.Masked().Addr() == p.Addr()
}

// prefixOf is the prefix in an option, in the option's family. It is not valid if the option's parts do not fit together.
func prefixOf(s *dns.EDNS0_SUBNET) netip.Prefix {
	a, _ := netip.AddrFromSlice(s.Address)
	switch s.Family {
	case 1:
		if a = a.Unmap(); !a.Is4() {
			return netip.Prefix{}
		}
	case 2:
		if !a.Is6() {
			return netip.Prefix{}
		}
	default:
		return netip.Prefix{}
	}
	return netip.PrefixFrom(a, int(s.SourceNetmask))
}
