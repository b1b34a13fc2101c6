package status

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzRequest sends requests as they come over the wire: each gets one reply that openapi.json describes, none writes without a token, and nothing
// panics.
func FuzzRequest(f *testing.F) {
	for _, r := range finite() {
		f.Add(r.method+" "+base+r.path+queries[r.path]+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n", bodies[r.path], true)
	}
	f.Add("POST "+base+"admin HTTP/1.1\r\nHost: other.example\r\nOrigin: null\r\nAuthorization: Bearer\r\n", `{"objects":["*"],"state":"disabled"}`, false)
	f.Add("GET "+base+"groups?name=%2a&limit=10000&after=%00 HTTP/1.0\r\nHost: [::1\r\n", "", false)
	f.Add("GET "+base+"events?after=x-1 HTTP/1.1\r\nHost: 127.0.0.1\r\nLast-Event-ID: -\r\n", "", false)
	c := withToken(f, false)
	d := readDocument(f)
	f.Fuzz(func(t *testing.T, head, body string, login bool) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.TrimRight(head, "\r\n") + "\r\n\r\n")))
		if err != nil {
			return // which net/http refuses by itself
		}
		r.RemoteAddr = "192.0.2.1:1234"
		r.Body = http.NoBody
		if body != "" {
			r.Body = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)).Body
		}
		r.Header.Del("Authorization")
		if login {
			r.Header.Set("Authorization", "Bearer "+secret)
		}
		b := newBench(t, c)
		w := b.answer(r)
		if strings.Contains(b.log.String(), "panicked") {
			t.Fatalf("Expected no panic, got:\n%s", b.log)
		}
		if writes := b.backend.writes(); writes > 0 && (!login || r.Method != http.MethodPost || w.Code >= 300) {
			t.Errorf("Expected no write by %s with code %d, logged in %t", r.Method, w.Code, login)
		}
		if w.Code >= 300 && r.URL.Path != base+"events" {
			d.expect(t, &schema{Ref: "#/components/schemas/Problem"}, w.Body.Bytes())
		} else if !json.Valid(w.Body.Bytes()) {
			t.Errorf("Expected JSON, got %s", w.Body)
		}
	})
}

// FuzzFind: whatever somebody writes, what is found is there, and an object's own name finds it.
func FuzzFind(f *testing.F) {
	for _, word := range []string{"www", "*/*", "pool app/*", "site ?ra", "shift ", "group group x", "a/b/c", "***", strings.Repeat("*a", 200)} {
		f.Add(word)
	}
	known := things()
	f.Fuzz(func(t *testing.T, word string) {
		found, p := Find(word, known)
		if (p == nil) != (len(found) > 0) {
			t.Errorf("Expected objects or a problem, got %v, %v", found, p)
		}
		for _, o := range found {
			if again, p := Find(o.String(), known); p != nil || len(again) != 1 || again[0] != o {
				t.Errorf("Expected %s to be found by its name, got %v, %v", o, again, p)
			}
		}
	})
}
