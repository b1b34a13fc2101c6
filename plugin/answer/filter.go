package answer

import (
	"context"
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
)

// Filtered is what a filter did to what whoever stands behind us answered (spec 4.14).
type Filtered struct {
	Filter     *route.Filter
	Gone       []netip.Addr // addresses and address hints that were taken out
	Signed     int          // records that are not usable and stay, as their RRset is signed
	Unchecked  int          // addresses that stay unchecked, as the filter is full
	LastResort bool         // there is an RRset in which nothing is usable

	name string // that whoever stands behind us was asked for
}

// behind asks whoever stands behind us. The filter of the name asked for, if there is one, has its say: every answer of ours that holds anything of
// theirs comes through here.
func (a *Answerer) behind(ctx context.Context, q *Query, req *dns.Msg) Behind {
	b := q.Next.Ask(ctx, req)
	if b.Msg == nil {
		return b
	}
	name := strings.ToLower(req.Question[0].Name)
	if f := a.table.FilterOf(name); f != nil {
		return a.filter(ctx, q, b, f, name)
	}
	return b
}

// pass leaves the query to whoever stands behind us, be it under the eye of a filter.
func (a *Answerer) pass(ctx context.Context, q *Query) Result {
	f := q.Match.Zone.FilterOf(q.Name)
	if f == nil {
		return Result{Pass: true}
	}
	b := q.Next.Ask(ctx, q.Req)
	switch {
	case b.Nobody:
		return Result{Pass: true}
	case b.Msg == nil:
		return relay(b)
	}
	return relay(a.filter(ctx, q, b, f, q.Name))
}

// filter lets a filter have its say on an answer for the name.
func (a *Answerer) filter(ctx context.Context, q *Query, b Behind, f *route.Filter, name string) Behind {
	now := a.now()
	did := &Filtered{Filter: f, name: name}
	s := sieve{ttl: f.TTL, none: f.Config.LastResort == config.LastResortNone, usable: func(address netip.Addr) bool {
		usable, checked := f.Meet(address, now)
		if !checked {
			did.Unchecked++
		}
		return usable
	}}
	b.Msg = s.reply(b.Msg, name)
	did.Gone, did.Signed, did.LastResort = s.gone, s.signed, s.lastResort
	if s.emptied != "" {
		a.deny(ctx, q, b.Msg, s.emptied, f.TTL)
	}
	b.filtered = did
	return b
}

// deny makes a reply that has lost its answer say that there is none: with the SOA of the name's zone, if that can be had, and nothing else
// beside it that could be taken for a referral.
func (a *Answerer) deny(ctx context.Context, q *Query, msg *dns.Msg, name string, ttl uint32) {
	msg.Ns = nil
	if soa := a.soaOf(ctx, q, name); soa != nil {
		msg.Ns = []dns.RR{limited(soa, ttl)}
	}
	var rest []dns.RR
	for _, rr := range msg.Extra {
		switch rr.Header().Rrtype {
		case dns.TypeOPT, dns.TypeTSIG, dns.TypeSIG:
			rest = append(rest, rr)
		}
	}
	msg.Extra = rest
}

// soaOf returns the SOA of the zone that holds the name: ours if we are its authority, else the one that whoever stands behind us shows for the
// name; nil if there is none.
func (a *Answerer) soaOf(ctx context.Context, q *Query, name string) *dns.SOA {
	lower := strings.ToLower(name)
	if m := a.table.Find(lower); m.Zone != nil && a.zones[m.Zone].served() {
		return a.zones[m.Zone].soa
	}
	b := q.Next.Ask(ctx, question(q, name, dns.TypeSOA))
	if b.Msg == nil || b.Rcode != dns.RcodeSuccess {
		return nil
	}
	for _, section := range [][]dns.RR{b.Msg.Answer, b.Msg.Ns} {
		for _, rr := range section {
			if soa, ok := rr.(*dns.SOA); ok && config.IsBelow(lower, strings.ToLower(soa.Hdr.Name)) {
				return soa
			}
		}
	}
	return nil
}
