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
	var rr dns.RR
	switch {
	case address.Is4():
		rr = &dns.A{A: address.AsSlice()}
	case address.IsValid():
		rr = &dns.AAAA{AAAA: address.AsSlice()}
	}
	return specFor(g, r, p, nil, "", rr).Target
}
