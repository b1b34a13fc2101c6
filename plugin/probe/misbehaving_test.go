package probe

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// counting counts the connections of a prober that are open.
func counting(p *Prober) *atomic.Int32 {
	var open atomic.Int32
	dial := p.dialer.dial
	p.dialer.dial = func(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
		conn, err := dial(ctx, at)
		if err == nil {
			open.Add(1)
			conn = &counted{Conn: conn, open: &open}
		}
		return conn, err
	}
	return &open
}

// counted is a connection that says once that it is closed.
type counted struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// TestEveryTypeAgainstMisbehavingServers lets each type meet each server. Whatever the server does, the attempt ends within its
// timeout with a reason, and with no connection open; that no goroutine is left TestMain sees.
func TestEveryTypeAgainstMisbehavingServers(t *testing.T) {
	garbage := strings.Repeat("\x00\xff\x16\x03", 2000)
	servers := []struct {
		name                   string
		do                     behaviour
		http, https, tcp, slow string // reasons; of slow servers, the word that all reasons have
	}{
		{name: "says nothing", do: silent, slow: "timed out"},
		{name: "is never read", do: func(conn net.Conn) { reads(conn); conn.(*net.TCPConn).CloseRead(); silent(conn) }, slow: ""},
		{name: "closes at once", do: func(net.Conn) {}, http: "connection ...", https: "connection ...", tcp: "connection ..."},
		{name: "resets at once", do: resets, http: "connection ...", https: "connection ...", tcp: "connection ..."},
		{name: "answers garbage", do: then(reads, writes(garbage), silent),
			http: "not an HTTP reply: ...", https: "not a TLS reply: ...", tcp: "the first 5120 bytes of the reply do not match ..."},
		{name: "speaks plaintext", do: then(reads, writes(reply("", "lost"))),
			http: `body lacks "OK"`, https: "not a TLS reply: the port speaks plaintext HTTP", tcp: "connection ..."},
		{name: "speaks TLS", do: overTLS(t, certificate(t, issued{}), says(reply("", "lost"))),
			http: "connection ...", https: `body lacks "OK"`, tcp: "connection ..."}, // crypto/tls gives no plaintext a reply
		{name: "sends a TLS alert", do: then(reads, writes("\x15\x03\x03\x00\x02\x02\x50"), silent),
			http: "not an HTTP reply: the port speaks TLS", https: "server sent a TLS alert: internal error", tcp: "timed out ..."},
	}
	for _, server := range servers {
		for _, kind := range []config.ProbeType{config.ProbeHTTP, config.ProbeHTTPS, config.ProbeTCP} {
			t.Run(server.name+", "+string(kind), func(t *testing.T) {
				change := func(p *config.Probe) { wants("OK")(p); careless(p) }
				reason := map[config.ProbeType]string{config.ProbeHTTP: server.http, config.ProbeHTTPS: server.https}[kind]
				if kind == config.ProbeTCP {
					change, reason = exchanges("hello\r\n\r\n", "^OK"), server.tcp
				}
				deadline := patience
				if reason == "" || strings.HasPrefix(reason, "timed out") {
					deadline = briefly
				}
				prober := proberOf(t, kind, change)
				open := counting(prober)
				got := attempt(t, prober, at(serve(t, server.do)), deadline)
				switch {
				case reason != "":
					expect(t, got, Fail, reason)
				case got.Outcome != Fail || !strings.Contains(got.Reason, server.slow):
					t.Errorf("Expected a failure with %q, got %v %q", server.slow, got.Outcome, got.Reason)
				}
				if n := open.Load(); n != 0 {
					t.Errorf("Expected every connection closed, got %d open", n)
				}
			})
		}
	}
}

// A server that drips a byte a second gets no more time than any other, wherever in its reply it does so.
func TestDrippingServers(t *testing.T) {
	drips := func(text string) []any {
		var parts []any
		for i := range len(text) {
			parts = append(parts, time.Second, text[i:i+1])
		}
		return parts
	}
	long := strings.Repeat("x", 100)
	tests := []struct {
		name   string
		kind   config.ProbeType
		change func(*config.Probe)
		parts  []any
		reason string
	}{
		{"status line", config.ProbeHTTP, wants("OK"), drips("HTTP/1.1 200 " + long), "timed out while reading the headers"},
		{"headers", config.ProbeHTTP, wants("OK"), append([]any{"HTTP/1.1 200 OK\r\n"}, drips("A: "+long)...), "timed out while reading the headers"},
		{"body", config.ProbeHTTP, wants("OK"), append([]any{"HTTP/1.1 200 OK\r\n\r\n"}, drips(long)...), "timed out while reading the body"},
		{"compressed body", config.ProbeHTTP, wants("OK"),
			append([]any{"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"}, drips(packed(t, gzipped, long))...), "timed out while reading the body"},
		{"chunks", config.ProbeHTTP, wants("OK"),
			append([]any{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"}, drips(strings.Repeat("1\r\nx\r\n", 20))...), "timed out while reading the body"},
		{"interim replies", config.ProbeHTTP, wants("OK"), drips("HTTP/1.1 100 Continue\r\n\r\n"), "timed out while reading the headers"},
		{"TLS", config.ProbeHTTPS, wants("OK"), drips("\x16\x03\x03\x00\x7a\x02" + long), "timed out in the TLS handshake"},
		{"tcp", config.ProbeTCP, exchanges("GET / HTTP/1.1\r\n\r\n", "^OK"), drips(long),
			`timed out waiting for a reply that matches "^OK", got "xxxxxxxxx"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				prober := proberOf(t, test.kind, test.change)
				var servers sync.WaitGroup
				defer servers.Wait()
				do := after(test.parts...)
				if test.kind == config.ProbeHTTPS { // what arrives is no request
					do = func(conn net.Conn) {
						go reads(conn)
						for _, part := range test.parts {
							if d, ok := part.(time.Duration); ok {
								time.Sleep(d) // virtual
							} else if _, err := conn.Write([]byte(part.(string))); err != nil {
								return
							}
						}
					}
				}
				prober.dialer.dial = slow(&servers, 500*time.Millisecond, do)
				open := counting(prober)
				got := attempt(t, prober, Target{Address: netip.MustParseAddr("127.0.0.1"), Port: 80}, 10*time.Second)
				expect(t, got, Fail, test.reason)
				if got.Duration != 10*time.Second || open.Load() != 0 {
					t.Errorf("Expected an attempt of 10s and no connection left, got %v and %d", got.Duration, open.Load())
				}
			})
		})
	}
}

// Redirects lead to another host of the same family, never to one of the other, and not in circles; no connection stays.
func TestRedirectsLeaveNothing(t *testing.T) {
	for _, test := range []struct{ location, reason string }{
		{"/", `more than 10 redirects, the last to "/"`},
		{"http://six.example/", `redirect to "six.example": DNS resolution failed: "six.example" has no IPv4 address`},
		{"http://[::1]/", `redirect to "::1": not an IPv4 address as at the start`},
	} {
		server := serve(t, replies(func(*http.Request) string { return "HTTP/1.1 302 Found\r\nLocation: " + test.location + "\r\n\r\n" }))
		prober := proberOf(t, config.ProbeHTTP, follows)
		prober.dialer.resolver = names{"six.example": {"::1"}}
		open := counting(prober)
		expect(t, attempt(t, prober, at(server), patience), Fail, test.reason)
		if n := open.Load(); n != 0 {
			t.Errorf("Expected every connection closed after %s, got %d open", test.location, n)
		}
	}
}
