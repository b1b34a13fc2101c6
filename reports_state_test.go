package healthroute

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	stdlog "log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/status"
)

// The tests of this file are user reports 22, 26 and 28; docs/reports.md names those of the others.

// TestReport22 is attempts that grow with the records: however many records, groups, pools, zones and server blocks ask for the same of a target, it sees
// one attempt an interval, and the metrics count one.
func TestReport22(t *testing.T) {
	const many = 1000
	b := newBackend(t, "127.0.0.1", "0")
	definition := "probe web http {\nport " + b.Port + "\nhost www.example.org\ninterval 1h\n}"
	var lines strings.Builder
	for i := range many {
		fmt.Fprintf(&lines, "group g%d simple {\nprobe web\nrecord %s\n}\n", i, b.Address)
	}
	lines.WriteString("pool app {\nprobe web\ntarget " + b.Address + "\n}\ngroup pooled simple {\nalias pool app\n}\n")
	before := scrape(t)
	s := start(t, listening("example.org", stanza(definition, lines.String()))+listening("example.net", stanza(definition, groupOf("simple", "www", "probe web", b.Address))))
	expectData(t, s.ask("g999.example.org.", dns.TypeA), b.Address)
	expectChecks(t, 1)
	expectHits(t, b, 1)
	expectSamples(t, before, scrape(t), map[string]float64{
		"attempts_total{outcome=pass,probe=web}": 1, "checks{status=healthy}": 1, "attempts_under_way{}": 0, "attempts_waiting{}": 0,
	})
	other := strings.NewReplacer("host www.example.org\n", "", "probe web", "probe other") // it has a Host for each group
	s.mustReload(listening("example.org", stanza("max_attempts 1", other.Replace(definition+"\n"+lines.String()))))
	expectChecks(t, many+1)
	eventually(t, "an attempt for each Host, one at a time", func() bool { return b.count() >= 1+many+1 })
}

// TestReport26 is most of a group that is down. By default those that work answer, however few; min_healthy is what the group says of itself to aliases; and
// with show_all everybody answers while that counts on. Log, metrics, API and explanation say so while it is so.
func TestReport26(t *testing.T) {
	log := captureLog(t)
	const members = 12
	addresses, definitions := make([]string, members), make([]string, 0, members)
	for i := range members {
		addresses[i] = fmt.Sprintf("192.0.2.%d probe p%d", i+1, i)
		definitions = append(definitions, fmt.Sprintf("probe p%d push {\nmax_age 1h\n}", i))
	}
	modes := map[string]string{"plain": "", "counted": "min_healthy 50%", "shown": "min_healthy 50% show_all"}
	lines := []string{shownAt, strings.Join(definitions, "\n")}
	for name, option := range modes {
		lines = append(lines, groupOf("multivalue", name, "max 12\n"+option, addresses...),
			"group over"+name+" failover {\nalias "+name+" primary\nrecord 192.0.2.99 secondary\n}")
	}
	corefile := listening("example.org", stanza(lines...))
	s := start(t, corefile)
	c := apiClient(t)
	push := func(from, to int, outcome probe.Outcome) {
		t.Helper()
		for i := from; i < to; i++ {
			if engine.Push(fmt.Sprint("p", i), outcome, time.Now(), "told") != 1 {
				t.Fatalf("Expected one check of p%d", i)
			}
		}
	}
	const wanted = "group shown.example.org. has fewer usable records for A than min_healthy asks for: show_all answers with all"
	expect := func(down int, over bool) {
		t.Helper()
		shows := over // of the group with show_all
		for name := range modes {
			records := members - down
			if name == "shown" && shows {
				records = members
			}
			if got := len(s.ask(name+".example.org.", dns.TypeA).Answer); got != records {
				t.Errorf("Expected %d records of %s with %d down, got %d", records, name, down, got)
			}
			outer := s.ask("over"+name+".example.org.", dns.TypeA)
			if failedOver := len(outer.Answer) == 1 && data(outer.Answer)[0] == "192.0.2.99"; failedOver != (over && name != "plain") {
				t.Errorf("Expected a failover of %s with %d down: %v, got:\n%v", name, down, over && name != "plain", outer)
			}
			metric, there := scrape(t)["group_shows_all{group="+name+".example.org.,type=A}"]
			if there != (name == "shown") || metric == 1 != (shows && name == "shown") {
				t.Errorf("Expected a metric of %s that says %v, got %v (there: %v)", name, shows, metric, there)
			}
			x, err := c.Explain(t.Context(), status.Question{Name: name, Type: dns.TypeA})
			if err != nil || len(x.Groups) != 1 || x.Groups[0].ShowsAll != (shows && name == "shown") {
				t.Errorf("Expected an explanation of %s that says %v, got %+v: %v", name, shows, x, err)
			}
			g := apiGet(t, "groups?name="+name+".example.org.")
			if got := strings.Contains(g, `"shows_all":true`); got != (shows && name == "shown") {
				t.Errorf("Expected an API that says %v of %s, got %s", shows, name, g)
			}
		}
	}
	push(0, members, probe.Pass)
	push(0, 5, probe.Fail)
	expect(5, false)
	push(5, 7, probe.Fail)
	expect(7, true)
	s.mustReload(corefile) // tells nothing again
	expect(7, true)
	push(5, 7, probe.Pass)
	expect(5, false)
	for line, times := range map[string]int{wanted: 1, "group shown.example.org. no longer shows all records for A": 1, "group plain": 0, "group counted": 0} {
		if got := strings.Count(log.String(), line); got != times {
			t.Errorf("Expected %q %d times in the log, got %d:\n%s", line, times, got, log)
		}
	}
}

