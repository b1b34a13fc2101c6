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
		g.login = &login{token: c.Token, ca: c.TLS.CA != "", failures: newFailures()}
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
// client that has failed too often waits, whatever it has now: otherwise it would simply go on guessing.
func (g *guard) admit(w http.ResponseWriter, r *http.Request, writes bool) (who string, refused *Problem, err error) {
	if g.login == nil {
		return "", nil, nil
	}
	needed := writes || g.reads
	if _, tries := bearer(r); !needed && !tries {
		return "", nil, nil
	}
	client := clientOf(r)
	if wait := g.login.failures.locked(client); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		return "", problem(http.StatusTooManyRequests, "too many failed logins", "another try later"), nil
	}
	who, err = g.login.who(r)
	switch {
	case err == nil:
		return who, nil, nil
	case !errors.Is(err, errNobody) && !errors.Is(err, errWrong):
		return "", nil, err // our own fault
	}
	g.login.failures.count(client)
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
