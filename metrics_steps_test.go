package healthroute

import (
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/miekg/dns"
)

// TestCertificateExpiry scrapes what attempts saw of a certificate; it is there while the check is, also where it failed because of it.
func TestCertificateExpiry(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ErrorLog = stdlog.New(io.Discard, "", 0) // of probes that do not trust it
	server.StartTLS()
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatalf("Expected a port, got: %v", err)
	}
	probeOf := func(name, options string) string {
		return "probe " + name + " https {\nport " + port + "\ninterval 1h\n" + options + "\n}"
	}
	before := scrape(t)
	t.Run("running", func(t *testing.T) {
		s := start(t, listening("example.org", stanzaOf("example.org", probeOf("careless", "verify off"), probeOf("strict", ""),
			groupOf("simple", "careless", "probe careless", "127.0.0.1"), groupOf("simple", "strict", "probe strict", "127.0.0.1"))))
		s.ask("careless.example.org.", dns.TypeA)
		till := float64(server.Certificate().NotAfter.Unix())
		got := scrape(t)
		for _, name := range []string{"careless", "strict"} {
			sample := "certificate_expiry_timestamp_seconds{probe=" + name + ",target=127.0.0.1:" + port + "}"
			if got[sample] != till {
				t.Errorf("Expected %s = %v, got %v", sample, till, got[sample])
			}
		}
		expectSamples(t, before, got, map[string]float64{
			"tls_duration_seconds{probe=careless}":     1,
			"connect_duration_seconds{probe=careless}": 1,
			"connect_duration_seconds{probe=strict}":   1,
		})
		if n := got["tls_duration_seconds{probe=strict}"]; n != 0 {
			t.Errorf("Expected no time of a handshake that failed, got %v", n)
		}
	})
}
