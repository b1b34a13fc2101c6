package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"time"
)

// Trace is everything about one attempt, for a person who looks at it. An attempt with one costs more; schedules make theirs without.
type Trace struct {
	Events []Event // in the order in which they ended
}

// Event is one step that an attempt took.
type Event struct {
	Step        Step
	Start       time.Duration // since the start of the attempt
	Took        time.Duration
	Detail      string       // one line; may be empty
	Reason      string       // why the attempt ended in the step; "" if it did not
	Certificate *Certificate // of StepTLS, if the server showed one
}

// Certificate is what a server's certificate says, and how the connection is kept.
type Certificate struct {
	Subject, Issuer     string // distinguished names
	NotBefore, NotAfter time.Time
	Names               []string // host names and addresses that it is for
	Verified            bool     // against the roots and the name
	Version             string   // of TLS; empty if the handshake failed
	Cipher              string
	Protocol            string // that ALPN agreed on; empty if none
}

type traceKey struct{}

// WithTrace returns a context whose next attempt fills the trace.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// describe returns the facts of a leaf certificate.
func describe(leaf *x509.Certificate) *Certificate {
	c := &Certificate{
		Subject: leaf.Subject.String(), Issuer: leaf.Issuer.String(),
		NotBefore: leaf.NotBefore.UTC(), NotAfter: leaf.NotAfter.UTC(), Names: leaf.DNSNames,
	}
	for _, ip := range leaf.IPAddresses {
		c.Names = append(c.Names, ip.String())
	}
	return c
}

// secured fills in what a handshake agreed on; e may be nil.
func (e *Event) secured(state tls.ConnectionState) {
	if e == nil {
		return
	}
	protocol := state.NegotiatedProtocol
	e.tell("%s, %s", tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite))
	if protocol != "" {
		e.Detail += ", " + protocol
	}
	if len(state.PeerCertificates) == 0 {
		return
	}
	e.Certificate = describe(state.PeerCertificates[0])
	e.Certificate.Verified = len(state.VerifiedChains) > 0
	e.Certificate.Version, e.Certificate.Cipher = tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite)
	e.Certificate.Protocol = protocol
}
