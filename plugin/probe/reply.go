package probe

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
)

const (
	maxHeader  = 16 << 10 // bytes until the end of the headers, interim replies included (spec 2.2)
	maxInterim = 10       // 1xx replies before the one that counts
)

var errHeaderTooLong = errors.New("status line and headers exceed 16384 bytes")

// limited reads at most left bytes and then fails with an error of its own. It remembers how reading ended, because
// parsers complain about the half line that they got instead.
type limited struct {
	r     io.Reader
	left  int
	over  error
	ended error // nil while reading goes on
}

func (l *limited) Read(p []byte) (int, error) {
	switch {
	case l.ended != nil:
		return 0, l.ended
	case l.left <= 0:
		l.ended = l.over
		return 0, l.over
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	if n == 0 { // else the error comes again, after the bytes before it are parsed
		l.ended = err
		return 0, err
	}
	return n, nil
}

// readReply reads the status line and the headers of the reply to a request. Its body must not be closed: that would
// read the body to its end. Closing the connection is enough.
func readReply(ctx context.Context, conn io.Reader, request *http.Request, t timing) (*http.Response, *finding) {
	limit := &limited{r: conn, left: maxHeader, over: errHeaderTooLong}
	reader := bufio.NewReader(limit)
	if _, err := reader.Peek(1); err != nil {
		return nil, t.broken(explain(ctx, awaitingStatus, err))
	}
	first := t.done()
	for range maxInterim + 1 {
		if f := awaitHTTP(ctx, reader); f != nil {
			return nil, f
		}
		reply, err := http.ReadResponse(reader, request)
		if err != nil {
			return nil, malformed(ctx, err, limit.ended)
		}
		if !isInterim(reply.StatusCode) {
			limit.left = math.MaxInt // the body has a limit of its own
			first.tell("%s %s", reply.Proto, quoted(reply.Status))
			return reply, nil
		}
	}
	return nil, failed("more than %d interim replies (1xx)", maxInterim)
}

// isInterim tells the codes that announce another reply. After 101 none follows (RFC 9110, 15.2.2).
func isInterim(code int) bool {
	return code/100 == 1 && code != http.StatusSwitchingProtocols
}

// awaitHTTP waits for the beginning of a status line. Whatever else arrives, however short, is quoted: it tells which
// protocol the port really speaks.
func awaitHTTP(ctx context.Context, reader *bufio.Reader) *finding {
	const version = "HTTP/"
	start, err := reader.Peek(len(version))
	switch {
	case !strings.HasPrefix(version, string(start)):
		if record := []byte{21, 3}; bytes.HasPrefix(start, record) { // a TLS alert
			return failed("not an HTTP reply: the port speaks TLS")
		}
		start, _ = reader.Peek(reader.Buffered())
		line, _, _ := bytes.Cut(start, []byte("\n"))
		return failed("not an HTTP reply: %s", quoted(bytes.TrimSuffix(line, []byte("\r"))))
	case err != nil:
		return explain(ctx, awaitingStatus, err)
	}
	return nil
}

// malformed tells a reply that does not follow RFC 9112 from one that ended in its headers.
func malformed(ctx context.Context, err, ended error) *finding {
	switch {
	case ended == nil:
		return failed("malformed HTTP reply: %s", bare(err))
	case errors.Is(ended, errHeaderTooLong):
		return failed("%s", bare(ended))
	}
	return explain(ctx, readingHeaders, ended)
}
