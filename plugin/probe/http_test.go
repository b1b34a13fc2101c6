package probe

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

func ranges(pairs ...int) func(*config.Probe) {
	return func(p *config.Probe) {
		p.HTTP.Expect = nil
		for i := 0; i < len(pairs); i += 2 {
			p.HTTP.Expect = append(p.HTTP.Expect, config.CodeRange{From: pairs[i], To: pairs[i+1]})
		}
	}
}

func TestStatus(t *testing.T) {
	tests := []struct {
		name   string
		expect func(*config.Probe)
		code   int
		reason string // "" passes
	}{
		{"H-01 route53 301", ranges(200, 399), 301, ""},
		{"H-02 traffic_manager 301", ranges(200, 200), 301, "status 301, expected 200"},
		{"H-03 traffic_manager 204", ranges(200, 200), 204, "status 204, expected 200"},
		{"H-04 ranges 204", ranges(200, 299, 301, 301), 204, ""},
		{"H-04 ranges 301", ranges(200, 299, 301, 301), 301, ""},
		{"H-04 ranges 302", ranges(200, 299, 301, 301), 302, "status 302, expected 200-299,301"},
		{"H-05 nlb 399", ranges(200, 399), 399, ""},
		{"H-05 nlb 400", ranges(200, 399), 400, "status 400, expected 200-399"},
		{"switched protocols", ranges(101, 101), 101, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, says(fmt.Sprintf("HTTP/1.1 %d Whatever\r\n\r\n", test.code)))
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			expect(t, attempt(t, proberOf(t, config.ProbeHTTP, test.expect), at(server), patience), outcome, test.reason)
		})
	}
}

// What a server may do wrong before its reply is complete.
func TestMisbehavingServers(t *testing.T) {
	request := func(conn net.Conn) { http.ReadRequest(bufio.NewReader(conn)) }
	tests := []struct {
		name   string
		do     behaviour
		reason string
	}{
		{"closes at once", func(net.Conn) {}, "connection ..."},
		{"closes after the request", request, "connection closed after connecting, waiting for the status line"},
		{"resets", then(request, resets), "connection reset after connecting, waiting for the status line"},
		{"speaks another protocol", says("SSH-2.0-OpenSSH_9.9\r\nmore"), `not an HTTP reply: "SSH-2.0-OpenSSH_9.9"`},
		{"speaks it briefly", says("hi"), `not an HTTP reply: "hi"`},
		{"speaks TLS", says("\x15\x03\x01\x00\x02\x02\x46"), "not an HTTP reply: the port speaks TLS"},
		{"speaks at length", says(strings.Repeat("x", 5000)), `not an HTTP reply: "` + strings.Repeat("x", 64) + `"...`},
		{"sends half a status line", says("HTTP/1.1 20"), "connection closed while reading the headers"},
		{"sends half its headers", says("HTTP/1.1 200 OK\r\nA: b\r\n"), "connection closed while reading the headers"},
		{"sends no status code", says("HTTP/1.1 OK\r\n\r\n"), "malformed HTTP reply: malformed HTTP status code..."},
		{"sends no header", says("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), "malformed HTTP reply: malformed MIME header..."},
		{"sends a wrong length", says("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), "malformed HTTP reply: bad Content-Length..."},
		{"sends endless headers", then(request, writes("HTTP/1.1 200 OK\r\n"), repeats("A: b\r\n")), "status line and headers exceed 16384 bytes"},
		{"sends an endless line", then(request, writes("HTTP/1.1 200 "), repeats("OK ")), "status line and headers exceed 16384 bytes"},
		{"never comes to the point", then(request, repeats("HTTP/1.1 100 Continue\r\n\r\n")), "more than 10 interim replies (1xx)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			expect(t, attempt(t, proberOf(t, config.ProbeHTTP), at(serve(t, test.do)), patience), Fail, test.reason)
		})
	}
}

// writes writes without reading first.
func writes(text string) behaviour { return func(conn net.Conn) { conn.Write([]byte(text)) } }

func TestSilentServer(t *testing.T) {
	tests := []struct {
		name, start, reason string
	}{
		{"nothing", "", "timed out after connecting, waiting for the status line"},
		{"half the headers", "HTTP/1.1 200 OK\r\n", "timed out while reading the headers"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, then(says(test.start), silent))
			expect(t, attempt(t, proberOf(t, config.ProbeHTTP), at(server), briefly), Fail, test.reason)
		})
	}
}

// A header of exactly 16 KiB is accepted, one byte more is not (spec 2.2).
func TestHeaderLimit(t *testing.T) {
	for _, test := range []struct {
		size    int
		outcome Outcome
		reason  string
	}{
		{maxHeader, Pass, ""},
		{maxHeader + 1, Fail, "status line and headers exceed 16384 bytes"},
	} {
		const frame = "HTTP/1.1 200 OK\r\nA: \r\n\r\n"
		text := "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", test.size-len(frame)) + "\r\n\r\n"
		server := serve(t, says(text+"the body"))
		expect(t, attempt(t, proberOf(t, config.ProbeHTTP, wants("body")), at(server), patience), test.outcome, test.reason)
	}
}

