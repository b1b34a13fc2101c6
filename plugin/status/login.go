package status

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/healthroute/healthroute/plugin/config"
)

// login tells who makes a request.
type login struct {
	token    string // file; "" for none
	ca       bool   // clients' certificates log in
	failures *failures
	told     *failures // whose refusals are in the log
}

// errNobody is that of a request without a token or certificate.
var errNobody = errors.New("not logged in")

// errWrong is that of a request with a wrong token.
var errWrong = errors.New("wrong token")

// certificate names the certificate that logs the request in; "" if none does.
func (l *login) certificate(r *http.Request) string {
	if l.ca && r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		return certificatePrefix + nameOf(r.TLS.VerifiedChains[0][0])
	}
	return ""
}

// certificatePrefix is before the name of a certificate.
const certificatePrefix = "certificate "

// nameOf is whose certificate it is, in one line: many have no common name.
func nameOf(c *x509.Certificate) string {
	name := c.Subject.CommonName
	switch {
	case name != "":
	case len(c.EmailAddresses) > 0:
		name = c.EmailAddresses[0]
	case len(c.URIs) > 0:
		name = c.URIs[0].String()
	case len(c.DNSNames) > 0:
		name = c.DNSNames[0]
	default:
		name = c.Subject.String()
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, name)
}

// byToken returns nil if the token of the request is right, and errNobody if there is none.
func (l *login) byToken(r *http.Request) error {
	given, ok := bearer(r)
	if !ok {
		return errNobody
	}
	if l.token == "" {
		return errWrong
	}
	want, err := readToken(l.token) // each time: a new token holds at once
	if err != nil {
		return err
	}
	// Digests are compared, so that the time tells nothing, not even a length.
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	if subtle.ConstantTimeCompare(a[:], b[:]) == 0 {
		return errWrong
	}
	return nil
}

// bearer returns the token of a request (RFC 6750 section 2.1).
func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "bearer") {
		return "", r.Header.Get("Authorization") != ""
	}
	return strings.TrimSpace(token), true
}

// readToken reads the file of a token, around which blanks do not count.
func readToken(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < config.MinToken {
		return "", fmt.Errorf("the token in %s has %d bytes: expected at least %d", name, len(token), config.MinToken)
	}
	return token, nil
}

// Failed logins: so many at once, and one more each time that a while has passed.
const (
	failuresAtOnce = 10
	failureEvery   = 6 * time.Second
	failuresKept   = 10_000 // clients that are remembered
)

// failures bound how often a client may fail to log in.
type failures struct {
	mu      sync.Mutex
	clients *lru.Cache[string, bucket] // guarded by mu, because a bucket is read, changed and stored
}

// bucket is how much a client may fail still.
type bucket struct {
	left float64
	at   time.Time // as of
}

func newFailures() *failures {
	clients, err := lru.New[string, bucket](failuresKept)
	if err != nil {
		panic(err) // the size is a constant above 0
	}
	return &failures{clients: clients}
}

// now is the client's bucket; it is called with mu held.
func (f *failures) now(client string) bucket {
	b, known := f.clients.Get(client)
	now := time.Now()
	if !known {
		return bucket{failuresAtOnce, now}
	}
	return bucket{math.Min(failuresAtOnce, b.left+now.Sub(b.at).Seconds()/failureEvery.Seconds()), now}
}

// locked returns how long the client has to wait until it may try again; 0 if it may.
func (f *failures) locked(client string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if missing := 1 - f.now(client).left; missing > 1e-9 { // what a float has lost is no wait
		return time.Duration(missing * float64(failureEvery))
	}
	return 0
}

// count takes a failure down.
func (f *failures) count(client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.now(client)
	b.left--
	f.clients.Add(client, b)
}

// another reports whether the client may fail once more, and takes that down.
func (f *failures) another(client string) bool {
	if f.locked(client) > 0 {
		return false
	}
	f.count(client)
	return true
}

// clientOf is what failures are counted by: an address, of IPv6 the network that one client has all of, or whoever has access to the socket.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "unix"
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	address = address.Unmap().WithZone("")
	if address.Is6() {
		return netip.PrefixFrom(address, 64).Masked().String()
	}
	return address.String()
}
