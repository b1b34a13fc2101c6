package answer

import (
	"net/netip"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// client is who asks, and what the query's client subnet option means for the reply.
type client struct {
	locate.Client
	subnet locate.Subnet
}

// client returns who asks. It is found out once, and only where it matters.
func (a *Answerer) client(q *Query) *client {
	if q.who != nil {
		return q.who
	}
	source := netip.IPv6Unspecified()
	if q.From != nil {
		source = q.From.Source()
	}
	stanza := q.Match.Zone.Stanza
	c := &client{}
	c.Client, c.subnet = locate.ClientOf(q.Req, source, stanza.ECS, a.locator(stanza))
	c.Client = told(q, stanza, c.Client)
	q.who = c
	return c
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
	there.who = &client{Client: told(q, stanza, a.locator(stanza).Client(a.client(q).Network))}
	return there
}

// bySubnet reports whether the query's EDNS Client Subnet option says where the client is, as far as anything has asked so far.
func (q *Query) bySubnet() bool {
	if q.who == nil {
		return false
	}
	option := q.who.subnet.Reply(0)
	return option != nil && option.SourceNetmask > 0
}

// asker is the query as that of whoever has sent it, whatever it says of a client's subnet: what a resolver uses for all its clients is chosen
// for the resolver (RFC 7871 section 7.4).
func (a *Answerer) asker(q *Query) *Query {
	if !q.bySubnet() {
		return q
	}
	source := q.From.Source().Unmap().WithZone("")
	stanza := q.Match.Zone.Stanza
	own := &Query{Req: q.Req, Name: q.Name, Match: q.Match, Next: q.Next, From: q.From}
	own.who = &client{Client: told(q, stanza, a.locator(stanza).Client(netip.PrefixFrom(source, source.BitLen())))}
	return own
}
