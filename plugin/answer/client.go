package answer

import (
	"net/netip"

	"github.com/healthroute/healthroute/plugin/locate"
)

// client returns who asks, found out once.
func (a *Answerer) client(q *Query) *locate.Client {
	if !q.who.Network.IsValid() {
		a.locate(q)
	}
	return &q.who
}

// locate finds out who asks and what is known of the place: from files of the stanza, or from what plugin geoip says if the stanza names no
// database.
func (a *Answerer) locate(q *Query) {
	source := netip.IPv6Unspecified()
	if q.From != nil {
		source = q.From.Source()
	}
	stanza := q.Match.Zone.Stanza
	var places *locate.Locator
	if a.places != nil {
		places = a.places(stanza)
	}
	q.who, q.subnet = locate.ClientOf(q.Req, source, stanza.ECS, places)
	if len(stanza.GeoIP) == 0 && q.From != nil {
		if says := q.From.Metadata(); says != nil {
			q.who = locate.FromMetadata(q.who, says)
		}
	}
}
