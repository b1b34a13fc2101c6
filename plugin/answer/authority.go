package answer

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/route"
)

// authority knows the SOA and NS of one zone (rule 6): ours if the zone has a nameserver, else what the next plugin
// says, else made up.
type authority struct {
	zone *route.Zone
	soa  *dns.SOA // ours, or the made-up one
	ns   []dns.RR // empty without a nameserver
	now  func() time.Time

	learning sync.Mutex // held by the one query that asks the next plugin
	mu       sync.Mutex
	learned  *dns.SOA  // guarded by mu: the next plugin's; nil if it has none
	until    time.Time // guarded by mu: when to ask again
}

// Figures of an SOA that we make; nobody transfers the zone, so only the negative TTL matters.
const (
	soaRefresh = 7200
	soaRetry   = 1800
	soaExpire  = 86400
)

// retryAuthority is how long we do with a made-up SOA before we ask the next plugin again.
const retryAuthority = 10 * time.Second

func newAuthority(z *route.Zone, serial uint32, now func() time.Time) *authority {
	a := &authority{zone: z, now: now}
	ttl := uint32(z.Stanza.TTL.Seconds())
	header := func(t uint16) dns.RR_Header {
		return dns.RR_Header{Name: z.Name, Rrtype: t, Class: dns.ClassINET, Ttl: ttl}
	}
	below := func(label string) string { return label + "." + strings.TrimPrefix(z.Name, ".") }
	a.soa = &dns.SOA{
		Hdr: header(dns.TypeSOA), Ns: below("ns"), Mbox: below("hostmaster"),
		Serial: serial, Refresh: soaRefresh, Retry: soaRetry, Expire: soaExpire, Minttl: ttl,
	}
	for i, server := range z.Stanza.Nameservers {
		if i == 0 {
			a.soa.Ns = server.Name
		}
		a.ns = append(a.ns, &dns.NS{Hdr: header(dns.TypeNS), Ns: server.Name})
	}
	return a
}

// served reports whether we are the zone's authority ourselves.
func (a *authority) served() bool { return len(a.ns) > 0 }

// apex returns our SOA or NS for a query at the apex, or nil if that is not ours to answer.
func (a *authority) apex(name string, qtype uint16) []dns.RR {
	if !a.served() || name != a.zone.Name {
		return nil
	}
	switch qtype {
	case dns.TypeSOA:
		return []dns.RR{a.soa}
	case dns.TypeNS:
		return a.ns
	}
	return nil
}

// negative completes a reply without an answer: the SOA of the zone, which lives no longer than ttl and lets the answer
// live no longer.
func (a *Answerer) negative(ctx context.Context, q *Query, msg *dns.Msg, zone *route.Zone, ttl uint32) {
	msg.Ns = []dns.RR{limited(a.zones[zone].current(ctx, q), ttl)}
}

// limited is a copy of an SOA that lives no longer than ttl and lets a negative answer live no longer.
func limited(soa *dns.SOA, ttl uint32) *dns.SOA {
	out := *soa
	out.Minttl = min(out.Minttl, ttl)
	out.Hdr.Ttl = min(out.Hdr.Ttl, out.Minttl)
	return &out
}

// current returns the SOA to use now. Only one query at a time asks the next plugin; the others take what was known, or wait for the
// very first word.
func (a *authority) current(ctx context.Context, q *Query) *dns.SOA {
	if a.served() {
		return a.soa
	}
	soa, until := a.known()
	switch {
	case until.IsZero():
		a.learning.Lock()
		defer a.learning.Unlock()
		if soa, until = a.known(); until.IsZero() {
			soa = a.learn(ctx, q)
		}
	case !a.now().Before(until) && a.learning.TryLock():
		defer a.learning.Unlock()
		soa = a.learn(ctx, q)
	}
	if soa == nil {
		return a.soa
	}
	return soa
}

// known returns what was learned, nil if the next plugin has no SOA, and until when that holds, zero before the first word.
func (a *authority) known() (*dns.SOA, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.learned, a.until
}

// inherit takes over what an earlier one has learned; it is asked for again at once, as whoever stands behind us may be another one.
func (a *authority) inherit(old *authority) {
	soa, _ := old.known()
	if soa == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.learned, a.until = soa, a.now()
}

// learn asks the next plugin for the zone's SOA and keeps it for its TTL; a failure to say does not undo what was known.
func (a *authority) learn(ctx context.Context, q *Query) *dns.SOA {
	b := q.Next.Ask(ctx, question(q, a.zone.Name, dns.TypeSOA))
	var found *dns.SOA
	keep := retryAuthority
	if b.Msg != nil && b.Rcode == dns.RcodeSuccess {
		for _, rr := range b.Msg.Answer {
			if soa, ok := rr.(*dns.SOA); ok && strings.EqualFold(soa.Hdr.Name, a.zone.Name) {
				found = dns.Copy(soa).(*dns.SOA)
				keep = time.Duration(soa.Hdr.Ttl) * time.Second
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if found != nil || b.Rcode != dns.RcodeServerFailure {
		a.learned = found
	}
	a.until = a.now().Add(keep)
	return a.learned
}
