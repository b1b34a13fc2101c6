package config

import (
	"fmt"
	"net/netip"
)

// network checks how a probe reaches its target.
func (v *validator) network(p *Probe) {
	if p.Resolver != "" {
		if _, err := ParseServer(p.Resolver); err != nil {
			v.fault(p.Places.Of("resolver"), fmt.Sprintf("resolver: %s", err), "a unicast address, with a port as in 192.0.2.53:5353 or [2001:db8::53]:5353")
		}
	}
	if p.Source == "" {
		return
	}
	source, err := ParseAddress(p.Source)
	if err != nil {
		v.fault(p.Places.Of("source"), fmt.Sprintf("source: %s", err), "a unicast address of this host")
		return
	}
	if target, err := netip.ParseAddr(p.Target); err == nil {
		v.sameFamily(p, source, target, p.Places.Of("source"), "the target")
	}
	if p.Preset == PresetRoute53 && source.Is6() && p.Target != "" {
		v.asked(p.Places.Of("source"), p.Preset, fmt.Sprintf("source %s is IPv6, and names are looked up for IPv4 alone", source), "an IPv4 address")
	}
}

// sameFamily reports an address that no connection from the source reaches.
func (v *validator) sameFamily(p *Probe, source, to netip.Addr, at Position, what string) {
	if source.Is4() == to.Is4() {
		return
	}
	v.fault(at, fmt.Sprintf("source %s of probe %q cannot reach %s %s: they are of different families", source, p.Name, what, to),
		"addresses of one family, or a probe of its own for each")
}
