package answer

import (
	"net/netip"

	"github.com/healthroute/healthroute/plugin/locate"
)

// client finds out who asks.
func (a *Answerer) client(q *Query) *locate.Client {
	c := &locate.Client{}
	if q.From != nil {
		if s := q.From.Source(); s.IsValid() {
			c.Network = netip.PrefixFrom(s, s.BitLen())
		}
	}
	if s := subnetOf(q.Req); s != nil && s.SourceNetmask > 0 {
		if ad, ok := netip.AddrFromSlice(s.Address); ok {
			if s.Family == 1 {
				ad = ad.Unmap()
			}
			c.Network = netip.PrefixFrom(ad, int(s.SourceNetmask)).Masked()
		}
	}
	return c
}
