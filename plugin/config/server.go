package config

import (
	"fmt"
	"net/netip"
)

// dnsPort is where a DNS server listens.
const dnsPort = 53

// ParseServer reads ADDRESS or ADDRESS:PORT of a DNS server; the port is 53 by default. An IPv6 address with a port
// stands in brackets.
func ParseServer(text string) (netip.AddrPort, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		if at.Port() == 0 {
			return netip.AddrPort{}, fmt.Errorf("%q has port 0", text)
		}
		address, err := ParseAddress(at.Addr().String())
		return netip.AddrPortFrom(address, at.Port()), err
	}
	address, err := ParseAddress(text)
	return netip.AddrPortFrom(address, dnsPort), err
}
