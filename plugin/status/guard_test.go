package status

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLogin tries every route without a token, with a wrong one and with the right one, where reading is open and where it is not.
func TestLogin(t *testing.T) {
	for _, reads := range []bool{false, true} {
		for _, r := range finite() {
			t.Run(fmt.Sprintf("%s %s, reads %t", r.method, r.path, reads), func(t *testing.T) {
				b := newBench(t, withToken(t, reads))
				open := r.method == http.MethodGet && !reads
				w := b.answer(r.ask())
				if open != (w.Code == http.StatusOK) {
					t.Errorf("Expected open %t without a token, got %d", open, w.Code)
				}
				if !open {
					expectProblem(t, w, http.StatusUnauthorized, "not logged in")
					if w.Header().Get("WWW-Authenticate") == "" {
						t.Error("Expected WWW-Authenticate, got none")
					}
				}
				for _, wrong := range []string{"", "wrong", secret + "x", secret[:len(secret)-1], strings.ToUpper(secret)} {
					expectProblem(t, b.answer(r.ask(authorized(wrong))), http.StatusUnauthorized, "wrong token")
				}
				expectProblem(t, b.answer(r.ask(func(r *http.Request) { r.SetBasicAuth("alice", secret) })), http.StatusUnauthorized, "wrong token")
				if n := b.backend.writes(); n > 0 {
					t.Errorf("Expected no write, got %d", n)
				}
				if w := b.answer(r.ask(authorized(secret))); w.Code >= 300 {
					t.Errorf("Expected success with the token, got %d %s", w.Code, w.Body)
				}
			})
		}
	}
}

// TestTokenIsReadAgain: a new token holds at once, and one that cannot be read lets nobody in.
func TestTokenIsReadAgain(t *testing.T) {
	c := withToken(t, true)
	b := newBench(t, c)
	const next = "a token for tomorrow"
	if err := os.WriteFile(c.Token, []byte(next), 0o600); err != nil {
		t.Fatal(err)
	}
	expectProblem(t, b.answer(routes[0].ask(authorized(secret))), http.StatusUnauthorized, "wrong token")
	if w := b.answer(routes[0].ask(authorized(next))); w.Code != http.StatusOK {
		t.Errorf("Expected the new token to log in, got %d", w.Code)
	}
	for _, broken := range []string{"", "short"} {
		if err := os.WriteFile(c.Token, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		expectProblem(t, b.answer(routes[0].ask(authorized(broken))), http.StatusInternalServerError, "a fault of this server")
	}
	if err := CheckFiles(c); err == nil || !strings.Contains(err.Error(), "has 5 bytes: expected at least 16") {
		t.Errorf("Expected a short token to be refused at the start, got: %v", err)
	}
}

// TestFailedLogins lets a client fail ten times, then one more time each six seconds, and nobody else waits for that.
func TestFailedLogins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, withToken(t, true))
		try := func(from, token string) int {
			return b.answer(routes[0].ask(authorized(token), func(r *http.Request) { r.RemoteAddr = from })).Code
		}
		for i := range 10 {
			if code := try(fmt.Sprintf("198.51.100.7:%d", i+1), "guess"); code != http.StatusUnauthorized {
				t.Fatalf("Expected 401 for try %d, got %d", i+1, code)
			}
		}
		for _, token := range []string{"guess", secret} {
			if code := try("198.51.100.7:99", token); code != http.StatusTooManyRequests {
				t.Errorf("Expected 429 after ten failures, whatever the token, got %d", code)
			}
		}
		w := b.answer(routes[0].ask(func(r *http.Request) { r.RemoteAddr = "198.51.100.7:100" }))
		if got := w.Header().Get("Retry-After"); got != "6" {
			t.Errorf("Expected to have to wait 6 s, got %q", got)
		}
		if code := try("198.51.100.8:1", secret); code != http.StatusOK {
			t.Errorf("Expected another client not to wait, got %d", code)
		}
		for i := range 10 { // all of one network, which is one client's
			try(fmt.Sprintf("[2001:db8::%d]:1", i+1), "guess")
		}
		if code := try("[2001:db8::ffff]:1", secret); code != http.StatusTooManyRequests {
			t.Errorf("Expected 429 for the same /64, got %d", code)
		}
		if code := try("[2001:db8:0:1::1]:1", secret); code != http.StatusOK {
			t.Errorf("Expected another /64 not to wait, got %d", code)
		}
		time.Sleep(6 * time.Second)
		if code := try("198.51.100.7:99", secret); code != http.StatusOK {
			t.Errorf("Expected to be let in after six seconds, got %d", code)
		}
		if n := strings.Count(b.log.String(), "audit"); n > 0 {
			t.Errorf("Expected no audit line for reading, got %d", n)
		}
	})
}

