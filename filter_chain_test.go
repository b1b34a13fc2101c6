package healthroute

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/secondary"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// filteredZone has a service on two addresses, by name, alias and SRV.
const filteredZone = `$ORIGIN example.org.
$TTL 3600
@     IN SOA ns hostmaster 7 7200 1800 86400 1800
@     IN NS  ns
ns    IN A   127.0.0.53
www   IN A   127.0.0.11
www   IN A   127.0.0.12
alias IN CNAME www
text  IN TXT "hello"
_web._tcp IN SRV 1 1 80 one
_web._tcp IN SRV 1 1 80 two
one   IN A   127.0.0.11
two   IN A   127.0.0.12
`

// filterOf is the one filter of the newest instance.
func filterOf(t *testing.T) *route.Filter {
	t.Helper()
	all := running.all()
	for _, b := range all[len(all)-1].blocks {
		for _, f := range b.table.Filters() {
			return f
		}
	}
	t.Fatal("Expected a filter, got none")
	return nil
}

// TestFilterBehind filters whoever stands behind us, who decides whether his answer is authoritative.
func TestFilterBehind(t *testing.T) {
	u := newUpstream(t, net.IPv4(127, 0, 0, 11), net.IPv4(127, 0, 0, 12))
	primary := start(t, listening("example.org", zoneFile(t, "example.org", filteredZone), "transfer {\nto *\n}"))
	hosts := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(hosts, []byte("127.0.0.11 www.example.org\n127.0.0.12 www.example.org\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, lines   string
		authoritative bool
		soa           bool // is in reach
	}{
		{"file", zoneFile(t, "example.org", filteredZone), true, true},
		{"secondary", "secondary example.org {\ntransfer from " + primary.address("tcp") + "\n}", true, true},
		{"hosts", "hosts " + hosts + " {\nreload 0\n}", true, false},
		{"template", "template IN A example.org {\nanswer \"{{ .Name }} 3600 IN A 127.0.0.11\"\nanswer \"{{ .Name }} 3600 IN A 127.0.0.12\"\n}", true, false},
		{"forward", "forward . " + u.Address, false, false},                             // the upstream server's SOA is of another zone
		{"cache and forward", "cache\nforward . " + primary.address("udp"), true, true}, // which hands the primary's AA on
	} {
		for _, resort := range []string{"all", "none"} {
			t.Run(tc.name+" "+resort, func(t *testing.T) {
				s := start(t, listening("example.org", tc.lines, filterStanza("last_resort "+resort)))
				eventually(t, "both addresses", func() bool { return len(s.ask("www.example.org.", dns.TypeA).Answer) == 2 }) // a transfer takes its time
				authoritative := s.ask("www.example.org.", dns.TypeA).Authoritative
				settle(t, filterOf(t), health.Healthy, "127.0.0.11")
				settle(t, filterOf(t), health.Unhealthy, "127.0.0.12")
				r := s.ask("WWW.example.org.", dns.TypeA)
				expectData(t, r, "127.0.0.11")
				if r.Authoritative != authoritative || r.Authoritative && !tc.authoritative || r.Answer[0].Header().Ttl > 30 {
					t.Errorf("Expected AA as before and a TTL of 30 s at most, got:\n%v", r)
				}
				settle(t, filterOf(t), health.Unhealthy, "127.0.0.11")
				r = s.ask("www.example.org.", dns.TypeA)
				switch {
				case resort == "all":
					expectData(t, r, "127.0.0.11", "127.0.0.12")
				case tc.soa:
					expectNegative(t, r, dns.RcodeSuccess, "example.org.", 30)
				case r.Rcode != dns.RcodeSuccess || len(r.Answer)+len(r.Ns)+len(r.Extra) > 0:
					t.Errorf("Expected an empty answer, got:\n%v", r)
				}
			})
		}
	}
}

// TestFilterZone is chains, services and other types of a zone file behind us.
func TestFilterZone(t *testing.T) {
	s := start(t, listening("example.org", zoneFile(t, "example.org", filteredZone), filterStanza("")))
	s.ask("www.example.org.", dns.TypeA)
	settle(t, filterOf(t), health.Unhealthy, "127.0.0.11")
	settle(t, filterOf(t), health.Healthy, "127.0.0.12")
	expectData(t, s.ask("alias.example.org.", dns.TypeA), "www.example.org.", "127.0.0.12")
	r := s.ask("_web._tcp.example.org.", dns.TypeSRV)
	expectData(t, r, "1 1 80 two.example.org.")
	if got := data(r.Extra); len(got) != 1 || got[0] != "127.0.0.12" {
		t.Errorf("Expected the addresses of what is left, got %v", got)
	}
	if r := s.ask("text.example.org.", dns.TypeTXT); r.Answer[0].Header().Ttl != 3600 {
		t.Errorf("Expected text as it is, got:\n%v", r)
	}
	expectNegative(t, s.ask("www.example.org.", dns.TypeAAAA), dns.RcodeSuccess, "example.org.", 3600)
	expectNegative(t, s.ask("gone.example.org.", dns.TypeA), dns.RcodeNameError, "example.org.", 3600)
}

// TestFilterCached: what *cache* has is filtered afresh at each query, and stays in it as it was.
func TestFilterCached(t *testing.T) {
	u := newUpstream(t, net.IPv4(127, 0, 0, 11), net.IPv4(127, 0, 0, 12))
	s := start(t, listening("example.org", "cache\nforward . "+u.Address, filterStanza("last_resort none")))
	expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.11", "127.0.0.12")
	for range 3 {
		for _, turn := range [][2]string{{"127.0.0.11", "127.0.0.12"}, {"127.0.0.12", "127.0.0.11"}} {
			settle(t, filterOf(t), health.Healthy, turn[0])
			settle(t, filterOf(t), health.Unhealthy, turn[1])
			expectData(t, s.ask("www.example.org.", dns.TypeA), turn[0])
		}
		settle(t, filterOf(t), health.Healthy, "127.0.0.11", "127.0.0.12")
		expectData(t, s.ask("www.example.org.", dns.TypeA), "127.0.0.11", "127.0.0.12")
	}
	if n := u.count("www.example.org."); n != 1 {
		t.Errorf("Expected the upstream server to be asked once, got %d times", n)
	}
}

// TestFilterReload: the new instance adopts what is known, with no attempt more, whatever else changes; a filter that is gone gives its checks back.
func TestFilterReload(t *testing.T) {
	up := newBackend(t, "127.0.0.11", "0")
	down := newBackend(t, "127.0.0.12", up.Port)
	down.status.Store(500)
	zone := zoneFile(t, "example.org", filteredZone)
	filtered := func(lines string) string {
		return listening("example.org", zone, stanza("probe web http {\nport "+up.Port+"\ninterval 1h\n}", lines))
	}
	s := start(t, filtered("filter www {\nprobe web\n}"))
	ask := func() *dns.Msg { return s.ask("www.example.org.", dns.TypeA) }
	ask()
	eventually(t, "the dead address to go", func() bool { return len(ask().Answer) == 1 })
	check := checkOf(t, "127.0.0.12")
	for _, lines := range []string{
		"filter www {\nprobe web\n}", "filter * www {\nprobe web\nlimit 2\nttl 5s\n}", "filter www {\nprobe web\nidle 1h\n}\ngroup mail simple {\nrecord 192.0.2.25\n}",
	} {
		s.mustReload(filtered(lines))
		expectData(t, ask(), "127.0.0.11") // at once
		if checkOf(t, "127.0.0.12") != check {
			t.Error("Expected the very check after a reload, got another")
		}
		for _, broken := range []string{"broken setup", "broken start"} {
			if err := s.reload(strings.Replace(filtered(lines), "healthroute", broken+"\nhealthroute", 1)); err == nil {
				t.Error("Expected a broken reload to fail, it did not")
			}
			expectData(t, ask(), "127.0.0.11")
		}
		expectChecks(t, 2)
	}
	if !(&Handler{}).Ready() {
		t.Error("Expected to be ready, got otherwise")
	}
	expectHits(t, up, 1)
	expectHits(t, down, 1)
	s.mustReload(filtered("filter mail {\nprobe web\n}"))
	expectChecks(t, 0)
	expectData(t, ask(), "127.0.0.11", "127.0.0.12")
}

// TestFilterHandsOn what it has met while a reload was under way: between the start of the new instance and the end of the old one.
func TestFilterHandsOn(t *testing.T) {
	corefile := listening("example.org", zoneFile(t, "example.org", filteredZone), filterStanza(""))
	s := start(t, corefile)
	old := running.all()[0]
	b := *old.blocks[0]
	b.meetNeighbours = func() {} // it has met those of the one that it is a copy of
	next := &instance{blocks: []*block{&b}}
	if err := next.start(); err != nil {
		t.Fatal(err)
	}
	s.ask("www.example.org.", dns.TypeA) // of the old one
	settle(t, old.blocks[0].table.Filters()[0], health.Unhealthy, "127.0.0.11")
	if err := old.stop(); err != nil {
		t.Fatal(err)
	}
	expectChecks(t, 2)
	if c := checkOf(t, "127.0.0.11"); c.Usable() {
		t.Error("Expected the verdict to be handed on, got a usable address")
	}
	if err := next.stop(); err != nil {
		t.Fatal(err)
	}
	expectChecks(t, 0)
}

// TestReadyBesideFilter: an address that is met later does not make a server that is ready unready.
func TestReadyBesideFilter(t *testing.T) {
	b := newBackend(t, "127.0.0.11", "0")
	b.hold = make(chan struct{})
	s := start(t, listening("example.org", zoneFile(t, "example.org", filteredZone),
		stanza("probe web http {\nport "+b.Port+"\ninterval 1h\ntimeout 100s\n}", "filter {\nprobe web\n}")))
	s.ask("one.example.org.", dns.TypeA)
	b.await("/")
	if !(&Handler{}).Ready() {
		t.Error("Expected to be ready while an attempt is under way, got otherwise")
	}
	close(b.hold)
}
