package healthroute

import (
	"bytes"
	golog "log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

const weightedGroups = `group www weighted {
	record 192.0.2.1
	record 192.0.2.2
}
group @ weighted {
	record 192.0.2.1
	record 2001:db8::1
}`

// behind is cache, file and forward.
func behind(t *testing.T, u *upstream) string {
	t.Helper()
	return "cache\n" + zoneFile(t, "example.org", zoneText) + "\ntransfer example.org {\nto *\n}\nforward . " + u.Address
}

func TestOwnNamesAreChosenAfresh(t *testing.T) {
	u := newUpstream(t)
	s := start(t, listening(".", stanzaOf("example.org", weightedGroups), behind(t, u)))
	expectFresh(t, s)
	for range 5 {
		expectData(t, s.ask("neighbour.example.net.", dns.TypeA), "203.0.113.1")
		expectData(t, s.ask("plain.example.org.", dns.TypeA), "198.51.100.80")
	}
	if n := u.count("neighbour.example.net."); n != 1 {
		t.Errorf("Expected the neighbour's name to be cached and asked for once, got %d times", n)
	}
	if n := u.count("www.example.org."); n != 0 {
		t.Errorf("Expected our name not to be asked for, got %d times", n)
	}
}

// expectFresh sees both records of www, and never another TTL than the group's.
func expectFresh(t *testing.T, s *server) {
	t.Helper()
	seen := map[string]bool{}
	for range 40 {
		r := s.ask("www.example.org.", dns.TypeA)
		if len(r.Answer) != 1 || r.Answer[0].Header().Ttl != 30 {
			t.Fatalf("Expected one record with TTL 30, got:\n%v", r)
		}
		seen[data(r.Answer)[0]] = true
	}
	if len(seen) != 2 {
		t.Errorf("Expected both records in 40 answers, got %v", seen)
	}
}

// TestLoadbalanceAbove: it may reorder what we answer, and change nothing else.
func TestLoadbalanceAbove(t *testing.T) {
	s := start(t, listening("example.org", "loadbalance", "cache", stanza(weightedGroups, groupOf("simple", "all", "", "192.0.2.1", "192.0.2.2"))))
	expectFresh(t, s)
	for range 10 {
		expectData(t, s.ask("all.example.org.", dns.TypeA), "192.0.2.1", "192.0.2.2")
	}
}

// TestApexTypesOfTheFile: a group owns the addresses of the apex, the zone file its other types.
func TestApexTypesOfTheFile(t *testing.T) {
	u := newUpstream(t)
	s := start(t, listening(".", stanzaOf("example.org", weightedGroups), behind(t, u)))
	expectData(t, s.ask("example.org.", dns.TypeA), "192.0.2.1")
	expectData(t, s.ask("example.org.", dns.TypeAAAA), "2001:db8::1")
	expectData(t, s.ask("example.org.", dns.TypeMX), "10 mail.example.org.")
	expectData(t, s.ask("example.org.", dns.TypeTXT), `"v=spf1 -all"`)
	expectData(t, s.ask("example.org.", dns.TypeNS), "ns1.example.org.", "ns2.example.org.")
	expectNegative(t, s.ask("example.org.", dns.TypeCNAME), dns.RcodeSuccess, "example.org.", 30)
}

// TestForeignNamesPass: what is not ours comes byte for byte as it does without the plugin.
func TestForeignNamesPass(t *testing.T) {
	edits := map[string]func(*dns.Msg){
		"plain":    func(*dns.Msg) {},
		"do":       func(m *dns.Msg) { m.SetEdns0(1232, true) },
		"small":    func(m *dns.Msg) { m.SetEdns0(512, false) },
		"subnet":   func(m *dns.Msg) { withSubnet(m, 1, 24, 0, "198.51.100.0") },
		"bad ecs":  func(m *dns.Msg) { withSubnet(m, 1, 24, 24, "198.51.100.0") },
		"case":     func(m *dns.Msg) { m.Question[0].Name = mixedCase(m.Question[0].Name) },
		"update":   func(m *dns.Msg) { m.Opcode = dns.OpcodeUpdate },
		"chaos":    func(m *dns.Msg) { m.Question[0].Qclass = dns.ClassCHAOS },
		"checking": func(m *dns.Msg) { m.CheckingDisabled, m.AuthenticatedData = true, true },
	}
	questions := []string{
		"plain.example.org. A", "plain.example.org. AAAA", "plain.example.org. TXT", "plain.example.org. ANY", "nothing.example.org. A",
		"nothing.example.org. MX", "alias.example.org. A", "alias.example.org. AAAA", "alias.example.org. CNAME", "dangling.example.org. A",
		"loop.example.org. A", "sub.example.org. A", "sub.example.org. NS", "sub.example.org. DS", "host.sub.example.org. A", "x.star.example.org. TXT",
		"x.star.example.org. A", "star.example.org. A", "mail.example.org. A", "ns1.example.org. A", "example.org. SOA", "example.org. NS",
		"example.org. MX", "example.org. TXT", "example.org. DNSKEY", "example.net. A", "gone.example.net. A", "there.example.net. AAAA", ". NS",
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t)
			rest := behind(t, u)
			with := start(t, listening(".", stanzaOf("example.org", weightedGroups), rest))
			without := start(t, listening(".", rest))
			for i, q := range questions {
				owner, word, _ := strings.Cut(q, " ")
				m := question(owner, dns.StringToType[word])
				edit(m)
				if name == "bad ecs" && owner == "example.org." {
					continue // the name is ours, and so is the judgement
				}
				network := []string{"udp", "tcp"}[i%2]
				want, got := without.wire(network, m), with.wire(network, m)
				if !bytes.Equal(want, got) {
					t.Errorf("Expected for %s:\n%s\ngot:\n%s", q, unpacked(want), unpacked(got))
				}
			}
		})
	}
}