// TestNoTokenIsNoGuess: whoever sends no token may do so as often as he likes, without keeping out those who have one, and without filling the log.
func TestNoTokenIsNoGuess(t *testing.T) {
	b := newBench(t, withToken(t, true))
	push := slices.IndexFunc(routes, func(r route) bool { return r.path == "push" })
	for range 3 * failuresAtOnce {
		expectProblem(t, b.answer(routes[push].ask()), http.StatusUnauthorized, "not logged in")
	}
	if w := b.answer(routes[push].ask(authorized(secret))); w.Code != http.StatusOK {
		t.Errorf("Expected the token to log in, got %d %s", w.Code, w.Body)
	}
	if n := strings.Count(b.log.String(), `refused, 401 "not logged in"`); n != failuresAtOnce {
		t.Errorf("Expected %d lines of refusals, got %d", failuresAtOnce, n)
	}
}

// TestForeignHost tries every route with names that are not this server's: those of a page that leads a browser here (DNS rebinding).
func TestForeignHost(t *testing.T) {
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range finite() {
		b := newBench(t, local())
		for _, name := range []string{"other.example", "other.example:8053", "localhost.other.example", "127.0.0.1.other.example", "", ":8053", "[", "other.example:"} {
			expectProblem(t, b.answer(r.ask(hosted(name))), http.StatusMisdirectedRequest, "is not a name of this server")
		}
		if n := b.backend.writes(); n > 0 {
			t.Errorf("Expected no write, got %d", n)
		}
		for _, name := range []string{"127.0.0.1", "127.0.0.1:8053", "[::1]:8053", "[::1]", "localhost", "LOCALHOST:8053", "192.0.2.1:8053", own} {
			if w := b.answer(r.ask(hosted(name))); w.Code >= 300 {
				t.Errorf("Expected %q to be a name of this server, got %d %s", name, w.Code, w.Body)
			}
		}
	}
}

// TestForeignPage: a page of somebody else's cannot make a browser write, and is not told that it may read.
func TestForeignPage(t *testing.T) {
	b := newBench(t, local())
	for _, r := range finite() {
		for header, value := range map[string]string{"Origin": "http://other.example", "Sec-Fetch-Site": "cross-site"} {
			w := b.answer(r.ask(func(r *http.Request) { r.Header.Set(header, value) }))
			if r.method == http.MethodPost {
				expectProblem(t, w, http.StatusForbidden, "a page of somebody else's")
			}
			for name := range w.Header() {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("Expected no CORS, got %s", name)
				}
			}
		}
		if r.method == http.MethodPost { // what a page can send without asking first
			for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain; application/json"} {
				w := b.answer(r.ask(func(r *http.Request) { r.Header.Set("Content-Type", kind) }))
				expectProblem(t, w, http.StatusUnsupportedMediaType, "expected application/json")
			}
		}
		w := b.answer(r.ask(func(r *http.Request) { r.Method = http.MethodOptions }))
		expectProblem(t, w, http.StatusMethodNotAllowed, "cannot be done to")
	}
	if n := b.backend.writes(); n > 0 {
		t.Errorf("Expected no write, got %d", n)
	}
}

// TestOversizedBody: more than the limit is refused, however it comes.
func TestOversizedBody(t *testing.T) {
	b := newBench(t, local())
	for _, r := range finite() {
		if r.method != http.MethodPost {
			continue
		}
		for _, body := range []string{
			`{"reason":"` + strings.Repeat("x", maxBody) + `"}`,
			strings.Repeat(" ", maxBody) + bodies[r.path],
			bodies[r.path] + strings.Repeat(" ", maxBody),
			strings.Repeat("[", maxBody+1),
		} {
			w := b.answer(r.ask(func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(body)) }))
			if w.Code != http.StatusRequestEntityTooLarge && w.Code != http.StatusBadRequest {
				t.Errorf("Expected a body of %d bytes to be refused, got %d %s", len(body), w.Code, w.Body)
			}
		}
	}
	if n := b.backend.writes(); n > 0 {
		t.Errorf("Expected no write, got %d", n)
	}
}

// TestSlowBackend: a request has an end even if the backend has none.
func TestSlowBackend(t *testing.T) {
	for _, r := range finite() {
		if r.path == "openapi.json" {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, local())
			b.backend.block = true
			began := time.Now()
			expectProblem(t, b.answer(r.ask()), http.StatusServiceUnavailable, "this took too long")
			if took := time.Since(began); took != handleTimeout {
				t.Errorf("Expected an end after %s, got %s", handleTimeout, took)
			}
		})
	}
}

// TestBrokenBackend: what is the server's fault goes to the log, and not over the wire.
func TestBrokenBackend(t *testing.T) {
	b := newBench(t, local())
	b.backend.err = io.ErrUnexpectedEOF
	w := b.answer(routes[0].ask())
	expectProblem(t, w, http.StatusInternalServerError, "a fault of this server")
	if strings.Contains(w.Body.String(), "EOF") || !strings.Contains(b.log.String(), "unexpected EOF") {
		t.Errorf("Expected the fault in the log alone, got %s and\n%s", w.Body, b.log)
	}
	b.Handler.options.Backend = nil // which panics
	expectProblem(t, b.answer(routes[0].ask()), http.StatusInternalServerError, "a fault of this server")
}
