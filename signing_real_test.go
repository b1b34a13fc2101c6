//go:build ci && unix

package healthroute

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/coredns/coredns/plugin/dnssec"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
)

// The tests of this file need *dnssec*, which brings the SDK of a cloud: `.ci/run full` runs them.

// newKey writes the key of a zone as *dnssec* reads it, and returns it with the name of its files.
func newKey(t *testing.T, zone string) (*dns.DNSKEY, string) {
	t.Helper()
	key := &dns.DNSKEY{
		Hdr:   dns.RR_Header{Name: zone, Rrtype: dns.TypeDNSKEY, Class: dns.ClassINET, Ttl: 3600},
		Flags: 257, Protocol: 3, Algorithm: dns.ECDSAP256SHA256,
	}
	private, err := key.Generate(256)
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(t.TempDir(), fmt.Sprintf("K%s+%03d+%05d", zone, key.Algorithm, key.KeyTag()))
	for suffix, text := range map[string]string{".key": key.String() + "\n", ".private": key.PrivateKeyString(private)} {
		if err := os.WriteFile(base+suffix, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return key, base
}

// expectSigned fails unless each RRset of the reply in the key's zone, but name servers of a child, has one signature, which is good, and no signature
// stands alone.
func expectSigned(t *testing.T, key *dns.DNSKEY, reply *dns.Msg) {
	t.Helper()
	for _, section := range [][]dns.RR{reply.Answer, reply.Ns, reply.Extra} {
		var sigs []*dns.RRSIG
		sets := map[string][]dns.RR{}
		of := func(name string, qtype uint16) string { return strings.ToLower(name) + " " + dns.Type(qtype).String() }
		for _, rr := range section {
			h := rr.Header()
			if sig, ok := rr.(*dns.RRSIG); ok {
				sigs = append(sigs, sig)
				continue
			}
			if h.Rrtype != dns.TypeOPT && dns.IsSubDomain(key.Hdr.Name, h.Name) && (h.Rrtype != dns.TypeNS || reply.Authoritative) {
				sets[of(h.Name, h.Rrtype)] = append(sets[of(h.Name, h.Rrtype)], rr)
			}
		}
		for _, sig := range sigs {
			set := sets[of(sig.Hdr.Name, sig.TypeCovered)]
			if len(set) == 0 {
				t.Errorf("Expected records with each signature, and each signature once, got %s in\n%s", sig, reply)
				continue
			}
			if err := sig.Verify(key, set); err != nil || !sig.ValidityPeriod(time.Now()) {
				t.Errorf("Expected a good signature, got %s: %v", sig, err)
			}
			delete(sets, of(sig.Hdr.Name, sig.TypeCovered))
		}
		for set := range sets {
			if !slices.ContainsFunc(reply.Extra, func(rr dns.RR) bool { return of(rr.Header().Name, rr.Header().Rrtype) == set && !reply.Authoritative }) {
				t.Errorf("Expected a signature of %s in\n%s", set, reply)
			}
		}
	}
}

// wantSigned makes a question want signatures.
func wantSigned(m *dns.Msg) { m.SetEdns0(4096, true) }

// records are those that sign nothing.
func records(rrs []dns.RR) []dns.RR {
	return slices.DeleteFunc(slices.Clone(rrs), func(rr dns.RR) bool { return rr.Header().Rrtype == dns.TypeRRSIG })
}

// TestRealDNSSEC: what we answer, whatever part of it comes from behind us, is signed by the block's *dnssec* for those who want that, and answered
// as to all others.
func TestRealDNSSEC(t *testing.T) {
	up := newBackend(t, "127.0.0.11", "0")
	newBackend(t, "127.0.0.12", up.Port)
	key, files := newKey(t, "example.org.")
	zone := zoneFile(t, "example.org", zoneText+`
static A 127.0.0.11
static A 127.0.0.12
chain CNAME static
some.wide A 192.0.2.203
child NS ns.child
ns.child A 192.0.2.204
`)
	s := start(t, listening("example.org", zone, "dnssec {\nkey file "+files+"\n}", stanza(dead,
		groupOf("weighted", "www", "", "192.0.2.1", "192.0.2.2"), groupOf("multivalue", "many", "", "192.0.2.1", "192.0.2.2", "192.0.2.3"),
		"group gone simple {\nlast_resort none\nprobe dead\nrecord 192.0.2.4\n}", "group out simple {\nrecord CNAME static.example.org.\n}",
		groupOf("simple", "*.wide", "", "192.0.2.5"),
		"probe seen tcp {\nport "+up.Port+"\ninterval 1h\n}", "filter static {\nprobe seen\n}")))
	nothing := make([]string, 0)
	for _, c := range []struct {
		name   string
		qtype  uint16
		answer []string // nil: any
	}{
		{"www", dns.TypeA, nil}, {"many", dns.TypeA, []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"}}, {"many", dns.TypeAAAA, nothing}, {"gone", dns.TypeA, nothing},
		{"x.wide", dns.TypeA, []string{"192.0.2.5"}}, {"some.wide", dns.TypeA, []string{"192.0.2.203"}}, {"static", dns.TypeA, []string{"127.0.0.11", "127.0.0.12"}},
		{"chain", dns.TypeA, nil}, {"out", dns.TypeA, nil}, {"nobody", dns.TypeA, nothing}, {"many", dns.TypeTXT, nothing}, {"child", dns.TypeA, nothing}, {"@", dns.TypeDNSKEY, nil},
	} {
		t.Run(c.name+" "+dns.Type(c.qtype).String(), func(t *testing.T) {
			name := strings.TrimPrefix(c.name+".example.org.", "@.")
			for range 5 {
				reply := s.ask(name, c.qtype, wantSigned)
				expectSigned(t, key, reply)
				if got := data(records(reply.Answer)); c.answer != nil && !slices.Equal(got, c.answer) {
					t.Errorf("Expected %v, got %v", c.answer, got)
				}
			}
			plain := s.ask(name, c.qtype)
			for _, rr := range slices.Concat(plain.Answer, plain.Ns) {
				if rr.Header().Rrtype == dns.TypeRRSIG {
					t.Errorf("Expected nothing signed without DO, got %s", rr)
				}
			}
		})
	}
	settle(t, filterOf(t), health.Healthy, "127.0.0.11")
	settle(t, filterOf(t), health.Unhealthy, "127.0.0.12")
	reply := s.ask("static.example.org.", dns.TypeA, wantSigned)
	expectSigned(t, key, reply)
	if got := data(records(reply.Answer)); !slices.Equal(got, []string{"127.0.0.11"}) {
		t.Errorf("Expected a filter to see what is signed here, got %v", got)
	}
}

// TestRealValidator: a resolver that holds the zone's key believes what we answer, positive, negative and in chains.
func TestRealValidator(t *testing.T) {
	key, files := newKey(t, "example.org.")
	port := commonPort(t)
	start(t, "example.org:"+port+" {\nbind "+ourAddress+"\n"+zoneFile(t, "example.org", zoneText+"out A 192.0.2.200\n")+"\ndnssec {\nkey file "+files+"\n}\n"+stanza(dead,
		groupOf("weighted", "www", "", "192.0.2.1", "192.0.2.2"), groupOf("multivalue", "many", "", "192.0.2.1", "192.0.2.2", "192.0.2.3"),
		"group gone simple {\nlast_resort none\nprobe dead\nrecord 192.0.2.4\n}", "group chain simple {\nrecord CNAME out.example.org.\n}",
		groupOf("simple", "*.wide", "", "192.0.2.5"))+"\n}\n")
	startUnbound(t, port, folderForAll(t), `  module-config: "validator iterator"
  trust-anchor: "`+strings.ReplaceAll(key.String(), "\t", " ")+`"
  cache-max-ttl: 0
`)
	ask := func(name string, qtype uint16) (*dns.Msg, error) {
		m := question(name+".example.org.", qtype)
		wantSigned(m)
		r, _, err := (&dns.Client{Timeout: patience}).Exchange(m, net.JoinHostPort(resolverAddress, port))
		return r, err
	}
	eventually(t, "the resolver to answer", func() bool { r, err := ask("many", dns.TypeA); return err == nil && len(r.Answer) > 0 })
	for _, c := range []struct {
		name    string
		qtype   uint16
		records int
	}{
		{"www", dns.TypeA, 1}, {"many", dns.TypeA, 3}, {"many", dns.TypeAAAA, 0}, {"gone", dns.TypeA, 0}, {"chain", dns.TypeA, 2}, {"any.wide", dns.TypeA, 1},
		{"any.wide", dns.TypeTXT, 0}, {"plain", dns.TypeA, 1}, {"nobody", dns.TypeA, 0},
	} {
		for range 3 {
			r, err := ask(c.name, c.qtype)
			if err != nil || r.Rcode != dns.RcodeSuccess || !r.AuthenticatedData || len(records(r.Answer)) != c.records {
				t.Errorf("Expected %d records of %s %s that the resolver believes, got %v\n%s", c.records, c.name, dns.Type(c.qtype), err, r)
				break
			}
		}
	}
}
