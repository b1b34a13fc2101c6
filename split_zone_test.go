package healthroute

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// TestZoneSharedWithFile divides the names of made-up zones between us and a file behind us: together we answer as RFC 1034 and RFC 4592 say of the
// whole. The wildcards are ours, since a wildcard of the file does not know which names only we have.
func TestZoneSharedWithFile(t *testing.T) {
	soa, ns := &dns.SOA{
		Hdr: dns.RR_Header{Name: staticOrigin, Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: staticTTL},
		Ns:  "ns1.example.net.", Mbox: "hostmaster.example.net.", Serial: 1, Refresh: 7200, Retry: 1800, Expire: 86400, Minttl: staticTTL,
	}, &dns.NS{Hdr: dns.RR_Header{Name: staticOrigin, Rrtype: dns.TypeNS, Class: dns.ClassINET, Ttl: staticTTL}, Ns: "ns1.example.net."}
	for seed := *firstZone; seed < *firstZone+madeUpZones/2; seed++ {
		t.Run(fmt.Sprint("zone ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			whole, ours, theirs := newStaticZone(rnd), staticZone{}, staticZone{}
			for _, name := range whole.owners() {
				part := ours
				if rnd.IntN(2) == 0 && !strings.Contains(name, "*") {
					part = theirs
				}
				part[name] = whole[name]
			}
			circle := func(name string) bool {
				c := comparison{qtype: dns.TypeA, model: whole.answer(name, dns.TypeA, soa, ns)}
				return owned(c.model.Answer, c.end())
			}
			if len(ours) == 0 || slices.ContainsFunc(theirs.owners(), circle) {
				return // file says SERVFAIL of its circles, which proves nothing to us
			}
			s := start(t, listening("example.org", stanza(ours.groups()), zoneFile(t, "example.org", theirs.zoneFile(soa, ns))))
			queries := everyQuestion(whole.asked(rnd))
			for i, r := range s.asks(queries) {
				name, qtype := queries[i].Question[0].Name, queries[i].Question[0].Qtype
				if !dns.IsSubDomain(staticOrigin, strings.ToLower(name)) {
					continue
				}
				c := comparison{zone: whole, name: name, qtype: qtype, model: whole.answer(name, qtype, soa, ns)}
				if qtype == dns.TypeANY || owned(c.model.Answer, c.end()) {
					continue // where file differs from the RFCs (differences)
				}
				want, got := replyOf(c.model), replyOf(r)
				if want.rcode != got.rcode || !got.aa || !slices.Equal(inLowerCase(want.answer), inLowerCase(got.answer)) {
					t.Fatalf("Expected of zone %d with these names of ours: %q, and of the file: %q\n%v\nfor %s %s, got:\n%v",
						seed, ours.owners(), theirs.owners(), want, name, dns.Type(qtype), got)
				}
			}
		})
	}
}

func inLowerCase(texts []string) []string {
	var lower []string
	for _, text := range texts {
		lower = append(lower, strings.ToLower(text))
	}
	slices.Sort(lower)
	return lower
}
