package probe

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// issued is what a certificate of the tests' own authority says.
type issued struct {
	names      []string
	ips        []net.IP
	from, till time.Time // zero: valid
	selfSigned bool
}

// testAuthority issues the certificates of all tests.
var testAuthority = sync.OnceValue(func() tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test Authority"},
		NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	return sign(template, nil)
})

// certificate issues one.
func certificate(t testing.TB, what issued) tls.Certificate {
	t.Helper()
	if what.from.IsZero() {
		what.from = time.Now().AddDate(0, -1, 0)
	}
	if what.till.IsZero() {
		what.till = time.Now().AddDate(1, 0, 0)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test"},
		DNSNames: what.names, IPAddresses: what.ips, NotBefore: what.from, NotAfter: what.till,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if what.selfSigned {
		return sign(template, nil)
	}
	issuer := testAuthority()
	return sign(template, &issuer)
}

// sign makes a key and a certificate for it, by the issuer or by itself.
func sign(template *x509.Certificate, issuer *tls.Certificate) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	parent, by := template, key
	if issuer != nil {
		parent, by = issuer.Leaf, issuer.PrivateKey.(*ecdsa.PrivateKey)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		panic(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// file writes a file of the test and returns its name.
func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatalf("Expected to write %s, got %v", path, err)
	}
	return path
}

func certPEM(c tls.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
}

func keyPEM(c tls.Certificate) []byte {
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// trusting names the tests' authority in the probe.
func trusting(t testing.TB) func(*config.Probe) {
	t.Helper()
	name := file(t, "ca.pem", certPEM(testAuthority()))
	return func(p *config.Probe) { p.TLS.CA = name }
}

func careless(p *config.Probe) { p.TLS.Verify = false }

// overTLS does it behind a TLS server.
func overTLS(t testing.TB, own tls.Certificate, do behaviour, change ...func(*tls.Config)) behaviour {
	t.Helper()
	c := &tls.Config{Certificates: []tls.Certificate{own}}
	for _, each := range change {
		each(c)
	}
	return func(conn net.Conn) {
		server := tls.Server(conn, c)
		if server.Handshake() == nil {
			do(server)
			server.CloseWrite()
		}
	}
}

func TestTLS(t *testing.T) {
	var (
		ok      = says(reply("", "OK"))
		good    = certificate(t, issued{names: []string{"a.example", "b.example"}})
		expired = certificate(t, issued{names: []string{"a.example"}, till: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), from: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)})
		early   = certificate(t, issued{names: []string{"a.example"}, from: time.Date(2999, 1, 2, 3, 4, 5, 0, time.UTC), till: time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)})
		self    = certificate(t, issued{names: []string{"a.example"}, selfSigned: true})
		address = certificate(t, issued{ips: []net.IP{net.IPv4(127, 0, 0, 1)}})
		many    = certificate(t, issued{names: []string{"1.example", "2.example", "3.example", "4.example", "5.example", "6.example", "7.example"}})
		nobody  = certificate(t, issued{})
		old     = func(version uint16) func(*tls.Config) {
			return func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, version }
		}
	)
	tests := []struct {
		name   string
		probe  []func(*config.Probe)
		sni    string
		do     behaviour
		reason string
	}{
		{"H-09 expired", []func(*config.Probe){careless}, "a.example", overTLS(t, expired, ok), ""},
		{"H-09 wrong name", []func(*config.Probe){careless}, "c.example", overTLS(t, good, ok), ""},
		{"H-09 self-signed", []func(*config.Probe){careless}, "", overTLS(t, self, ok), ""},
		{"verified", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, good, ok), ""},
		{"verified, absolute name", []func(*config.Probe){trusting(t)}, "a.example.", overTLS(t, good, ok), ""},
		{"verified address", []func(*config.Probe){trusting(t)}, "", overTLS(t, address, ok), ""},
		{"verified, expired", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, expired, ok), "certificate expired on 2026-01-02"},
		{"verified, too early", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, early, ok), "certificate is not valid before 2999-01-02"},
		{"verified, wrong name", []func(*config.Probe){trusting(t)}, "www.example.org", overTLS(t, good, ok),
			`certificate is not valid for "www.example.org" (it is for a.example, b.example)`},
		{"verified, wrong address", []func(*config.Probe){trusting(t)}, "", overTLS(t, good, ok),
			`certificate is not valid for "127.0.0.1" (it is for a.example, b.example)`},
		{"verified, for an address", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, address, ok),
			`certificate is not valid for "a.example" (it is for 127.0.0.1)`},
		{"verified, for many", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, many, ok),
			`certificate is not valid for "a.example" (it is for 1.example, 2.example, 3.example, 4.example, 5.example, 2 more)`},
		{"verified, for nobody", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, nobody, ok),
			`certificate is not valid for "a.example" (it has no names)`},
		{"verified, self-signed", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, self, ok), "certificate signed by unknown authority"},
		{"the CA replaces the system's", nil, "a.example", overTLS(t, good, ok), "certificate signed by unknown authority"},
		{"TLS 1.0, not verified", []func(*config.Probe){careless}, "a.example", overTLS(t, good, ok, old(tls.VersionTLS10)), ""},
		{"TLS 1.1, verified", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, good, ok, old(tls.VersionTLS11)), "server sent a TLS alert: protocol version not supported"},
		{"TLS 1.2, verified", []func(*config.Probe){trusting(t)}, "a.example", overTLS(t, good, ok, old(tls.VersionTLS12)), ""},
		{"not TLS", []func(*config.Probe){careless}, "a.example", then(reads, writes("HTTP/1.1 400 Bad Request\r\n\r\n")), "not a TLS reply: the port speaks plaintext HTTP"},
		{"closes", []func(*config.Probe){careless}, "a.example", reads, "connection closed in the TLS handshake"},
		{"resets", []func(*config.Probe){careless}, "a.example", then(reads, resets), "connection reset in the TLS handshake"},
		{"speaks something else", []func(*config.Probe){careless}, "a.example", overTLS(t, good, ok, func(c *tls.Config) { c.NextProtos = []string{"imap"} }),
			"server sent a TLS alert: no application protocol"},
		{"asks in vain for a certificate", []func(*config.Probe){careless}, "a.example",
			overTLS(t, good, ok, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }),
			"server sent a TLS alert: certificate required"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := at(serve(t, test.do))
			target.SNI = test.sni
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			prober := proberOf(t, config.ProbeHTTPS, append(test.probe, wants("OK"))...)
			expect(t, attempt(t, prober, target, patience), outcome, test.reason)
		})
	}
}

