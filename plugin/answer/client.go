package answer

import (
	"net/netip"

	"github.com/healthroute/healthroute/plugin/locate"
)

// client is who asks, and what the query's client subnet option means for the reply.
type client struct {
	locate.Client
	subnet locate.Subnet
}

// client returns who asks. It is found out once, and only where it matters: what is known of the place is in files of the stanza, or in
// what plugin geoip says if the stanza names no database.
func (a *Answerer) client(q *Query) *client {
	if q.who != nil {
		return q.who
	}
	source := netip.IPv6Unspecified()
	if q.From != nil {
		source = q.From.Source()
	}
	stanza := q.Match.Zone.Stanza
	var places *locate.Locator
	if a.places != nil {
		places = a.places(stanza)
	}
	c := &client{}
	c.Client, c.subnet = locate.ClientOf(q.Req, source, stanza.ECS, places)
	if len(stanza.GeoIP) == 0 && q.From != nil {
		if says := q.From.Metadata(); says != nil {
			c.Client = locate.FromMetadata(c.Client, says)
		}
	}
	q.who = c
	return c
}