// TestReport28 is virtual hosts: an attempt dials the record's address, but asks for the group's name, as clients do, in the request and in the handshake, tells who
// it is, and holds the certificate against that name.
func TestReport28(t *testing.T) {
	issuer, ca := newAuthority(t)
	certificates := map[string]tls.Certificate{}
	for _, name := range []string{"one.example.org", "two.example.org"} {
		certificates[name] = issuer.issue(t, name)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Expected a listener, got: %v", err)
	}
	port := portOf(listener.Addr().String())
	// The server has two virtual hosts, and knows no other; without SNI it shows the first one's certificate, and it blocks strangers.
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		switch _, known := certificates[host]; {
		case !known:
			w.WriteHeader(http.StatusNotFound)
		case r.TLS != nil && r.TLS.ServerName != host:
			w.WriteHeader(http.StatusMisdirectedRequest)
		case !strings.HasPrefix(r.UserAgent(), "healthroute/") && r.UserAgent() != "our own":
			w.WriteHeader(http.StatusForbidden)
		}
	})
	secure := &http.Server{Handler: handler, ReadHeaderTimeout: patience, ErrorLog: stdlog.New(io.Discard, "", 0), TLSConfig: &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			c, known := certificates[hello.ServerName]
			if !known {
				c = certificates["one.example.org"]
			}
			return &c, nil
		},
	}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = secure.ServeTLS(listener, "", "")
	}()
	t.Cleanup(func() {
		_ = secure.Close()
		<-done
	})
	unsecured := httptest.NewServer(handler)
	t.Cleanup(unsecured.Close)
	plain := portOf(unsecured.URL)

	trusted := "port " + port + "\ninterval 1h\nca " + ca + "\n"
	probes := map[string]string{
		"plain": "http {\nport " + plain + "\ninterval 1h", "secure": "https {\n" + trusted, "hand": "tls {\n" + trusted,
		"named": "https {\n" + trusted + "host two.example.org", "crossed": "https {\n" + trusted + "sni one.example.org\nhost two.example.org",
		"blocked": "https {\n" + trusted + "user_agent curl", "own": "https {\n" + trusted + `user_agent "our own"`,
		"lax": "https {\n" + trusted + "verify off\nexpect 404", "strict": "https {\n" + trusted + "expect 404",
		"stranger": "https {\nport " + port + "\ninterval 1h", "tm": "https {\npreset traffic_manager\nport " + port + "\npath /\nexpect 404",
	}
	want := map[string]bool{ // by probe and the host that it asks for
		"plain one": true, "plain two": true, "plain three": false,
		"secure one": true, "secure two": true, "secure three": false, // another host's certificate
		"hand one": true, "hand two": true, "hand three": false,
		"named two": true, "crossed two": false, "blocked one": false, "own one": true,
		"lax three": true, "strict three": false, "stranger one": false, "tm three": true, // verify is off in presets of the three systems
	}
	uses := map[string][]string{
		"one": {"plain", "secure", "hand", "blocked", "own", "stranger"}, "two": {"plain", "secure", "hand", "crossed"},
		"three": {"plain", "secure", "hand", "named", "lax", "strict", "tm"}, "*.wild": {"named"},
	}
	var lines []string
	for name, text := range probes {
		lines = append(lines, "probe "+name+" "+text+"\n}")
	}
	for group, names := range uses {
		lines = append(lines, "group "+group+" multivalue {")
		for _, name := range names {
			lines = append(lines, "record 127.0.0.1 id "+name+" probe "+name)
		}
		lines = append(lines, "}")
	}
	start(t, listening("example.org", stanza(lines...)))
	got := map[string]bool{}
	for _, c := range running.newest().blocks[0].lease.Checks() {
		state := c.State()
		key := c.Probe().Name + " " + strings.TrimSuffix(cmp.Or(c.Target().Host, c.Target().SNI), ".example.org")
		got[key] = state.Status == health.Healthy
		if expected, known := want[key]; !known || got[key] != expected {
			t.Errorf("Expected %s to be healthy: %v, got %s: %s", key, expected, state.Status, state.Last.Reason)
		}
	}
	if len(got) != len(want) {
		t.Errorf("Expected %d checks, got %v", len(want), got)
	}
}

// TestReport28Nameless refuses to verify a certificate against no name.
func TestReport28Nameless(t *testing.T) {
	expectNothingLeft(t)
	_, err := caddy.Start(input(listening("example.org", stanza("probe web https", "group *.wild simple {\nprobe web\nrecord 192.0.2.1\n}"))))
	if err == nil || !strings.Contains(err.Error(), "verify") {
		t.Errorf("Expected an error about verify, got: %v", err)
	}
}

// authority issues certificates of a test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// newAuthority makes an authority, and a file with its certificate.
func newAuthority(t *testing.T) (a authority, file string) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test Authority"}, NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, key := a.sign(t, template)
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{certificate, key}, write(t, "ca", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// issue makes a certificate for a name.
func (a authority) issue(t *testing.T, name string) tls.Certificate {
	t.Helper()
	der, key := a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: time.Now().AddDate(0, -1, 0),
		NotAfter: time.Now().AddDate(0, 1, 0), KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// sign makes a key and signs the template with it, by the authority or, without one, by itself.
func (a authority) sign(t *testing.T, template *x509.Certificate) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	issuer, signer := a.certificate, a.key
	if issuer == nil {
		issuer, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return der, key
}
