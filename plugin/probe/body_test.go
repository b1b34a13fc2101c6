package probe

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

func wants(text string) func(*config.Probe) { return func(p *config.Probe) { p.HTTP.Body = text } }
func matches(expression string) func(*config.Probe) {
	return func(p *config.Probe) { p.HTTP.BodyMatch = expression }
}

// ending is a body in which the text ends at the given byte.
func ending(text string, at int) string { return strings.Repeat("x", at-len(text)) + text }

// packed compresses a text.
func packed(t testing.TB, make func(io.Writer) io.WriteCloser, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := make(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatalf("Expected to compress, got %v", err)
	}
	w.Close()
	return b.String()
}

func gzipped(w io.Writer) io.WriteCloser  { return gzip.NewWriter(w) }
func zlibbed(w io.Writer) io.WriteCloser  { return zlib.NewWriter(w) }
func deflated(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, flate.BestSpeed); return f }

func TestBody(t *testing.T) {
	coded := func(coding, body string) string { return reply("Content-Encoding: "+coding+"\r\n", body) }
	ok := "all is well: OK-1"
	tests := []struct {
		name   string
		probe  func(*config.Probe)
		reply  string
		reason string
	}{
		{"H-14 ends at byte 5120", wants("OK-1"), reply("", ending("OK-1", 5120)+"more"), ""},
		{"H-15 ends at byte 5121", wants("OK-1"), reply("", ending("OK-1", 5121)), `start of the body (5120 bytes) lacks "OK-1"`},
		{"H-16 other case", wants("OK-1"), reply("", "ok-1"), `body lacks "OK-1"`},
		{"H-17 gzip", wants("OK-1"), coded("gzip", packed(t, gzipped, ok)), ""},
		{"H-17 x-gzip", wants("OK-1"), coded("X-GZip", packed(t, gzipped, ok)), ""},
		{"H-17 deflate", wants("OK-1"), coded("deflate", packed(t, zlibbed, ok)), ""},
		{"H-17 deflate without its header", wants("OK-1"), coded("deflate", packed(t, deflated, ok)), ""},
		{"H-17 brotli", wants("OK-1"), coded("br", "\x8b\x02\x80OK\x03"), `body lacks "OK-1"`},
		{"H-14 gzip", wants("OK-1"), coded("gzip", packed(t, gzipped, ending("OK-1", 5120)+"more")), ""},
		{"H-15 gzip", wants("OK-1"), coded("gzip", packed(t, gzipped, ending("OK-1", 5121))), `start of the body (5120 bytes) lacks "OK-1"`},
		{"gzip bomb", wants("OK-1"), coded("gzip", packed(t, gzipped, strings.Repeat("0", 5<<20))), `start of the body (5120 bytes) lacks "OK-1"`},
		{"gzip of nothing, endlessly", wants("OK-1"), coded("gzip", strings.Repeat(packed(t, gzipped, ""), 10000)),
			"compressed body cannot be read: too little text in the compressed body"},
		{"gzip in name only", wants("OK-1"), coded("gzip", ok), "compressed body cannot be read: gzip: invalid header"},
		{"deflate in name only", wants("OK-1"), coded("deflate", "\xff\xff"+ok), "compressed body cannot be read: flate: corrupt input..."},
		{"gzip of an empty body", wants("OK-1"), coded("gzip", ""), `body lacks "OK-1"`},
		{"deflate of an empty body", wants("OK-1"), coded("deflate", ""), `body lacks "OK-1"`},
		{"gzip that ends early", wants("OK-1"), coded("gzip", packed(t, gzipped, ok)[:20]), "body ends early"},
		{"chunked", wants("OK-1"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n2\r\n-1\r\n0\r\n\r\n", ""},
		{"until the end", wants("OK-1"), "HTTP/1.0 200 OK\r\n\r\nOK-1", ""},
		{"shorter than it says", wants("OK-1"), "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nOK", "body ends early"},
		{"no body", wants("OK-1"), "HTTP/1.1 204 No Content\r\n\r\n", `body lacks "OK-1"`},
		{"a long text", wants(strings.Repeat("é", 127)), reply("", "short"), `body lacks "` + strings.Repeat("é", 32) + `"...`},
		{"match", matches(`(?i)ok-\d`), reply("", ok), ""},
		{"match of the whole", matches(`^OK$`), reply("", "OK"), ""},
		{"no match of the whole", matches(`^OK$`), reply("", "OK-1"), `body does not match "^OK$"`},
		{"match beyond", matches(`1$`), reply("", ending("1", 5121)), `start of the body (5120 bytes) does not match "1$"`},
		{"wrong status first", wants("OK-1"), "HTTP/1.1 500 Oops\r\n\r\nOK-1", "status 500, expected 200-399"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			server := serve(t, says(test.reply))
			expect(t, attempt(t, proberOf(t, config.ProbeHTTP, test.probe), at(server), patience), outcome, test.reason)
		})
	}
}

// A text passes as soon as it is there, also when the body goes on for ever; without it the deadline decides.
func TestEndlessBody(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\n\r\nstill alive"
	server := serve(t, then(says(head), silent))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, wants("alive")), at(server), patience), Pass, "")
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, wants("dead")), at(server), briefly), Fail, "timed out while reading the body")
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, matches("alive")), at(server), briefly), Fail, "timed out while reading the body")
}

// The body may come byte by byte, each in its own packet.
func TestDrippingBody(t *testing.T) {
	text := "one byte at a time: OK-1"
	server := serve(t, then(says("HTTP/1.1 200 OK\r\nContent-Length: "+strconv.Itoa(len(text))+"\r\n\r\n"), func(conn net.Conn) {
		for i := range len(text) {
			conn.Write([]byte{text[i]})
		}
	}))
	expect(t, attempt(t, proberOf(t, config.ProbeHTTP, wants("OK-1")), at(server), patience), Pass, "")
}
