package config

import (
	"net/netip"

	"github.com/miekg/dns"
)

// familyOf is the type of the records that hold the address.
func familyOf(a netip.Addr) uint16 {
	if a.Is4() {
		return dns.TypeA
	}
	return dns.TypeAAAA
}

// familiesOf lists the types that the addresses are of.
func familiesOf(addresses []netip.Addr) []uint16 {
	var types []uint16
	for _, a := range addresses {
		types = append(types, familyOf(a))
	}
	return types
}

// familyWord names the family of addresses of type A or AAAA.
func familyWord(t uint16) string {
	if t == dns.TypeA {
		return "IPv4"
	}
	return "IPv6"
}
