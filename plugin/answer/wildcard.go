package answer

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/route"
)

// stands reports whether a name that our wildcard covers is somebody else's: the next plugin has the very name, or an
// ancestor of it below the wildcard's parent, which stops the wildcard (RFC 4592 section 3.3.1). Then its answer stands.
func (a *Answerer) stands(ctx context.Context, q *Query, m route.Match) (Behind, bool) {
	b := Behind{Rcode: dns.RcodeNameError}
	if !a.taken.lacks(q.Name) {
		b = a.behind(ctx, q, q.Req)
		switch {
		case b.lacksName():
			a.taken.remember(q.Name, b)
		case !b.fails() || !a.taken.lacked(q.Name):
			return b, true
		}
	}
	if m.Ancestor == "" || a.taken.lacks(m.Ancestor) {
		return b, false
	}
	above := q.Next.Ask(ctx, question(q, m.Ancestor, q.qtype()))
	if above.lacksName() {
		a.taken.remember(m.Ancestor, above)
		return b, false
	}
	if above.fails() && a.taken.lacked(m.Ancestor) {
		return b, false
	}
	if above.Rcode != dns.RcodeSuccess && !above.answers() {
		return Behind{Rcode: dns.RcodeServerFailure, Err: above.Err}, true // a failure is no proof of either
	}
	if b.Msg == nil {
		b = a.behind(ctx, q, q.Req) // remembered as lacking, so its own words are gone
	}
	return b, true
}

// memory remembers the names that whoever stands behind us lacks, for as long as that answer may be kept.
//
// What it has from before a reload is asked for again, as whoever stands behind us may be another one, but stands where that fails.
type memory struct {
	now    func() time.Time
	names  *lru.Cache[string, time.Time] // until when
	before *lru.Cache[string, time.Time] // the same from before a reload
}

// memorySize bounds the memory: askers choose the names below a wildcard.
const memorySize = 10_000

// shortMemory is for answers that do not say how long they hold.
const shortMemory = 5 * time.Second

func newMemory(now func() time.Time) *memory {
	return &memory{now: now, names: newNameCache(), before: newNameCache()}
}

func newNameCache() *lru.Cache[string, time.Time] {
	names, err := lru.New[string, time.Time](memorySize)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return names
}

// inherit takes over what an earlier one knows.
func (m *memory) inherit(old *memory) {
	for _, names := range []*lru.Cache[string, time.Time]{old.before, old.names} {
		for _, name := range names.Keys() { // oldest first
			if until, ok := names.Peek(name); ok && m.now().Before(until) {
				m.before.Add(name, until)
			}
		}
	}
}

func (m *memory) lacks(name string) bool { return m.holds(m.names, name) }

// lacked reports whether the name was lacking before a reload, by an answer that may still be kept.
func (m *memory) lacked(name string) bool { return m.holds(m.before, name) }

func (m *memory) holds(names *lru.Cache[string, time.Time], name string) bool {
	until, ok := names.Get(name)
	return ok && m.now().Before(until)
}

func (m *memory) remember(name string, b Behind) {
	keep := shortMemory
	if b.Msg != nil {
		for _, rr := range b.Msg.Ns {
			if soa, ok := rr.(*dns.SOA); ok {
				keep = time.Duration(min(soa.Hdr.Ttl, soa.Minttl)) * time.Second
			}
		}
	}
	m.names.Add(name, m.now().Add(keep))
}
