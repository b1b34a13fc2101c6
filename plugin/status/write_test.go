package status

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestBodies refuses what cannot be meant, and says what can.
func TestBodies(t *testing.T) {
	b := newBench(t, local())
	for _, c := range []struct{ path, body, want string }{
		{"admin", ``, "the body cannot be read: EOF: expected a JSON object with objects, state, for, reason, author or force"},
		{"admin", `null`, `"objects" is empty`},
		{"admin", `[]`, "the body cannot be read"},
		{"admin", `{`, "the body cannot be read: unexpected EOF"},
		{"admin", `{} {}`, "more than one JSON value"},
		{"admin", `{} x`, "the body cannot be read"},
		{"admin", `{"object":["www"]}`, `unknown field "object": expected objects, state, for, reason, author or force; did you mean "objects"?`},
		{"admin", `{"objects":"www"}`, `"objects" is a JSON string`},
		{"admin", `{"objects":[]}`, `"objects" is empty`},
		{"admin", `{"objects":["a"` + strings.Repeat(`,"a"`, maxNamed) + `],"state":"enabled"}`, "1001 names: expected at most 1000"},
		{"admin", `{"objects":["www"]}`, `"" of "state" is unknown: expected enabled, disabled, draining, always, shifted or deregistered`},
		{"admin", `{"objects":["www"],"state":"disable"}`, `did you mean "disabled"?`},
		{"admin", `{"objects":["www"],"state":"disabled","for":"30"}`, `"30" of "for" is no duration`},
		{"admin", `{"objects":["www"],"state":"disabled","for":"-1m"}`, `"-1m" of "for" is no duration`},
		{"admin", `{"objects":["www"],"state":"disabled","reason":"a\nb"}`, `holds what cannot be printed`},
		{"admin", `{"objects":["www"],"state":"disabled","reason":"` + strings.Repeat("x", maxText+1) + `"}`, `"reason" has 501 bytes`},
		{"admin", `{"objects":["www"],"state":"disabled","author":"\u001b[31m"}`, `holds what cannot be printed`},
		{"failback", `{"groups":[]}`, `"groups" is empty`},
		{"push", `{"health":"healthy"}`, `"probe" is missing`},
		{"push", `{"probe":"x","health":"ok"}`, `"ok" of "health" is unknown: expected healthy or unhealthy`},
		{"push", `{"probe":"x","health":"healthy","at":"yesterday"}`, "the body cannot be read"},
		{"attempts", `{"checks":[]}`, `"checks" is empty`},
	} {
		w := b.answer((route{method: http.MethodPost, path: c.path}).ask(func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(c.body)) }))
		expectProblem(t, w, http.StatusBadRequest, c.want)
	}
	if n := b.backend.writes(); n > 0 {
		t.Errorf("Expected no write, got %d", n)
	}
}

// TestParameters refuses those that cannot be meant.
func TestParameters(t *testing.T) {
	b := newBench(t, local())
	for target, want := range map[string]string{
		"groups?nam=x":                                `there is no parameter "nam": expected name, after or limit; did you mean "name"?`,
		"groups?name=x&name=y":                        `parameter "name" stands there 2 times`,
		"groups?limit=0":                              `"0" of "limit" is out of range`,
		"groups?limit=many":                           `"many" of "limit" is out of range`,
		"groups?%zz":                                  "is no query",
		"groups?a;b":                                  "is no query",
		"explain":                                     `"name" is missing`,
		"explain?name=a..b&type=A":                    `"a..b" is no domain name`,
		"explain?name=www":                            `"" of "type" is no type`,
		"explain?name=www&type=AAA":                   `did you mean "AAAA"?`,
		"explain?name=www&type=AXFR":                  `no type that can be asked for`,
		"explain?name=www&type=A&client=":             "",
		"explain?name=www&type=A&client=192.0.2":      `"192.0.2" of "client" cannot be read`,
		"explain?name=www&type=A&client=192.0.2.0/33": `"192.0.2.0/33" of "client" cannot be read`,
	} {
		path, query, _ := strings.Cut(target, "?")
		w := b.answer((route{method: http.MethodGet, path: path}).ask(func(r *http.Request) { r.URL.RawQuery = query }))
		if want == "" {
			if w.Code != http.StatusOK {
				t.Errorf("Expected 200 for %s, got %d", target, w.Code)
			}
			continue
		}
		expectProblem(t, w, http.StatusBadRequest, want)
	}
}

// TestPaths says what is near a path that there is not.
func TestPaths(t *testing.T) {
	b := newBench(t, local())
	for path, want := range map[string]string{"group": `did you mean "/api/v1/groups"?`, "groups/": `did you mean "/api/v1/groups"?`, "../v1/groups": "there is no"} {
		expectProblem(t, b.answer((route{method: http.MethodGet, path: path}).ask()), http.StatusNotFound, want)
	}
	w := b.answer((route{method: http.MethodPut, path: "admin"}).ask())
	expectProblem(t, w, http.StatusMethodNotAllowed, "expected GET or POST")
	if got := w.Header().Get("Allow"); got != "GET, POST" {
		t.Errorf("Expected the methods that are allowed, got %q", got)
	}
}

// TestAudit: each write, done or refused, is one line that says who, from where, what and how it ended, and that cannot be made two.
func TestAudit(t *testing.T) {
	for name, c := range map[string]struct {
		edit []func(*http.Request)
		want string
	}{
		"done": {[]func(*http.Request){authorized(secret)},
			`INFO audit: "disabled www/192.0.2.1 for 30m: power" by "alice" from "192.0.2.1:1234 (token)": done`},
		"forced": {[]func(*http.Request){authorized(secret), func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(`{"objects":["www"],"state":"draining","force":true,"reason":"power"}`))
		}}, `INFO audit: "draining www, whatever is left: power" by "" from "192.0.2.1:1234 (token)": done`},
		"without a token": {nil, `WARNING audit: "/api/v1/admin" by "" from "192.0.2.1:1234": refused, 401 "not logged in"`},
		"unreadable": {[]func(*http.Request){authorized(secret), func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("{")) }},
			`refused, 400 "the body cannot be read: unexpected EOF"`},
		"two lines": {[]func(*http.Request){authorized(secret), func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(`{"objects":["www\nINFO audit: forged"],"state":"disabled"}`))
		}}, `INFO audit: "disabled www\nINFO audit: forged" by "" from "192.0.2.1:1234 (token)": done`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, withToken(t, false))
			b.answer((route{method: http.MethodPost, path: "admin"}).ask(c.edit...))
			b.answer(routes[0].ask())
			if got := b.log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, c.want) {
				t.Errorf("Expected one line with\n%s\ngot\n%s", c.want, got)
			}
		})
	}
	b := newBench(t, withToken(t, false))
	for range 100 {
		b.answer((route{method: http.MethodPost, path: "admin"}).ask(authorized("guess")))
	}
	if n := strings.Count(b.log.String(), "\n"); n != failuresAtOnce {
		t.Errorf("Expected %d lines of 100 guesses, got %d", failuresAtOnce, n)
	}
}
