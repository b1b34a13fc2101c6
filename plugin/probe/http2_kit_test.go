package probe

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// peer is a server's end of an HTTP/2 connection that has read a request.
type peer struct {
	*http2.Framer
	conn    net.Conn
	request map[string]string // header fields, pseudo ones too
}

// headers are pairs of name and value as a block of header fields.
func headers(pairs ...string) []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for i := 0; i < len(pairs); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return block.Bytes()
}

// answer sends headers, of any size, and then a body unless it is empty.
func (p *peer) answer(body string, pairs ...string) {
	block := headers(pairs...)
	part := func() []byte {
		n := min(len(block), maxFrame)
		defer func() { block = block[n:] }()
		return block[:n]
	}
	first := part()
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: first, EndHeaders: len(block) == 0, EndStream: body == ""})
	for len(block) > 0 {
		next := part()
		p.WriteContinuation(onlyStream, len(block) == 0, next)
	}
	if body != "" {
		p.WriteData(onlyStream, true, []byte(body))
	}
}

// overHTTP2 does it when the request is there, and then reads on until the client is gone.
func overHTTP2(t testing.TB, do func(*peer)) behaviour {
	t.Helper()
	return overTLS(t, certificate(t, issued{}), func(conn net.Conn) {
		if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		p := &peer{http2.NewFramer(conn, conn), conn, map[string]string{}}
		p.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		p.WriteSettings()
		for len(p.request) == 0 {
			frame, err := p.ReadFrame()
			if err != nil {
				return
			}
			if request, ok := frame.(*http2.MetaHeadersFrame); ok {
				for _, field := range request.Fields {
					p.request[field.Name] = field.Value
				}
			}
		}
		do(p)
		silent(conn)
	}, speaking("h2"))
}

// speaking offers protocols for ALPN.
func speaking(protocols ...string) func(*tls.Config) {
	return func(c *tls.Config) { c.NextProtos = protocols }
}
