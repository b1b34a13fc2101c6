package config

import (
	"net/netip"

	"github.com/miekg/dns"
)

// NameserverGroup is the group that answers for a name server's own addresses: one simple record without a probe.
func (s *Stanza) NameserverGroup(ns Nameserver) *Group {
	r := &Record{ID: ns.Name, TTL: s.TTL, Weight: DefaultWeight, Places: Places{Own: ns.Position}}
	for _, address := range ns.Addresses {
		v := Value{Type: dns.TypeA, Data: address}
		if a, err := netip.ParseAddr(address); err == nil && !a.Is4() {
			v.Type = dns.TypeAAAA
		}
		r.Values = append(r.Values, v)
	}
	return &Group{
		Names: []string{ns.Name}, Policy: PolicySimple, TTL: s.TTL, Records: []*Record{r},
		LastResort: LastResortAll, Places: Places{Own: ns.Position},
	}
}
