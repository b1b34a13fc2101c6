package config

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Compares are the comparisons of `healthy OP NUMBER`.
func Compares() []string { return []string{">=", "<=", ">", "<", "==", "!="} }

// prometheus checks whom a prometheus probe asks, and what.
func (v *validator) prometheus(p *Probe) {
	q := p.Prometheus
	if q.URL != "" || !p.Places.Faulty {
		v.prometheusURL(p)
	}
	if q.Query == "" && !p.Places.Faulty {
		v.fault(p.Places.Of("query"), fmt.Sprintf("the prometheus probe %q has no query", p.Name), "`query EXPR`")
	}
	at := p.Places.Of("healthy")
	switch {
	case q.Compare == "":
		if !p.Places.Faulty {
			v.fault(at, fmt.Sprintf("the prometheus probe %q does not say what is healthy", p.Name), "`healthy OP NUMBER`")
		}
	case !slices.Contains(Compares(), q.Compare):
		v.oneOf(at, "healthy", q.Compare, Compares()...)
	case math.IsNaN(q.Number):
		v.fault(at, "healthy "+q.Compare+" NaN: nothing compares with it", "a number")
	}
	v.missing(p, q.Missing)
}

func (v *validator) prometheusURL(p *Probe) {
	at, text := p.Places.Of("url"), p.Prometheus.URL
	const expected = "`url http://HOST:PORT` or https, with a path if the server is below one"
	u, err := url.Parse(text)
	switch {
	case text == "":
		v.fault(at, fmt.Sprintf("the prometheus probe %q has no url", p.Name), expected)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		v.fault(at, fmt.Sprintf("url %q is no URL of a Prometheus", text), expected)
	case u.User != nil:
		v.fault(at, fmt.Sprintf("url %q holds a user", u.Redacted()), "`token FILE`")
	case u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(u.Path, "/api/v1/query"):
		v.fault(at, fmt.Sprintf("url %q is more than the server's", text), "the part before /api/v1/query; the expression belongs in `query`")
	default:
		v.hostOrAddress(at, "url", u.Hostname())
		if n, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || n == 0) {
			v.fault(at, fmt.Sprintf("port %s of url %q is out of range", u.Port(), text), "1 to 65535")
		}
	}
	if p.TLS.CA != "" && err == nil && u.Scheme != "https" {
		v.fault(p.Places.Of("ca"), fmt.Sprintf("\"ca\" in the prometheus probe %q, whose url is not https", p.Name), "an https url")
	}
}

// Address is the host, a name or an address, and the port of the server; the URL must be valid.
func (q Prometheus) Address() (host string, port uint16) {
	u, err := url.Parse(q.URL)
	if err != nil {
		return "", 0
	}
	port = 80
	if u.Scheme == "https" {
		port = 443
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		port = uint16(n)
	}
	return u.Hostname(), port
}
