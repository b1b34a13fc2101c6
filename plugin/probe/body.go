package probe

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

const (
	maxCompared   = 5120      // bytes of a reply that are compared, compression undone (spec 2.2, H-14, H-15)
	maxCompressed = 128 << 10 // bytes from which they may be decompressed: ample, and an end to a stream of empty blocks
)

var errCompressedTooLong = errors.New("too little text in the compressed body")

// bodyTest is what must be in the beginning of a body: a text or a match.
type bodyTest struct {
	text    []byte
	pattern *regexp.Regexp // nil looks for the text
}

// newBodyTest returns nil if the probe does not ask for a body: then none is read.
func newBodyTest(h config.HTTP) (*bodyTest, error) {
	pattern, err := compile("body_match", h.BodyMatch)
	if err != nil {
		return nil, err
	}
	if h.Body == "" && pattern == nil {
		return nil, nil
	}
	return &bodyTest{[]byte(h.Body), pattern}, nil
}

// String says what was found.
func (b *bodyTest) String() string {
	if b.pattern == nil {
		return "contains " + quoted(b.text)
	}
	return "matches " + quoted(b.pattern.String())
}

// test reads no more of the reply's body than it must to decide.
func (b *bodyTest) test(ctx context.Context, reply *http.Response) *finding {
	body, err := decoded(reply)
	if err != nil {
		return b.unreadable(ctx, err)
	}
	seen := make([]byte, 0, maxCompared)
	for {
		n, err := body.Read(seen[len(seen):maxCompared])
		seen = seen[:len(seen)+n]
		complete := err == io.EOF || len(seen) == maxCompared
		switch {
		case b.found(seen, complete):
			return nil
		case complete:
			return b.missing(seen)
		case err != nil:
			return b.unreadable(ctx, err)
		}
	}
}

// found looks for the text in what came so far, and for a match only in everything that counts: `^OK$` must not match
// the first packet of a longer body.
func (b *bodyTest) found(seen []byte, complete bool) bool {
	if b.pattern == nil {
		return bytes.Contains(seen, b.text)
	}
	return complete && b.pattern.Match(seen)
}

func (b *bodyTest) missing(seen []byte) *finding {
	where := "body"
	if len(seen) == maxCompared {
		where = "start of the body (5120 bytes)"
	}
	if b.pattern == nil {
		return failed("%s lacks %s", where, quoted(b.text))
	}
	return failed("%s does not match %s", where, quoted(b.pattern.String()))
}

func (b *bodyTest) unreadable(ctx context.Context, err error) *finding {
	var (
		corrupt flate.CorruptInputError
		fault   streamFault
	)
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &fault):
		return failed("%s %s", fault, readingBody)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return failed("body ends early")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum),
		errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrDictionary),
		errors.As(err, &corrupt), errors.Is(err, errCompressedTooLong):
		return failed("compressed body cannot be read: %s", bare(err))
	}
	return explain(ctx, readingBody, err)
}

// decoded undoes gzip and deflate. Any other coding is compared as it is, which for brotli means that the body fails
// (spec 2.2, H-17).
func decoded(reply *http.Response) (io.Reader, error) {
	coding := strings.ToLower(strings.TrimSpace(reply.Header.Get("Content-Encoding")))
	switch coding {
	default:
		return reply.Body, nil
	case "gzip", "x-gzip", "deflate":
	}
	compressed := bufio.NewReader(&limited{r: reply.Body, left: maxCompressed, over: errCompressedTooLong})
	start, err := compressed.Peek(2)
	switch {
	case err == io.EOF && len(start) == 0:
		return compressed, nil // an empty body is compressed to nothing
	case coding != "deflate":
		return gzip.NewReader(compressed)
	case isZlib(start):
		return zlib.NewReader(compressed)
	}
	// RFC 9110, 8.4.1.2: deflate is the zlib format, but some servers send the bare stream.
	return flate.NewReader(compressed), nil
}

// isZlib recognizes a zlib header: method 8 and a check value (RFC 1950, 2.2).
func isZlib(start []byte) bool {
	return len(start) == 2 && start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0
}
