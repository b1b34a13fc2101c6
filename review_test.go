package healthroute

import (
	"testing"

	"github.com/miekg/dns"
)

// TestApexAboveOurNames exists, because names of ours stand below it: the next plugin's NXDOMAIN would deny them all (RFC 8020).
func TestApexAboveOurNames(t *testing.T) {
	s := start(t, listening("example.org", stanzaOf("app.example.org", groupOf("simple", "b", "", "192.0.2.1")),
		"template ANY ANY {\nrcode NXDOMAIN\nauthority \"example.org. 60 IN SOA ns hostmaster 7 7200 900 1209600 60\"\n}"))
	expectData(t, s.ask("b.app.example.org.", dns.TypeA), "192.0.2.1")
	for _, qtype := range []uint16{dns.TypeA, dns.TypeMX} {
		expectNegative(t, s.ask("app.example.org.", qtype), dns.RcodeSuccess, "app.example.org.", 30)
	}
}

// TestAncestorThatFails proves neither that a wildcard applies nor that it does not.
func TestAncestorThatFails(t *testing.T) {
	s := start(t, listening("example.org", stanza(groupOf("simple", "*.wild", "", "192.0.2.1")),
		"template ANY ANY {\nmatch ^b\\.wild\\.\nrcode SERVFAIL\nfallthrough\n}",
		"template ANY ANY {\nrcode NXDOMAIN\n}"))
	if r := s.ask("a.b.wild.example.org.", dns.TypeA); r.Rcode != dns.RcodeServerFailure {
		t.Errorf("Expected SERVFAIL while nobody can say whether b.wild exists, got:\n%v", r)
	}
	expectData(t, s.ask("a.c.wild.example.org.", dns.TypeA), "192.0.2.1")
}

// TestANYFindsWhatIsThere passes over a group that has nothing left.
func TestANYFindsWhatIsThere(t *testing.T) {
	s := start(t, listening("example.org", stanza(dead, groupOf("simple", "www", "probe dead\nlast_resort none", "192.0.2.1"),
		"group www simple {\nrecord TXT hello\n}")))
	if r := s.ask("www.example.org.", dns.TypeANY); len(r.Answer) != 1 || r.Answer[0].Header().Rrtype != dns.TypeTXT {
		t.Errorf("Expected the TXT, got:\n%v", r)
	}
}

// TestOtherTypesAtTheEndOfAChain keeps the next plugin's types out where the stanza says so.
func TestOtherTypesAtTheEndOfAChain(t *testing.T) {
	s := start(t, listening("example.org",
		stanza("other_types nodata", groupOf("simple", "www", "", "192.0.2.1"), "group alias simple {\nrecord CNAME www\n}"),
		"template IN MX example.org {\nanswer \"{{ .Name }} 60 IN MX 10 mail\"\n}"))
	r := s.ask("alias.example.org.", dns.TypeMX)
	if len(r.Answer) != 1 || r.Answer[0].Header().Rrtype != dns.TypeCNAME || len(r.Ns) != 1 {
		t.Errorf("Expected the CNAME alone and an SOA, got:\n%v", r)
	}
}

// TestUnresolvedNames are no data that lacks, wherever the answer leads to them: nobody knows yet.
func TestUnresolvedNames(t *testing.T) {
	s := start(t, listening("example.org", stanza("group far simple {\nalias name far.example.net\n}", groupOf("simple", "chain", "", "CNAME far"),
		"group nested simple {\nalias far\n}", "group sorry simple {\nlast_resort alias far\nrecord 192.0.2.1 disabled\n}")))
	for _, name := range []string{"far", "chain", "nested", "sorry"} {
		if r := s.ask(name+".example.org.", dns.TypeA); r.Rcode != dns.RcodeServerFailure {
			t.Errorf("Expected SERVFAIL while the name is not resolved, got:\n%v", r)
		}
	}
}
