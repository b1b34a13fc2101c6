package probe

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"github.com/healthroute/healthroute/plugin/config"
)

// The server of net/http, which speaks HTTP/2 as browsers know it.
func TestHTTP2Server(t *testing.T) {
	got := make(chan *http.Request, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Content-Encoding", "gzip")
		w.Write([]byte(packed(t, gzipped, "all is well")))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	place, _ := url.Parse(server.URL)
	target := at(netip.MustParseAddrPort(place.Host))
	target.Host, target.Headers = "www.example.org", []config.Header{{Name: "X-Key", Value: "a"}, {Name: "Upgrade", Value: "h2c"}}
	result := attempt(t, proberOf(t, config.ProbeHTTPS, careless, wants("well"), func(p *config.Probe) {
		p.HTTP.Path = "/a%2Fb?c=d"
		p.HTTP.Headers = []config.Header{{Name: "X-Long", Value: strings.Repeat("long ", 10_000)}} // more than a frame
	}), target, patience)
	expect(t, result, Pass, "")
	if result.Protocol != HTTP2 || result.Status != 200 {
		t.Errorf("Expected HTTP/2 and 200, got %v and %d", result.Protocol, result.Status)
	}
	r := <-got
	if r.ProtoMajor != 2 || r.Host != "www.example.org:"+place.Port() || r.RequestURI != "/a%2Fb?c=d" || r.UserAgent() != "healthroute/"+Version {
		t.Errorf("Expected the request of the probe over HTTP/2, got %s %s %s %s", r.Proto, r.Host, r.RequestURI, r.UserAgent())
	}
	if names := slices.Sorted(maps.Keys(r.Header)); fmt.Sprint(names) != "[User-Agent X-Key X-Long]" {
		t.Errorf("Expected no header of the connection, got %v", names)
	}
}

func TestHTTP2(t *testing.T) {
	long := strings.Repeat("x", maxHeader-len(":status: 200\r\na: \r\n"))
	tests := []struct {
		name   string
		do     func(*peer)
		probe  func(*config.Probe)
		reason string // "" passes
	}{
		{"no body asked for", func(p *peer) { p.answer("OK", ":status", "204") }, wants(""), ""},
		{"body", func(p *peer) { p.answer("it is OK", ":status", "200") }, wants("OK"), ""},
		{"other body", func(p *peer) { p.answer("it is not", ":status", "200") }, wants("OK"), `body lacks "OK"`},
		{"no body", func(p *peer) { p.answer("", ":status", "200") }, wants("OK"), `body lacks "OK"`},
		{"other status", func(p *peer) { p.answer("", ":status", "503") }, wants("OK"), "status 503, expected 200-399"},
		{"trailers", func(p *peer) {
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: headers(":status", "200"), EndHeaders: true})
			p.WriteData(onlyStream, false, []byte("OK"))
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: headers("grpc-status", "0"), EndHeaders: true, EndStream: true})
		}, matches("^OK$"), ""},
		{"as long as it says", func(p *peer) { p.answer("OK and more", ":status", "200", "content-length", "2") }, matches("^OK$"), ""},
		{"shorter than it says", func(p *peer) { p.answer("OK", ":status", "200", "content-length", "3") }, matches("^OK$"), "body ends early"},
		{"16 KiB of headers", func(p *peer) { p.answer("OK", ":status", "200", "a", long) }, wants("OK"), ""},
		{"a byte more", func(p *peer) { p.answer("OK", ":status", "200", "a", long+"x") }, wants("OK"), "status line and headers exceed 16384 bytes"},
		{"far more headers", func(p *peer) { p.answer("OK", ":status", "200", "a", strings.Repeat(long, 9)) }, wants("OK"), "status line and headers exceed 16384 bytes"},
		{"ten interim replies", func(p *peer) { interim(p, maxInterim); p.answer("OK", ":status", "200") }, wants("OK"), ""},
		{"100-continue for ever", func(p *peer) { interim(p, 1000) }, wants("OK"), "more than 10 interim replies (1xx)"},
		{"pings and settings for ever", func(p *peer) {
			for range 1000 {
				p.WritePing(false, [8]byte{})
				p.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 15})
			}
		}, wants("OK"), "more than 100 HTTP/2 frames that bring nothing"},
		{"empty data for ever", func(p *peer) {
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: headers(":status", "200"), EndHeaders: true})
			for range 1000 {
				p.WriteData(onlyStream, false, nil)
			}
		}, wants("OK"), "more than 100 HTTP/2 frames that bring nothing while reading the body"},
		{"pings before the reply", func(p *peer) {
			for range 20 {
				p.WritePing(false, [8]byte{1})
			}
			p.answer("OK", ":status", "200")
		}, wants("OK"), ""},
		{"an endless body", func(p *peer) {
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: headers(":status", "200"), EndHeaders: true})
			for range 10 {
				p.WriteData(onlyStream, false, []byte(strings.Repeat("0", 1000)))
			}
		}, wants("OK"), `start of the body (5120 bytes) lacks "OK"`},
		{"gzip bomb", func(p *peer) {
			p.answer(packed(t, gzipped, strings.Repeat("0", 5<<20)), ":status", "200", "content-encoding", "gzip")
		}, wants("OK"), `start of the body (5120 bytes) lacks "OK"`},
		{"GOAWAY instead of a reply", func(p *peer) { p.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("too\nmany")) }, wants("OK"),
			`server ended the HTTP/2 connection (GOAWAY): ENHANCE_YOUR_CALM, "too\nmany"`},
		{"GOAWAY that leaves us out", func(p *peer) { p.WriteGoAway(0, http2.ErrCodeNo, nil) }, wants("OK"),
			"server ended the HTTP/2 connection (GOAWAY): NO_ERROR"},
		{"GOAWAY after which it answers", func(p *peer) { p.WriteGoAway(onlyStream, http2.ErrCodeNo, nil); p.answer("OK", ":status", "200") }, wants("OK"), ""},
		{"RST_STREAM instead of a reply", func(p *peer) { p.WriteRSTStream(onlyStream, http2.ErrCodeRefusedStream) }, wants("OK"),
			"server reset the HTTP/2 stream: REFUSED_STREAM"},
		{"RST_STREAM in the body", func(p *peer) {
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: headers(":status", "200"), EndHeaders: true})
			p.WriteData(onlyStream, false, []byte("O"))
			p.WriteRSTStream(onlyStream, http2.ErrCodeInternal)
		}, wants("OK"), "server reset the HTTP/2 stream: INTERNAL_ERROR while reading the body"},
		{"a push", func(p *peer) {
			p.WritePushPromise(http2.PushPromiseParam{StreamID: onlyStream, PromiseID: 2, BlockFragment: headers(":status", "200"), EndHeaders: true})
		}, wants("OK"), "malformed HTTP/2 reply: a push that we refused"},
		{"no status", func(p *peer) { p.answer("OK", "a", "b") }, wants("OK"), `malformed HTTP/2 reply: status ""`},
		{"an odd status", func(p *peer) { p.answer("OK", ":status", "ok") }, wants("OK"), `malformed HTTP/2 reply: status "ok"`},
		{"an interim reply at the end", func(p *peer) { p.answer("", ":status", "100") }, wants("OK"), `malformed HTTP/2 reply: status "100"`},
		{"data first", func(p *peer) { p.WriteData(onlyStream, false, []byte("OK")) }, wants("OK"), "malformed HTTP/2 reply: data before headers"},
		{"upper case", func(p *peer) { p.answer("OK", ":status", "200", "A", "b") }, wants("OK"), "malformed HTTP/2 reply: ..."},
		{"HTTP/1.1 after all", func(p *peer) { p.conn.Write([]byte(reply("", "OK"))) }, wants("OK"), "malformed HTTP/2 reply: ..."},
		{"garbage", func(p *peer) { p.conn.Write([]byte(strings.Repeat("\xff", 100))) }, wants("OK"), "malformed HTTP/2 reply: ..."},
		{"a frame too large", func(p *peer) { p.WriteData(onlyStream, true, make([]byte, 2*maxFrame)) }, wants("OK"), "malformed HTTP/2 reply: ..."},
		{"closes", func(p *peer) { p.conn.Close() }, wants("OK"), "connection closed after connecting, waiting for the status line"},
		{"closes in the body", func(p *peer) {
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: headers(":status", "200"), EndHeaders: true})
			p.conn.Close()
		}, wants("OK"), "body ends early"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			expect(t, attempt(t, proberOf(t, config.ProbeHTTPS, careless, test.probe), at(serve(t, overHTTP2(t, test.do))), patience), outcome, test.reason)
		})
	}
}

func interim(p *peer, n int) {
	for range n {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: headers(":status", "100"), EndHeaders: true})
	}
}

func TestHTTP2Silence(t *testing.T) {
	never := at(serve(t, overHTTP2(t, func(*peer) {})))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTPS, careless), never, briefly), Fail, "timed out after connecting, waiting for the status line")
	half := at(serve(t, overHTTP2(t, func(p *peer) {
		p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: headers(":status", "200"), EndHeaders: true})
	})))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTPS, careless, wants("OK")), half, briefly), Fail, "timed out while reading the body")
}

// A redirect over HTTP/2 is followed as one over HTTP/1.1, on a connection of its own.
func TestHTTP2Redirect(t *testing.T) {
	server := at(serve(t, overHTTP2(t, func(p *peer) {
		if p.request[":path"] == "/" {
			p.answer("", ":status", "302", "location", "/next")
			return
		}
		p.answer("OK", ":status", "200")
	})))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTPS, careless, follows, wants("OK")), server, patience), Pass, "")
}
