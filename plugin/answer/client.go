package answer

import (
	"net/netip"

	"github.com/healthroute/healthroute/plugin/config"
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
	q.who, q.subnet = locate.ClientOf(q.Req, source, stanza.ECS, a.locator(stanza))
	q.who = told(q, stanza, q.who)
}

// locator knows the places of a stanza's clients; nil if nobody does.
func (a *Answerer) locator(stanza *config.Stanza) *locate.Locator {
	if a.places == nil {
		return nil
	}
	return a.places(stanza)
}

// told is the client with what plugin geoip says of it, if the stanza names no database.
func told(q *Query, stanza *config.Stanza, c locate.Client) locate.Client {
	if len(stanza.GeoIP) > 0 || q.From == nil {
		return c
	}
	if says := q.From.Metadata(); says != nil {
		return locate.FromMetadata(c, says)
	}
	return c
}

// within is the query as the groups of a stanza see it that a CNAME has led to: the client's network is that which the name asked for has settled,
// with the reply's scope, and its place is what this stanza's files say.
func (a *Answerer) within(q *Query, stanza *config.Stanza) *Query {
	if stanza == q.Match.Zone.Stanza {
		return q
	}
	there := &Query{Req: q.Req, Name: q.Name, Match: q.Match, Next: q.Next, From: q.From}
	there.who = told(q, stanza, a.locator(stanza).Client(a.client(q).Network))
	return there
}
