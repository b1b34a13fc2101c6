package status

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// authority signs certificates.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign}
	a.cert, a.key = a.sign(t, "ca", template)
	return a
}

// sign writes NAME.pem and NAME.key.
func (a *authority) sign(t *testing.T, name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".pem": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(a.dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// TestTLS: client certificates log in, and the names of ours are ours.
func TestTLS(t *testing.T) {
	a := newAuthority(t)
	a.sign(t, "server", &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{"api.example.org"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	a.sign(t, "alice", &x509.Certificate{SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: "alice"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	other := newAuthority(t)
	other.sign(t, "mallory", &x509.Certificate{SerialNumber: big.NewInt(4), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	c := &config.Status{Address: "127.0.0.1:0", Reads: true,
		TLS: config.StatusTLS{Cert: a.file("server.pem"), Key: a.file("server.key"), CA: a.file("ca.pem")}}
	if err := CheckFiles(c); err != nil {
		t.Fatalf("Expected good files, got: %v", err)
	}
	b := newBench(t, c)
	s := serve(t, c, b)
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	with := func(of *authority, names ...string) *tls.Config {
		config := &tls.Config{RootCAs: roots}
		for _, name := range names {
			pair, err := tls.LoadX509KeyPair(of.file(name+".pem"), of.file(name+".key"))
			if err != nil {
				t.Fatal(err)
			}
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
		return config
	}
	if code, err := get(t, client(t, s, with(a)), "https"); code != http.StatusUnauthorized {
		t.Errorf("Expected 401 without a certificate, got %d, %v", code, err)
	}
	if code, err := get(t, client(t, s, with(other, "mallory")), "https"); err == nil {
		t.Errorf("Expected no connection with another CA's certificate, got %d", code)
	}
	alice := client(t, s, with(a, "alice"))
	for name, want := range map[string]int{"api.example.org": http.StatusOK, "127.0.0.1": http.StatusOK, "other.example.org": http.StatusMisdirectedRequest} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://127.0.0.1"+base+"push", strings.NewReader(bodies["push"]))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = name
		r.Header.Set("Content-Type", "application/json")
		got, err := alice.Do(r)
		if err != nil {
			t.Fatalf("Expected a reply, got: %v", err)
		}
		got.Body.Close()
		if got.StatusCode != want {
			t.Errorf("Expected %d for Host %s, got %s", want, name, got.Status)
		}
	}
	if got := b.backend.by[0]; got.Author != "alice" || got.Login != "certificate alice" {
		t.Errorf("Expected alice to write, got %+v", got)
	}
	for range failuresAtOnce {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://127.0.0.1"+base+"state", nil)
		if err != nil {
			t.Fatal(err)
		}
		authorized("guess")(r)
		got, err := client(t, s, with(a)).Do(r)
		if err != nil {
			t.Fatalf("Expected a reply, got: %v", err)
		}
		got.Body.Close()
	}
	if code, err := get(t, client(t, s, with(a)), "https"); code != http.StatusTooManyRequests {
		t.Errorf("Expected 429 after as many guesses, got %d, %v", code, err)
	}
	if code, err := get(t, alice, "https"); code != http.StatusOK {
		t.Errorf("Expected a certificate not to wait for those who guess, got %d, %v", code, err)
	}
	for name, file := range map[string]string{"server.pem": c.TLS.Cert, "ca.pem": c.TLS.CA} {
		if err := os.WriteFile(file, []byte("nonsense"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := CheckFiles(c); err == nil {
			t.Errorf("Expected a bad %s to be refused", name)
		}
	}
	if code, err := get(t, client(t, s, with(a, "alice")), "https"); code != http.StatusOK {
		t.Errorf("Expected the certificate that was good to stay, got %d, %v", code, err)
	}
}

// TestNameOf: whoever writes has a name, in one line.
func TestNameOf(t *testing.T) {
	who := &url.URL{Scheme: "spiffe", Host: "example.org", Path: "/deploy"}
	for want, c := range map[string]*x509.Certificate{
		"alice":                       {Subject: pkix.Name{CommonName: "alice"}, DNSNames: []string{"host.example.org"}},
		"alice@example.org":           {EmailAddresses: []string{"alice@example.org"}},
		"spiffe://example.org/deploy": {URIs: []*url.URL{who}, DNSNames: []string{"host.example.org"}},
		"host.example.org":            {DNSNames: []string{"host.example.org"}},
		"O=Example":                   {Subject: pkix.Name{Organization: []string{"Example"}}},
		"a\uFFFDb\uFFFD[31m":          {Subject: pkix.Name{CommonName: "a\nb\x1b[31m"}},
	} {
		if got := nameOf(c); got != want {
			t.Errorf("Expected %q, got %q", want, got)
		}
	}
}

// TestRenewedCertificate: a new certificate is shown without a reload.
func TestRenewedCertificate(t *testing.T) {
	a := newAuthority(t)
	renew := func(serial int64, at time.Time) {
		a.sign(t, "server", &x509.Certificate{SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
		if err := os.Chtimes(a.file("server.pem"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	renew(10, then)
	c := &config.Status{Address: "127.0.0.1:0", TLS: config.StatusTLS{Cert: a.file("server.pem"), Key: a.file("server.key")}}
	s := serve(t, c, newBench(t, c))
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	for _, serial := range []int64{10, 11} {
		renew(serial, then.Add(time.Duration(serial)*time.Second))
		r, err := client(t, s, &tls.Config{RootCAs: roots}).Get("https://127.0.0.1" + base + "state")
		if err != nil {
			t.Fatalf("Expected a reply, got: %v", err)
		}
		r.Body.Close()
		if got := r.TLS.PeerCertificates[0].SerialNumber.Int64(); got != serial {
			t.Errorf("Expected certificate %d, got %d", serial, got)
		}
	}
}
