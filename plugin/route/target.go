package route

import (
	"net/netip"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TargetOf returns what a probe tests for one address of a record, with the names and headers that go with it. The probe's own target stands over
// the address, and so does the name of an alias of a name.
func TargetOf(g *config.Group, r *config.Record, p *config.Probe, address netip.Addr) probe.Target {
	return specFor(g, r, p, nil, "", recordOf(address)).Target
}

// recordOf is a record that holds the address, or nil.
func recordOf(address netip.Addr) dns.RR {
	switch {
	case address.Is4():
		return &dns.A{A: address.AsSlice()}
	case address.IsValid():
		return &dns.AAAA{AAAA: address.AsSlice()}
	}
	return nil
}
