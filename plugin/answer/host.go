package answer

import (
	"context"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
)

// hosts are the hosts that the records of one reply name and that groups of ours have addresses for. What is chosen for a host is chosen
// once, so that all parts of the reply agree.
type hosts []*host

// host is a name in the data of records, as our groups see it at the instant of the reply.
type host struct {
	name    string // lower case
	zone    *route.Zone
	view    *route.View // nil: no group of ours has addresses for it
	choices []chosen
}

// chosen is what a set of the host has picked. Where records are chosen as wholes, both families have one set.
type chosen struct {
	set    *route.Set
	choice route.Choice
	side   *Result // the choice's part in TTL and scope
}

// host looks a host up; cut is whether names below a cut are wanted, whose addresses are glue.
func (a *Answerer) host(ctx context.Context, q *Query, res *Result, name string, cut bool) *host {
	lower := strings.ToLower(name)
	for _, h := range res.hosts {
		if h.name == lower {
			return h
		}
	}
	h := &host{name: lower}
	res.hosts = append(res.hosts, h)
	m := a.table.Find(lower)
	e := m.Entry
	if m.Wildcard != nil {
		step := &Query{Req: question(q, name, dns.TypeA), Name: lower, Next: q.Next}
		if _, stands := a.stands(ctx, step, m); !stands {
			e = m.Wildcard
		}
	}
	if e == nil || m.Cut != nil && !cut {
		return h
	}
	if g := e.Member(dns.TypeA); g != nil { // who has one family has both
		h.zone, h.view = m.Zone, g.View()
	}
	return h
}

// addresses returns the records that a query for the host and family would get now, under the name as given, and how much of the client decided that. There
// are none where the host has none to give, or leads on to another name.
func (a *Answerer) addresses(q *Query, h *host, name string, family uint16) (rrs []dns.RR, scope int) {
	if h.view == nil {
		return nil, 0
	}
	set := h.view.Set(family)
	if set == nil {
		return nil, 0
	}
	c := h.pick(a, a.within(q, h.zone.Stanza), set, family)
	rrs = a.records(c.side, name, h.zone.Name, c.choice, family)
	if len(rrs) > 0 && rrs[0].Header().Rrtype != family {
		rrs = nil // a CNAME
	}
	return rrs, c.side.Scope
}

// pick chooses from a set of the host, or returns what was chosen before.
func (h *host) pick(a *Answerer, q *Query, set *route.Set, family uint16) chosen {
	for _, c := range h.choices {
		if c.set == set {
			return c
		}
	}
	c := chosen{set: set, side: &Result{}}
	c.choice = a.pick(q, c.side, set, family)
	h.choices = append(h.choices, c)
	return c
}

// serviceHost is the host that a client of the record asks for next; "" if that is none, or for the client to find out by itself.
func serviceHost(rr dns.RR) string {
	switch rr.Header().Rrtype {
	case dns.TypeNS, dns.TypeMX, dns.TypeSRV, dns.TypeSVCB, dns.TypeHTTPS:
		name, _ := config.HostOf(rr, rr.Header().Name)
		return name
	}
	return ""
}
