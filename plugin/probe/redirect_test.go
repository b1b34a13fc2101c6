package probe

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

func follows(p *config.Probe) { p.HTTP.Redirects = config.RedirectsFollow }

// site is a server that knows paths, and remembers who asked for what: "GET a.example/path".
type site struct {
	mu    sync.Mutex
	log   []string                                // guarded by mu
	pages map[string]func(r *http.Request) string // by path
}

func (s *site) serve(r *http.Request) string {
	host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	s.mu.Lock()
	s.log = append(s.log, r.Method+" "+host+r.URL.RequestURI()+r.Header.Get("Authorization"))
	s.mu.Unlock()
	if page := s.pages[r.URL.Path]; page != nil {
		return page(r)
	}
	return reply("", "OK")
}

// moved is a redirect; %d in the location becomes the port at which it was asked for.
func moved(code int, location string) func(*http.Request) string {
	return func(r *http.Request) string {
		_, port, _ := strings.Cut(r.Host, ":")
		return fmt.Sprintf("HTTP/1.1 %d Moved\r\nLocation: %s\r\n\r\n", code, strings.ReplaceAll(location, "PORT", port))
	}
}

func TestRedirects(t *testing.T) {
	known := names{
		"other.example":  {"::1", "127.0.0.1"},
		"six.example":    {"::1"},
		"a.example":      {"192.0.2.1"}, // not where the target is: asking there would fail
		"public.example": {"224.0.0.1"},
	}
	get := []string{"GET a.example/", "GET a.example/next"}
	tests := []struct {
		name     string
		method   string
		code     int
		location string
		reason   string
		log      []string // nil: the first request only
	}{
		{"relative", "GET", 302, "next", "", get},
		{"absolute path", "GET", 301, "/next?a=b", "", []string{"GET a.example/", "GET a.example/next?a=b"}},
		{"same host keeps the address", "GET", 301, "http://A.EXAMPLE:PORT/next", "", get},
		{"same host, network path", "GET", 301, "//a.example:PORT/next", "", get},
		{"other host, same family", "GET", 301, "http://other.example:PORT/next", "", []string{"GET a.example/", "GET other.example/next"}},
		{"literal address", "GET", 301, "http://127.0.0.1:PORT/next", "", []string{"GET a.example/", "GET 127.0.0.1/next"}},
		{"GET after 303", "GET", 303, "next", "", get},
		{"GET after 307", "GET", 307, "next", "", get},
		{"HEAD after 302", "HEAD", 302, "next", "", []string{"HEAD a.example/", "HEAD a.example/next"}},
		{"POST after 301", "POST", 301, "next", "", []string{"POST a.example/", "GET a.example/next"}},
		{"POST after 302", "POST", 302, "next", "", []string{"POST a.example/", "GET a.example/next"}},
		{"POST after 303", "POST", 303, "next", "", []string{"POST a.example/", "GET a.example/next"}},
		{"POST after 307", "POST", 307, "next", "", []string{"POST a.example/", "POST a.example/next"}},
		{"POST after 308", "POST", 308, "next", "", []string{"POST a.example/", "POST a.example/next"}},
		{"304 is judged", "GET", 304, "next", "", nil},
		{"no location", "GET", 302, "", "status 302 without a Location", nil},
		{"no URL", "GET", 302, "http://[", `redirect to "http://[": not a URL`, nil},
		{"no host", "GET", 302, "http:///next", `redirect to "http:///next": not an http or https URL`, nil},
		{"no port", "GET", 302, "http://a.example:0/", `redirect to "http://a.example:0/": not an http or https URL`, nil},
		{"another scheme", "GET", 302, "ftp://a.example/", `redirect to "ftp://a.example/": not an http or https URL`, nil},
		{"another scheme with a port", "GET", 302, "ftp://a.example:21/", `redirect to "ftp://a.example:21/": not an http or https URL`, nil},
		{"unknown host", "GET", 302, "http://b.example/", `redirect to "b.example": DNS resolution failed: "b.example" has no IPv4 address`, nil},
		{"other family", "GET", 302, "http://six.example/", `redirect to "six.example": DNS resolution failed: "six.example" has no IPv4 address`, nil},
		{"literal of the other family", "GET", 302, "http://[::1]/", `redirect to "::1": not an IPv4 address as at the start`, nil},
		{"multicast", "GET", 302, "http://public.example/", `redirect to "public.example": not a unicast address`, nil},
		{"unspecified", "GET", 302, "http://0.0.0.0/", `redirect to "0.0.0.0": not a unicast address`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			site := &site{pages: map[string]func(*http.Request) string{"/": moved(test.code, test.location)}}
			target := at(serve(t, replies(site.serve)))
			target.Host = "a.example"
			prober := proberOf(t, config.ProbeHTTP, follows, func(p *config.Probe) { p.HTTP.Method = test.method })
			prober.dialer.resolver = known
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			expect(t, attempt(t, prober, target, patience), outcome, test.reason)
			want := test.log
			if want == nil {
				want = []string{test.method + " a.example/"}
			}
			if got := strings.Join(site.log, ", "); got != strings.Join(want, ", ") {
				t.Errorf("Expected requests %s, got %s", strings.Join(want, ", "), got)
			}
		})
	}
}

