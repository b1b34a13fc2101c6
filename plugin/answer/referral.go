package answer

import (
	"context"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
)

// match is what the table knows of a name that is asked for with the type.
func (a *Answerer) match(name string, qtype uint16) route.Match {
	m := a.table.Find(name)
	if qtype == dns.TypeDS {
		return a.table.Above(name, m)
	}
	return m
}

// isCut reports whether another authority answers for the name and the type: at a cut itself DS is still ours (RFC 4035 section 3.1.4.1).
func isCut(m route.Match, qtype uint16) bool {
	return m.Cut != nil && (m.Cut != m.Entry || qtype != dns.TypeDS)
}

// referral answers at and below a delegation of ours: with the name servers that are chosen, and their addresses (RFC 1034 section 4.3.2, step 3b). It is for
// the asker and all its clients, so that a client's subnet does not count.
func (a *Answerer) referral(ctx context.Context, q *Query, cut *route.Entry) Result {
	g := cut.Delegation()
	res := Result{Msg: newReply(q), Link: Link{Group: g}, Reason: "delegation"}
	owner := q.qname()[len(q.qname())-len(cut.Name):] // as asked for
	asker := a.asker(q)
	if set := g.View().Set(dns.TypeNS); set != nil {
		res.Link = Link{}
		choice := a.pick(asker, &res, set, dns.TypeNS)
		if count(choice, dns.TypeNS) > 0 {
			res.Msg.Ns = a.records(&res, owner, cut.Zone.Name, choice, dns.TypeNS)
		}
	}
	res.Scope = 0
	if len(res.Msg.Ns) == 0 { // nobody can tell what is there
		res.Reason, res.Msg.Rcode = "delegation without a usable name server", dns.RcodeServerFailure
		if g.LastResort == config.LastResortRefused {
			res.Msg.Rcode = dns.RcodeRefused
		}
		return res
	}
	res.Msg.Authoritative = false
	a.addAddresses(ctx, asker, &res, res.Msg.Ns, true)
	return res
}
