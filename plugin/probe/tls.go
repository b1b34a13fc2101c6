package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// newTLS is the TLS configuration of a probe, without a server name.
func newTLS(p *config.Probe, f files) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if p.Type.IsHTTP() {
		c.NextProtos = []string{"http/1.1"} // we do not speak HTTP/2
	}
	if p.Type == config.ProbeHTTP { // it may be redirected to https: then as strictly as an https probe by default
		return c, nil
	}
	var err error
	if c.RootCAs, err = f.roots(p.TLS); err != nil {
		return nil, err
	}
	if c.Certificates, err = f.own(p.TLS); err != nil {
		return nil, err
	}
	if !p.TLS.Verify {
		// Who does not verify asks whether the server works, not whether it is safe: spec 2.2 wants "TLS 1.0 or
		// later", and a server that old often has only ciphers that Go no longer offers by itself.
		c.InsecureSkipVerify = true
		c.MinVersion = tls.VersionTLS10
		for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
			c.CipherSuites = append(c.CipherSuites, suite.ID)
		}
	}
	return c, nil
}

// handshake makes a TLS client of the connection. An empty server name sends none and verifies the address.
//
// Only the connection below may be closed afterwards, never the TLS client: that would say goodbye first, and for
// that wait seconds for a peer that does not read.
func handshake(ctx context.Context, conn net.Conn, base *tls.Config, name string, addr netip.Addr) (net.Conn, *finding) {
	c := base.Clone()
	if c.ServerName = name; name == "" {
		c.ServerName = addr.WithZone("").String() // crypto/tls verifies an address, but never sends it
	}
	client := tls.Client(conn, c)
	err := client.Handshake() // the context closes conn
	if err == nil {
		return client, nil
	}
	var (
		notTLS      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
	)
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &notTLS):
		return nil, failed("not a TLS reply: %s", quoted(notTLS.RecordHeader[:]))
	case errors.As(err, &certificate):
		return nil, judgeCertificate(certificate.Err, c.ServerName)
	}
	return nil, explain(ctx, shakingHands, err)
}

// judgeCertificate says what is wrong with a certificate that was to be valid for name.
func judgeCertificate(err error, name string) *finding {
	var (
		hostname  x509.HostnameError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		noRoots   x509.SystemRootsError
	)
	switch {
	case errors.As(err, &hostname):
		return failed("certificate is not valid for %s (%s)", quoted(name), namesOf(hostname.Certificate))
	case errors.As(err, &authority):
		return failed("certificate signed by unknown authority")
	case errors.As(err, &noRoots):
		return cannotTell("this host has no root certificates")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		if from := invalid.Cert.NotBefore; time.Now().Before(from) {
			return failed("certificate is not valid before %s", from.UTC().Format(time.DateOnly))
		}
		return failed("certificate expired on %s", invalid.Cert.NotAfter.UTC().Format(time.DateOnly))
	}
	return failed("certificate is not valid: %s", bare(err))
}

// namesOf lists whom a certificate is for. Common names do not count: nobody verifies them any more (RFC 9525).
func namesOf(c *x509.Certificate) string {
	const most = 5
	names := c.DNSNames
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	switch {
	case len(names) == 0:
		return "it has no names"
	case len(names) > most:
		names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return "it is for " + bare(errors.New(strings.Join(names, ", ")))
}
