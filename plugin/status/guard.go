package status

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// guard is what stands before every route.
type guard struct {
	login  *login // nil where nobody needs to log in
	reads  bool   // reading needs it too
	names  func(host string) bool
	origin http.CrossOriginProtection
}

func newGuard(c *config.Status) *guard {
	g := &guard{reads: c.Reads, names: func(string) bool { return false }}
	if c.HasLogin() {
		g.login = &login{token: c.Token, ca: c.TLS.CA != "", failures: newFailures(), told: newFailures()}
	}
	if c.TLS.Cert != "" {
		k := &keys{files: c.TLS}
		g.names = func(host string) bool {
			current, err := k.current()
			return err == nil && current.Certificates[0].Leaf.VerifyHostname(host) == nil
		}
	}
	return g
}

// address refuses a request that was sent to another name than ours: a page of somebody else whose name leads to this host would otherwise make the
// browser of whoever visits it ask us (DNS rebinding). Literal addresses are nobody's names, and localhost, this host's own name and those of our
// certificate are ours. No other page may make a browser write, either, and there is no CORS.
func (g *guard) address(r *http.Request) *Problem {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	_, err := netip.ParseAddr(host)
	own, _ := os.Hostname()
	switch {
	case err == nil, strings.EqualFold(host, "localhost"), host != "" && strings.EqualFold(host, own), g.names(host):
	default:
		return problem(http.StatusMisdirectedRequest, fmt.Sprintf("%q is not a name of this server", r.Host),
			"its address, localhost, or a name of its certificate in the Host header")
	}
	if err := g.origin.Check(r); err != nil {
		return problem(http.StatusForbidden, "a page of somebody else's must not write", "no Origin, or this server's own")
	}
	return nil
}

// admit refuses a request that has not logged in where it has to, and tells who makes the others. A wrong token is refused everywhere. A
// client that has guessed too often waits, whatever token it has now: otherwise it would simply go on guessing. A certificate is no guess, and nor is a
// request with nothing, so neither a program that has forgotten its token nor whoever guesses beside it keeps an operator out.
func (g *guard) admit(w http.ResponseWriter, r *http.Request, writes bool) (who string, refused *Problem, err error) {
	if g.login == nil {
		return "", nil, nil
	}
	needed := writes || g.reads
	if _, tries := bearer(r); !needed && !tries {
		return "", nil, nil
	}
	if who = g.login.certificate(r); who != "" {
		return who, nil, nil
	}
	client := clientOf(r)
	if wait := g.login.failures.locked(client); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		return "", problem(http.StatusTooManyRequests, "too many wrong tokens", "another try later"), nil
	}
	switch err = g.login.byToken(r); {
	case err == nil:
		return "token", nil, nil
	case errors.Is(err, errWrong):
		g.login.failures.count(client)
	case !errors.Is(err, errNobody):
		return "", nil, err // our own fault
	}
	if g.login.token != "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="healthroute"`)
	}
	return "", problem(http.StatusUnauthorized, err.Error(), g.login.expected()), nil
}

// expected is what logs in.
func (l *login) expected() string {
	switch {
	case l.token == "":
		return "a client certificate"
	case l.ca:
		return "a client certificate, or `Authorization: Bearer TOKEN`"
	}
	return "`Authorization: Bearer TOKEN`"
}
