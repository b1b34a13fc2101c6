package healthroute

import (
	"bytes"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/coredns/coredns/plugin/geoip"
	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go4.org/netipx"
)

// mmdb writes a city database of countries by prefix and returns its file.
func mmdb(t *testing.T, countries map[string]string) string {
	t.Helper()
	w, err := mmdbwriter.New(mmdbwriter.Options{
		DatabaseType: "GeoLite2-City", IncludeReservedNetworks: true, Description: map[string]string{"en": "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for p, country := range countries {
		if err := w.Insert(netipx.PrefixIPNet(netip.MustParsePrefix(p)), mmdbtype.Map{
			"country": mmdbtype.Map{"iso_code": mmdbtype.String(country)},
		}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return write(t, "city.mmdb", out.Bytes())
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	replace(t, path, content)
	return path
}

// replace puts a finished file into its place.
func replace(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

const byCountry = `group www geo {
	record 192.0.2.1 country CH
	record 192.0.2.2 country JP
	record 192.0.2.3 default
}`

// askFrom asks for the addresses of www with a client subnet.
func (s *server) askFrom(prefix string) *dns.Msg {
	s.t.Helper()
	p := netip.MustParsePrefix(prefix)
	return s.ask("www.example.org.", dns.TypeA, func(m *dns.Msg) {
		family := uint16(1)
		if p.Addr().Is6() {
			family = 2
		}
		withSubnet(m, family, uint8(p.Bits()), 0, p.Addr().String())
	})
}

// expectScope compares the scope of the reply's client subnet; -1 wants none.
func expectScope(t *testing.T, r *dns.Msg, want int) {
	t.Helper()
	got := -1
	for _, o := range options[*dns.EDNS0_SUBNET](t, r) {
		got = int(o.SourceScope)
	}
	if got != want {
		t.Errorf("Expected scope %d, got %d in:\n%v", want, got, r)
	}
}

// TestDatabaseDecides asks a real server whose answers follow an .mmdb file: ours, or that of CoreDNS's geoip through metadata.
func TestDatabaseDecides(t *testing.T) {
	file := mmdb(t, map[string]string{"198.51.100.0/25": "CH", "203.0.113.0/24": "JP", "2001:db8:5::/48": "JP"})
	own := listening("example.org", stanza("geoip "+file, byCountry))
	theirs := listening("example.org", "metadata", "geoip "+file+" {\nedns-subnet\n}", stanza(byCountry))
	for _, c := range []struct {
		prefix, want       string
		scope, theirsScope int
	}{
		{"198.51.100.0/24", "192.0.2.1", 25, 24}, // more bits would have helped
		{"198.51.100.7/32", "192.0.2.1", 25, 32},
		{"203.0.113.0/24", "192.0.2.2", 24, 24},
		{"2001:db8:5::/48", "192.0.2.2", 48, 48},
		{"2001:db8:5:8000::/57", "192.0.2.2", 48, 57}, // an odd length
	} {
		s := start(t, own)
		r := s.askFrom(c.prefix)
		expectData(t, r, c.want)
		expectScope(t, r, c.scope)
		s = start(t, theirs)
		r = s.askFrom(c.prefix)
		expectData(t, r, c.want)
		expectScope(t, r, c.theirsScope)
	}
	s := start(t, own)
	expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.3") // loopback is nowhere
	r := s.askFrom("0.0.0.0/0")                                      // the client does not want to be located
	expectData(t, r, "192.0.2.3")
	expectScope(t, r, 0)
}

// TestPlacesAreReread changes the file under a running server: a good one is taken over, a bad one is not.
func TestPlacesAreReread(t *testing.T) {
	before := rereadEvery
	rereadEvery = time.Millisecond
	t.Cleanup(func() { rereadEvery = before })
	file := write(t, "places", []byte("198.51.100.0/24 country=CH\n"))
	s := start(t, listening("example.org", stanza("locations "+file, byCountry)))
	answers := func(want string) func() bool {
		return func() bool {
			r := s.askFrom("198.51.100.0/24")
			return len(r.Answer) == 1 && data(r.Answer)[0] == want
		}
	}
	expectData(t, s.askFrom("198.51.100.0/24"), "192.0.2.1")
	replace(t, file, []byte("198.51.100.0/24 country=JP\n"))
	eventually(t, "the new file's answer", answers("192.0.2.2"))
	refused := counterValue(t, placesReread.WithLabelValues("refused"))
	replace(t, file, []byte("198.51.100.0/24 contry=CH\n"))
	eventually(t, "the bad file to be refused", func() bool {
		return counterValue(t, placesReread.WithLabelValues("refused")) > refused
	})
	expectData(t, s.askFrom("198.51.100.0/24"), "192.0.2.2")
	if err := s.reload(listening("example.org", stanza("locations "+file, byCountry))); err == nil {
		t.Error("Expected a reload with the bad file to be refused, got none")
	}
	expectData(t, s.askFrom("198.51.100.0/24"), "192.0.2.2")
}

// TestWhoseSubnetCounts is `ecs`: options of askers that it does not heed are not looked at, and none goes back.
func TestWhoseSubnetCounts(t *testing.T) {
	file := write(t, "places", []byte("198.51.100.0/24 country=CH\n127.0.0.0/8 country=JP\n"))
	for option, want := range map[string]struct {
		answer string
		scope  int
	}{
		"ecs on": {"192.0.2.1", 24}, "ecs from 127.0.0.0/8": {"192.0.2.1", 24},
		"ecs off": {"192.0.2.2", -1}, "ecs from 192.0.2.0/24": {"192.0.2.2", -1},
	} {
		s := start(t, listening("example.org", stanza(option, "locations "+file, byCountry)))
		r := s.askFrom("198.51.100.0/24")
		expectData(t, r, want.answer)
		expectScope(t, r, want.scope)
		malformed := s.ask("www.example.org.", dns.TypeA, func(m *dns.Msg) { withSubnet(m, 1, 24, 24, "198.51.100.0") })
		if refused := malformed.Rcode == dns.RcodeFormatError; refused != (want.scope >= 0) {
			t.Errorf("%s: Expected FORMERR to a malformed option: %v, got %s", option, want.scope >= 0, dns.RcodeToString[malformed.Rcode])
		}
	}
}

// counterValue reads a counter.
func counterValue(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}
