package healthroute

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

var firstZone = flag.Uint64("zone", 0, "TestAnswersOfFile begins with this made-up zone")

// madeUpZones is how many of them it compares.
const madeUpZones = 30

// comparison is one question and what file says to it.
type comparison struct {
	zone  staticZone
	name  string // in the question's letter case
	qtype uint16
	file  *dns.Msg
	model *dns.Msg // what RFC 1034 and RFC 4592 say; nil out of the zone
}

// differences are all that is not equal between an answer of file and ours for the same records, with the reasons. Each turns file's answer
// into ours. ARCHITECTURE.md tells them too.
var differences = []struct {
	reason  string
	applies func(comparison) bool
	ours    func(comparison) *dns.Msg
}{
	{
		"RFC 8482 section 4.1: ANY gets one RRset of the name; file looks for records of type ANY and says NODATA or follows a CNAME",
		func(c comparison) bool { return c.model != nil && c.qtype == dns.TypeANY },
		func(c comparison) *dns.Msg { return c.model },
	}, {
		"RFC 4592 section 3.3.1: a wildcard is for names whose closest encloser is its parent; file also takes it for empty non-terminals, " +
			"and below names that exist",
		func(c comparison) bool {
			return slices.ContainsFunc(c.names(), func(name string) bool { return c.zone.stopsWildcard(strings.ToLower(name)) })
		},
		func(c comparison) *dns.Msg { return c.model },
	}, {
		"CNAMEs in a circle: the chain until it closes; file repeats it up to nine times, or says SERVFAIL",
		func(c comparison) bool { return c.model != nil && owned(c.model.Answer, c.end()) },
		func(c comparison) *dns.Msg { return c.model },
	}, {
		"RFC 2308 section 2.2: a chain that ends in a name without the type has an SOA; file shows the NS of the zone as if there were data",
		func(c comparison) bool {
			return c.end() != "" && len(c.model.Ns) == 1 && c.model.Rcode == dns.RcodeSuccess && len(c.file.Ns) == 1 && isNS(c.file.Ns[0])
		},
		func(c comparison) *dns.Msg { return with(c.file, func(m *dns.Msg) { m.Ns = c.model.Ns }) },
	}, {
		"Negative answers are kept no longer than those of the group; file's have the TTL of the SOA",
		func(c comparison) bool {
			return c.model != nil && len(c.model.Ns) == 1 && c.model.Ns[0].Header().Ttl < staticTTL
		},
		func(c comparison) *dns.Msg {
			return with(c.file, func(m *dns.Msg) {
				soa := m.Ns[0].(*dns.SOA)
				soa.Minttl = c.model.Ns[0].Header().Ttl
				soa.Hdr.Ttl = soa.Minttl
			})
		},
	}, {
		"The owner has the letter case of the question, also without compression (report 10); file writes it in lower case",
		func(c comparison) bool { return len(c.file.Answer) > 0 && c.name != strings.ToLower(c.name) },
		func(c comparison) *dns.Msg {
			return with(c.file, func(m *dns.Msg) {
				for _, rr := range m.Answer {
					if strings.EqualFold(rr.Header().Name, c.name) {
						rr.Header().Name = c.name
					}
				}
			})
		},
	}, {
		"Nothing needless beside an answer; file adds the NS of the zone",
		func(c comparison) bool { return len(c.file.Answer) > 0 && len(c.file.Ns) == 1 && isNS(c.file.Ns[0]) },
		func(c comparison) *dns.Msg { return with(c.file, func(m *dns.Msg) { m.Ns = nil }) },
	},
}

func with(m *dns.Msg, change func(*dns.Msg)) *dns.Msg {
	m = m.Copy()
	change(m)
	return m
}

func isNS(rr dns.RR) bool { return rr.Header().Rrtype == dns.TypeNS }

// end is the name to which the answer leads that should come, if it ends in a CNAME.
func (c comparison) end() string {
	if c.model == nil || len(c.model.Answer) == 0 || c.qtype == dns.TypeCNAME {
		return ""
	}
	if alias, ok := c.model.Answer[len(c.model.Answer)-1].(*dns.CNAME); ok {
		return alias.Target
	}
	return ""
}