// reads takes one packet.
func reads(conn net.Conn) { conn.Read(make([]byte, 4096)) }

func TestTLSSilence(t *testing.T) {
	expect(t, attempt(t, proberOf(t, config.ProbeHTTPS), at(serve(t, silent)), briefly), Fail, "timed out in the TLS handshake")
}

// The server sees the name that the target has, or none, and the protocol that we speak.
func TestSNI(t *testing.T) {
	for _, name := range []string{"a.example", ""} {
		hello := make(chan *tls.ClientHelloInfo, 1)
		target := at(serve(t, overTLS(t, certificate(t, issued{}), says(reply("", "")), func(c *tls.Config) {
			c.GetConfigForClient = func(info *tls.ClientHelloInfo) (*tls.Config, error) { hello <- info; return nil, nil }
		})))
		target.SNI = name
		expect(t, attempt(t, proberOf(t, config.ProbeHTTPS, careless), target, patience), Pass, "")
		got := <-hello
		if got.ServerName != name {
			t.Errorf("Expected server name %q, got %q", name, got.ServerName)
		}
		if protocols := fmt.Sprint(got.SupportedProtos); protocols != "[h2 http/1.1]" {
			t.Errorf("Expected [h2 http/1.1], got %s", protocols)
		}
	}
}

func TestClientCertificate(t *testing.T) {
	own := certificate(t, issued{names: []string{"client.example"}})
	pool := x509.NewCertPool()
	pool.AddCert(testAuthority().Leaf)
	target := at(serve(t, overTLS(t, certificate(t, issued{}), says(reply("", "OK")), func(c *tls.Config) {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, pool
	})))
	prober := proberOf(t, config.ProbeHTTPS, careless, wants("OK"), func(p *config.Probe) {
		p.TLS.Cert, p.TLS.Key = file(t, "cert.pem", certPEM(own)), file(t, "key.pem", keyPEM(own))
	})
	expect(t, attempt(t, prober, target, patience), Pass, "")
}
