package config

import (
	"fmt"
	"net/netip"
)

// ParseAddress reads a literal address that a record may hold or a probe may test. It must be unicast and have no
// zone; private and loopback addresses are fine. An IPv4-mapped IPv6 address is refused and not unmapped: as AAAA
// data it would reach nobody, and as A data it would not be what was written.
func ParseAddress(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		return netip.Addr{}, fmt.Errorf("%q is not an IP address", text)
	case a.Zone() != "":
		return netip.Addr{}, fmt.Errorf("address %q has a zone", text)
	case a.Is4In6():
		return netip.Addr{}, fmt.Errorf("address %q is IPv4 mapped into IPv6: write %s", text, a.Unmap())
	case a.IsUnspecified():
		return netip.Addr{}, fmt.Errorf("address %q is the unspecified address", text)
	case a.IsMulticast():
		return netip.Addr{}, fmt.Errorf("address %q is multicast", text)
	case a == broadcast:
		return netip.Addr{}, fmt.Errorf("address %q is the broadcast address", text)
	case thisNetwork.Contains(a), compatible.Contains(a) && !a.IsLoopback():
		return netip.Addr{}, fmt.Errorf("address %q is no unicast address", text)
	}
	return a, nil
}

var (
	broadcast   = netip.MustParseAddr("255.255.255.255")
	thisNetwork = netip.MustParsePrefix("0.0.0.0/8") // RFC 6890; a misspelt number reads as 0.0.0.3
	compatible  = netip.MustParsePrefix("::/96")     // RFC 4291, 2.5.5.1: deprecated; ::1 is in it
)

// IsUnicast reports whether an address can be that of a host: what ParseAddress reads.
func IsUnicast(a netip.Addr) bool {
	return a.IsValid() && a.Zone() == "" && !a.Is4In6() && !a.IsUnspecified() && !a.IsMulticast() && a != broadcast &&
		!thisNetwork.Contains(a) && (!compatible.Contains(a) || a.IsLoopback())
}