func TestRedirectIsJudgedByDefault(t *testing.T) {
	target := at(serve(t, replies(moved(302, "/next"))))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP), target, patience), Pass, "")
}

// The last reply is judged: its code and its body.
func TestRedirectedReplyIsJudged(t *testing.T) {
	site := &site{pages: map[string]func(*http.Request) string{
		"/":     moved(302, "/two"),
		"/two":  moved(302, "/oops"),
		"/oops": func(*http.Request) string { return "HTTP/1.1 503 Oops\r\n\r\n" },
	}}
	target := at(serve(t, replies(site.serve)))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, follows), target, patience), Fail, "status 503, expected 200-399")
	site.pages["/two"] = moved(302, "/fine")
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, follows, wants("OK")), target, patience), Pass, "")
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, follows, wants("KO")), target, patience), Fail, `body lacks "KO"`)
}

func TestRedirectLoop(t *testing.T) {
	site := &site{pages: map[string]func(*http.Request) string{"/": moved(302, "/")}}
	target := at(serve(t, replies(site.serve)))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, follows), target, patience), Fail, `more than 10 redirects, the last to "/"`)
	if len(site.log) != 1+maxRedirects {
		t.Errorf("Expected %d requests, got %d", 1+maxRedirects, len(site.log))
	}
}

// What the probe sends of its own may be secret: it goes to the target's host only, also on the way back.
func TestRedirectHeaders(t *testing.T) {
	site := &site{pages: map[string]func(*http.Request) string{
		"/":  moved(302, "http://other.example:PORT/a"),
		"/a": moved(302, "http://a.example:PORT/b"),
	}}
	target := at(serve(t, replies(site.serve)))
	target.Host = "a.example"
	target.Headers = []config.Header{{Name: "authorization", Value: "!"}}
	prober := proberOf(t, config.ProbeHTTP, follows)
	prober.dialer.resolver = names{"other.example": {"127.0.0.1"}}
	expect(t, attempt(t, prober, target, patience), Pass, "")
	if got, want := strings.Join(site.log, ", "), "GET a.example/!, GET other.example/a, GET a.example/b!"; got != want {
		t.Errorf("Expected requests %s, got %s", want, got)
	}
}

// From http to https: the certificate is verified as an https probe verifies by default.
func TestRedirectToTLS(t *testing.T) {
	secure := serve(t, overTLS(t, certificate(t, issued{names: []string{"a.example"}}), says(reply("", "OK"))))
	target := at(serve(t, replies(moved(302, fmt.Sprintf("https://a.example:%d/", secure.Port())))))
	target.Host = "a.example"
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, follows), target, patience), Fail, "certificate signed by unknown authority")
}

// From https to http and to another https host: the probe's own settings apply, the name is the other host's.
func TestRedirectFromTLS(t *testing.T) {
	plain := serve(t, says(reply("", "OK")))
	other := serve(t, overTLS(t, certificate(t, issued{names: []string{"other.example"}}),
		says(fmt.Sprintf("HTTP/1.1 302 Found\r\nLocation: http://a.example:%d/\r\n\r\n", plain.Port()))))
	own := serve(t, overTLS(t, certificate(t, issued{names: []string{"a.example"}}),
		says(fmt.Sprintf("HTTP/1.1 302 Found\r\nLocation: https://other.example:%d/\r\n\r\n", other.Port()))))
	target := at(own)
	target.Host, target.SNI = "a.example", "a.example"
	prober := proberOf(t, config.ProbeHTTPS, follows, trusting(t))
	prober.dialer.resolver = names{"other.example": {"127.0.0.1"}}
	expect(t, attempt(t, prober, target, patience), Pass, "")
}

func TestRedirectKeepsFamily(t *testing.T) {
	site := &site{pages: map[string]func(*http.Request) string{"/": moved(302, "http://127.0.0.1/")}}
	target := at(serveOn(t, "[::1]:0", replies(site.serve)))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, follows), target, patience), Fail,
		`redirect to "127.0.0.1": not an IPv6 address as at the start`)
}

func TestKey(t *testing.T) {
	for _, test := range []struct{ host, want string }{
		{"A.Example", "a.example"},
		{"0:0::1", "::1"},
		{"::ffff:192.0.2.1", "192.0.2.1"},
		{"fe80::1%eth0", "fe80::1"},
	} {
		if got := key(test.host); got != test.want {
			t.Errorf("Expected %q for %q, got %q", test.want, test.host, got)
		}
	}
}