// names are those that are looked up on the way: the question's and the targets of CNAMEs.
func (c comparison) names() []string {
	if c.model == nil {
		return nil
	}
	names := []string{c.name}
	for _, rr := range c.model.Answer {
		if alias, ok := rr.(*dns.CNAME); ok && c.qtype != dns.TypeCNAME {
			names = append(names, alias.Target)
		}
	}
	return names
}

// stopsWildcard reports whether there is a wildcard further up than the closest encloser of the name, which must not answer for it.
func (z staticZone) stopsWildcard(name string) bool {
	if !dns.IsSubDomain(staticOrigin, name) || z[name] != nil {
		return false
	}
	encloser := name
	for !z.exists(encloser) {
		encloser = parent(encloser)
	}
	for encloser != staticOrigin {
		encloser = parent(encloser)
		if z.exists("*." + encloser) {
			return true
		}
	}
	return false
}

// TestAnswersOfFile holds our answers for static records against those of file for the same zone, and both against RFC 1034: code, AA, answer
// and authority, for all kinds of names and types.
func TestAnswersOfFile(t *testing.T) {
	seen := make([]int, len(differences))
	for seed := *firstZone; seed < *firstZone+madeUpZones; seed++ {
		t.Run(fmt.Sprint("zone ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			z := newStaticZone(rnd)
			ours := start(t, listening("example.org", stanza("nameserver ns1.example.net.", z.groups())))
			soa := ours.ask(staticOrigin, dns.TypeSOA).Answer[0].(*dns.SOA)
			ns := ours.ask(staticOrigin, dns.TypeNS).Answer[0]
			text := z.zoneFile(soa, ns)
			theirs := start(t, listening("example.org", zoneFile(t, "example.org", text)))
			queries := everyQuestion(z.asked(rnd))
			file, got := theirs.asks(queries), ours.asks(queries)
			for i, q := range queries {
				c := comparison{zone: z, name: q.Question[0].Name, qtype: q.Question[0].Qtype, file: file[i]}
				if dns.IsSubDomain(staticOrigin, strings.ToLower(c.name)) {
					c.model = z.answer(c.name, typeAnswered(got[i], c.qtype), soa, ns)
				}
				var because []string
				for i, d := range differences {
					if d.applies(c) {
						c.file = d.ours(c)
						because = append(because, d.reason)
						seen[i]++
					}
				}
				if want := replyOf(c.file); !replyOf(got[i]).equal(want) || c.model != nil && !want.equal(replyOf(c.model)) {
					t.Fatalf("Expected of zone %d:\n%s\nfor %s %s what file says:\n%v\nbut for: %s\ngot:\n%v\nand RFC 1034 says:\n%v",
						seed, text, c.name, dns.Type(c.qtype), file[i], strings.Join(because, "; "), got[i], c.model)
				}
			}
		})
	}
	for i, d := range differences {
		if seen[i] == 0 && !t.Failed() {
			t.Errorf("Expected this difference to be seen: %s", d.reason)
		}
	}
}

// comparedTypes are those that names have, that they lack, and that are none.
var comparedTypes = slices.Concat(staticTypes, []uint16{
	dns.TypeA, dns.TypeAAAA, dns.TypeCNAME, dns.TypeNS, dns.TypeSOA, dns.TypeDS, dns.TypeANY, 65281,
})

// everyQuestion asks for each type at each name.
func everyQuestion(names []string) []*dns.Msg {
	var queries []*dns.Msg
	for _, name := range names {
		for _, qtype := range comparedTypes {
			queries = append(queries, question(name, qtype))
		}
	}
	return queries
}

// typeAnswered is the type of which a query for ANY got the RRset; others get their own.
func typeAnswered(got *dns.Msg, qtype uint16) uint16 {
	if qtype == dns.TypeANY && len(got.Answer) > 0 {
		return got.Answer[0].Header().Rrtype
	}
	return qtype
}