func unpacked(raw []byte) string {
	m := new(dns.Msg)
	if err := m.Unpack(raw); err != nil {
		return err.Error()
	}
	return m.String()
}

// TestTransferPasses: a transfer shows the zone file, not our choices.
func TestTransferPasses(t *testing.T) {
	u := newUpstream(t)
	s := start(t, listening(".", stanzaOf("example.org", weightedGroups), behind(t, u)))
	m := new(dns.Msg)
	m.SetAxfr("example.org.")
	envelopes, err := new(dns.Transfer).In(m, s.address("tcp"))
	if err != nil {
		t.Fatalf("Expected a transfer, got: %v", err)
	}
	var got []string
	for e := range envelopes {
		if e.Error != nil {
			t.Fatalf("Expected a whole transfer, got: %v", e.Error)
		}
		for _, rr := range e.RR {
			got = append(got, rr.String())
		}
	}
	var want []string
	zone := dns.NewZoneParser(strings.NewReader(zoneText), "", "")
	for rr, ok := zone.Next(); ok; rr, ok = zone.Next() {
		want = append(want, rr.String())
	}
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != len(want) { // the SOA stands at both ends
		t.Errorf("Expected the %d records of the file, got %d:\n%s", len(want), len(got), strings.Join(got, "\n"))
	}
}

// TestCacheAbove runs TestBelowCache in a process of its own: the order of plugins is one for the process.
func TestCacheAbove(t *testing.T) {
	if os.Getenv(belowCacheVariable) != "" {
		t.Skip("this is the process with the other order")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestBelowCache$", "-test.v")
	child.Env = append(os.Environ(), belowCacheVariable+"=1")
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestBelowCache") {
		t.Errorf("Expected the test to pass below cache, got: %v\n%s", err, out)
	}
}

// TestBelowCache: no answer of ours is kept for another client, and one warning says what is wrong.
func TestBelowCache(t *testing.T) {
	if os.Getenv(belowCacheVariable) == "" {
		t.Skip("TestCacheAbove runs it")
	}
	var lines bytes.Buffer
	golog.SetOutput(&lines)
	u := newUpstream(t)
	s := start(t, listening(".", stanzaOf("example.org", weightedGroups), behind(t, u)))
	expectFresh(t, s)
	for range 3 {
		expectData(t, s.ask("neighbour.example.net.", dns.TypeA), "203.0.113.1")
	}
	if n := u.count("neighbour.example.net."); n != 1 {
		t.Errorf("Expected the neighbour's name to be cached, got %d queries", n)
	}
	if n := strings.Count(lines.String(), "[WARNING]"); n != 1 {
		t.Errorf("Expected one warning, got %d:\n%s", n, lines.String())
	}
}