func TestInterimReplies(t *testing.T) {
	server := serve(t, says(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", maxInterim)+reply("", "OK")))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, wants("OK")), at(server), patience), Pass, "")
}

// A cancelled context is not the target's fault, however far the attempt has come.
func TestAbandoned(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := serve(t, replies(func(*http.Request) string { cancel(); return "" }))
	silence := serve(t, func(conn net.Conn) { http.ReadRequest(bufio.NewReader(conn)); cancel(); silent(conn) })
	prober := proberOf(t, config.ProbeHTTP)
	expect(t, prober.Attempt(ctx, at(silence)), CannotTell, "attempt abandoned")
	expect(t, prober.Attempt(ctx, at(server)), CannotTell, "attempt abandoned") // before it began
}

func TestRequest(t *testing.T) {
	var (
		v4 = netip.MustParseAddr("127.0.0.1")
		v6 = netip.MustParseAddr("::1")
	)
	tests := []struct {
		name   string
		kind   config.ProbeType
		change func(*config.Probe)
		target Target
		want   string // lines in the order in which they are sent
	}{
		{"defaults", config.ProbeHTTP, nil, Target{Address: v4, Port: 80},
			"GET / HTTP/1.1|Host: 127.0.0.1|User-Agent: healthroute/" + Version + "|Connection: close"},
		{"other port", config.ProbeHTTP, nil, Target{Address: v4, Port: 443},
			"GET / HTTP/1.1|Host: 127.0.0.1:443|User-Agent: healthroute/" + Version + "|Connection: close"},
		{"address of IPv6", config.ProbeHTTP, nil, Target{Address: v6, Port: 80},
			"GET / HTTP/1.1|Host: [::1]|User-Agent: healthroute/" + Version + "|Connection: close"},
		{"address of IPv6, other port", config.ProbeHTTP, nil, Target{Address: v6, Port: 8080},
			"GET / HTTP/1.1|Host: [::1]:8080|User-Agent: healthroute/" + Version + "|Connection: close"},
		{"host", config.ProbeHTTP, nil, Target{Address: v4, Port: 8080, Host: "www.example.org."},
			"GET / HTTP/1.1|Host: www.example.org:8080|User-Agent: healthroute/" + Version + "|Connection: close"},
		{"port of https", config.ProbeHTTPS, nil, Target{Address: v4, Port: 443, Host: "www.example.org"},
			"GET / HTTP/1.1|Host: www.example.org|User-Agent: healthroute/" + Version + "|Connection: close"},
		{"path, method, agent", config.ProbeHTTP, func(p *config.Probe) {
			p.HTTP.Method, p.HTTP.Path, p.HTTP.UserAgent = "HEAD", "//a%2Fb?c=d&e", "robot"
		}, Target{Address: v4, Port: 80},
			"HEAD //a%2Fb?c=d&e HTTP/1.1|Host: 127.0.0.1|User-Agent: robot|Connection: close"},
		{"the target's headers win", config.ProbeHTTP, func(p *config.Probe) {
			p.HTTP.Headers = []config.Header{{Name: "X-A", Value: "probe"}, {Name: "X-B", Value: "probe"}}
		}, Target{Address: v4, Port: 80, Headers: []config.Header{{Name: "x-a", Value: "target"}}},
			"GET / HTTP/1.1|Host: 127.0.0.1|User-Agent: healthroute/" + Version + "|Connection: close|X-A: target|X-B: probe"},
		{"headers that are sent anyway", config.ProbeHTTP, func(p *config.Probe) {
			p.HTTP.Headers = []config.Header{{Name: "host", Value: "a.example"}, {Name: "user-agent", Value: "robot"}, {Name: "connection", Value: "Upgrade"}}
		}, Target{Address: v4, Port: 80},
			"GET / HTTP/1.1|Host: a.example|User-Agent: robot|Connection: Upgrade"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := config.DefaultProbe("web", test.kind, "")
			if test.change != nil {
				test.change(p)
			}
			h := httpOf(t, p)
			got := exchange(t, h, h.first(test.target, test.target.Address))
			if want := strings.ReplaceAll(test.want, "|", "\r\n") + "\r\n\r\n"; got != want {
				t.Errorf("Expected request %q, got %q", want, got)
			}
		})
	}
}

// httpOf is the inside of a prober.
func httpOf(t testing.TB, p *config.Probe) *httpProbe {
	t.Helper()
	d, err := newDialer(p)
	if err != nil {
		t.Fatalf("Expected a dialer, got error %v", err)
	}
	h, err := newHTTP(p, files{}, d)
	if err != nil {
		t.Fatalf("Expected a prober, got error %v", err)
	}
	return h.(*httpProbe)
}

// exchange sends one request through a pipe and returns it as it came out.
func exchange(t *testing.T, h *httpProbe, to hop) string {
	t.Helper()
	here, there := net.Pipe()
	defer here.Close()
	text := make(chan string)
	go func() {
		defer there.Close()
		buffer := make([]byte, 4096)
		n, _ := there.Read(buffer)
		there.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
		text <- string(buffer[:n])
	}()
	if _, f := h.talk(t.Context(), here, to); f != nil {
		t.Errorf("Expected a pass, got %v %q", f.outcome, f.reason)
	}
	return <-text
}

func TestIPv6(t *testing.T) {
	server := serveOn(t, "[::1]:0", says(reply("", "OK")))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, wants("OK")), at(server), patience), Pass, "")
}

// A new connection for each attempt, and not a byte of a body that nobody asked for.
func TestConnections(t *testing.T) {
	count := make(chan struct{}, 2)
	server := serve(t, func(conn net.Conn) {
		count <- struct{}{}
		says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")(conn) // the body never comes
		silent(conn)
	})
	prober := proberOf(t, config.ProbeHTTP)
	for range cap(count) {
		expect(t, attempt(t, prober, at(server), patience), Pass, "")
		<-count
	}
}
