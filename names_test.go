package healthroute

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/miekg/dns"
)

// TestAliasName answers with what a name stands for behind us, follows it, keeps it over a reload and when nobody answers any more.
func TestAliasName(t *testing.T) {
	zone := func(address string) []byte {
		return []byte("$ORIGIN example.net.\n@ 60 IN SOA ns hostmaster 1 3600 600 86400 1\nlb 1 IN A " + address + "\nlb 1 IN AAAA 2001:db8::1\n")
	}
	file := filepath.Join(t.TempDir(), "db.example.net")
	replace(t, file, zone("192.0.2.1"))
	behind := start(t, listening("example.net", "file "+file+" {\nreload 0\n}"))
	front := func(option string) string {
		return listening("example.org", stanza("ttl 20s", "group www failover {\nalias name lb.example.net. primary\nrecord 192.0.2.9 secondary disabled\n"+option+"\n}"),
			"forward . "+behind.address("udp"))
	}
	s := start(t, front(""))
	eventually(t, "the name's address", func() bool { return len(s.ask("www.example.org.", dns.TypeA).Answer) == 1 })
	r := s.ask("www.example.org.", dns.TypeA)
	expectData(t, r, "192.0.2.1")
	if ttl := r.Answer[0].Header().Ttl; ttl > 1 {
		t.Errorf("Expected the name's TTL of 1 s, got %d", ttl)
	}
	eventually(t, "the other family", func() bool { return len(s.ask("www.example.org.", dns.TypeAAAA).Answer) == 1 })
	expectData(t, s.ask("www.example.org.", dns.TypeAAAA), "2001:db8::1")

	s.mustReload(front("last_resort all"))
	expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.1") // at once: the reload has handed it on

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s.mustReload(listening("example.org", stanza("group www simple {\nalias name lb.example.net.\n}"), "template IN ANY example.net {\nrcode SERVFAIL\n}"))
	expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.1")

	s.mustReload(listening("example.org", stanza("group www simple {\nalias name lb.example.net.\n}"), "template IN ANY example.net {\nrcode NXDOMAIN\n}"))
	eventually(t, "the name to be gone", func() bool { return len(s.ask("www.example.org.", dns.TypeA).Answer) == 0 })
	expectNegative(t, s.ask("www.example.org.", dns.TypeA), dns.RcodeSuccess, "example.org.", 30)
}

// TestAliasNameUnknown says SERVFAIL, and is not ready, while nobody can say what the name stands for: NODATA would be a lie.
func TestAliasNameUnknown(t *testing.T) {
	s := start(t, listening("example.org", stanza("group www simple {\nalias name lb.example.net.\n}"), "template IN ANY example.net {\nrcode SERVFAIL\n}"))
	if r := s.ask("www.example.org.", dns.TypeA); r.Rcode != dns.RcodeServerFailure {
		t.Errorf("Expected SERVFAIL, got %s", dns.RcodeToString[r.Rcode])
	}
	if (&Handler{}).Ready() {
		t.Error("Expected not to be ready before the name is known, got ready")
	}
}

// TestAutoBehind: zones of *auto* have what is not ours, as those of *file* do.
func TestAutoBehind(t *testing.T) {
	dir := t.TempDir()
	replace(t, filepath.Join(dir, "db.example.org"), []byte(zoneText))
	s := start(t, listening("example.org", stanza(groupOf("weighted", "www", "", "192.0.2.1"), groupOf("simple", "*.wild", "", "192.0.2.2"),
		"group @ simple {\nrecord CAA \"0 issue \\\"ca.example.net\\\"\"\n}"), "auto {\ndirectory "+dir+"\nreload 1h\n}"))
	expectData(t, s.ask("WWW.example.org.", dns.TypeA), "192.0.2.1")
	expectData(t, s.ask("new.wild.example.org.", dns.TypeA), "192.0.2.2")
	expectData(t, s.ask("theirs.wild.example.org.", dns.TypeA), "198.51.100.90")
	expectData(t, s.ask("plain.example.org.", dns.TypeA), "198.51.100.80")
	expectData(t, s.ask("example.org.", dns.TypeMX), "10 mail.example.org.")
	expectData(t, s.ask("example.org.", dns.TypeCAA), `0 issue "ca.example.net"`)
	expectNegative(t, s.ask("www.example.org.", dns.TypeTXT), dns.RcodeSuccess, "example.org.", 30)
	expectNegative(t, s.ask("gone.example.org.", dns.TypeA), dns.RcodeNameError, "example.org.", 3600)
}
