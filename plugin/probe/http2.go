package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	alpnHTTP2 = "h2" // RFC 9113, 3.2

	onlyStream   = 1         // the stream of the one request (RFC 9113, 5.1.1)
	window       = 256 << 10 // bytes that we accept: above all limits of ours, so that it need not grow
	usualWindow  = 65535     // that connections begin with (RFC 9113, 6.9.2)
	maxFrame     = 16 << 10  // bytes, the smallest limit that there is (RFC 9113, 4.2)
	maxIdleFrame = 100       // frames that bring the reply no further: pings, settings, empty data
)

// stream is an HTTP/2 connection with one request on it. It is a client without goroutines: nothing is to be done while
// nobody reads, and whoever reads handles the frames that come between.
type stream struct {
	ctx    context.Context
	framer *http2.Framer
	read   *counter // everything that came
	idle   int      // frames that brought nothing
	data   []byte   // of the body, still to be read
	left   int64    // bytes of the body still to come, if the headers say so; -1 if not
	ended  error    // of the body; nil while it goes on
}

// counter counts the bytes that are read.
type counter struct {
	io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// streamFault is what a server says or does that ends a stream; its text is a reason.
type streamFault string

func (f streamFault) Error() string { return string(f) }

// askHTTP2 sends the request and reads the reply up to its body.
func askHTTP2(ctx context.Context, conn net.Conn, request *http.Request) (*http.Response, *finding) {
	t := begin(ctx, StepFirstByte)
	if _, err := conn.Write(opening(request)); err != nil {
		return nil, t.broken(explain(ctx, sending, err))
	}
	s := &stream{ctx: ctx, read: &counter{Reader: conn}, left: -1}
	s.framer = http2.NewFramer(conn, s.read)
	s.framer.SetMaxReadFrameSize(maxFrame)
	s.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil) // the table's size by default (RFC 7541, 4.2)
	s.framer.MaxHeaderListSize = 4 * maxHeader             // it counts 32 bytes more for each field
	size := 0
	for range maxInterim + 1 {
		headers, err := s.headers()
		if err != nil {
			return nil, t.broken(s.unreadable(awaitingStatus, err))
		}
		if size += sizeOf(headers); size > maxHeader || headers.Truncated {
			return nil, t.broken(failed("%s", errHeaderTooLong))
		}
		code, err := strconv.Atoi(headers.PseudoValue("status"))
		if err != nil || code < 100 || code > 999 || isInterim(code) && headers.StreamEnded() {
			return nil, t.broken(failed("malformed HTTP/2 reply: status %s", quoted(headers.PseudoValue("status"))))
		}
		if !isInterim(code) {
			t.done().tell("HTTP/2 %d", code)
			return s.reply(request, code, headers), nil
		}
	}
	return nil, t.broken(failed("more than %d interim replies (1xx)", maxInterim))
}

// reply is the reply with its body, which is read from the stream.
func (s *stream) reply(request *http.Request, code int, headers *http2.MetaHeadersFrame) *http.Response {
	reply := &http.Response{StatusCode: code, Proto: "HTTP/2.0", ProtoMajor: 2, Header: http.Header{}, Body: io.NopCloser(s), Request: request}
	for _, field := range headers.RegularFields() {
		reply.Header.Add(field.Name, field.Value)
	}
	if length, err := strconv.ParseInt(reply.Header.Get("Content-Length"), 10, 64); err == nil && length >= 0 && request.Method != http.MethodHead {
		s.left = length
	}
	if headers.StreamEnded() {
		s.end()
	}
	return reply
}

// opening is everything that a client sends before it must listen: the preface, the settings and the request.
func opening(request *http.Request) []byte {
	var out, block bytes.Buffer
	out.WriteString(http2.ClientPreface)
	framer := http2.NewFramer(&out, nil) // writing to memory does not fail
	_ = framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: window},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHeader})
	_ = framer.WriteWindowUpdate(0, window-usualWindow)
	encoder := hpack.NewEncoder(&block)
	field := func(name, value string) { _ = encoder.WriteField(hpack.HeaderField{Name: name, Value: value}) }
	field(":method", request.Method)
	field(":scheme", request.URL.Scheme)
	field(":authority", request.Host)
	field(":path", request.URL.RequestURI())
	for name, values := range request.Header {
		name = strings.ToLower(name)
		if slices.Contains(ofConnection, name) {
			continue
		}
		for _, value := range values {
			field(name, value)
		}
	}
	for first := true; first || block.Len() > 0; first = false {
		part := block.Next(maxFrame)
		if first {
			_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: onlyStream, BlockFragment: part, EndStream: true, EndHeaders: block.Len() == 0})
		} else {
			_ = framer.WriteContinuation(onlyStream, block.Len() == 0, part)
		}
	}
	return out.Bytes()
}

// ofConnection are the headers that HTTP/2 has no place for (RFC 9113, 8.2.2), and Host, which is :authority.
var ofConnection = []string{"connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "host"}

// sizeOf is what the headers would be in HTTP/1.1, whose limit holds for both.
func sizeOf(headers *http2.MetaHeadersFrame) int {
	size := 0
	for _, field := range headers.Fields {
		size += len(field.Name) + len(field.Value) + len(": \r\n")
	}
	return size
}

// headers returns the next headers of the stream.
func (s *stream) headers() (*http2.MetaHeadersFrame, error) {
	for {
		frame, err := s.next()
		if err != nil {
			return nil, err
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			return frame, nil
		case *http2.DataFrame:
			return nil, streamFault("malformed HTTP/2 reply: data before headers")
		}
	}
}

// Read reads the body.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.data) == 0 && s.ended == nil {
		if err := s.more(); err != nil {
			s.ended = err
		}
	}
	if len(s.data) == 0 {
		return 0, s.ended
	}
	n := copy(p, s.data)
	s.data = s.data[n:]
	return n, nil
}

// more reads the next part of the body.
func (s *stream) more() error {
	frame, err := s.next()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF // the end of the connection is not that of the body
	}
	if err != nil {
		return err
	}
	switch frame := frame.(type) {
	case *http2.MetaHeadersFrame: // trailers end it
		s.end()
	case *http2.DataFrame:
		s.data = slices.Clone(frame.Data()) // the framer overwrites it
		if s.left >= 0 {
			s.data = s.data[:min(int64(len(s.data)), s.left)]
			s.left -= int64(len(s.data))
		}
		if frame.StreamEnded() {
			s.end()
		} else if s.left == 0 {
			s.ended = io.EOF
		}
	}
	return nil
}

// end notes that the server has sent the whole body, or what it takes for it.
func (s *stream) end() {
	s.ended = io.EOF
	if s.left > 0 {
		s.ended = io.ErrUnexpectedEOF
	}
}

// next returns the next frame of the stream that may bring the reply further, and does what others ask for.
func (s *stream) next() (http2.Frame, error) {
	for {
		frame, err := s.framer.ReadFrame()
		if err != nil {
			return nil, err
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			if frame.StreamID == onlyStream {
				return frame, nil
			}
		case *http2.DataFrame:
			if frame.StreamID == onlyStream && (len(frame.Data()) > 0 || frame.StreamEnded()) {
				return frame, nil
			}
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = s.framer.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !frame.IsAck() {
				err = s.framer.WritePing(true, frame.Data)
			}
		case *http2.RSTStreamFrame:
			err = streamFault("server reset the HTTP/2 stream: " + frame.ErrCode.String())
		case *http2.GoAwayFrame:
			err = goneAway(frame)
		case *http2.PushPromiseFrame:
			err = streamFault("malformed HTTP/2 reply: a push that we refused")
		}
		if err != nil {
			return nil, err
		}
		if s.idle++; s.idle > maxIdleFrame {
			return nil, streamFault(fmt.Sprintf("more than %d HTTP/2 frames that bring nothing", maxIdleFrame))
		}
	}
}

// goneAway is the error of a server that closes the connection, nil if it still answers our request.
func goneAway(frame *http2.GoAwayFrame) error {
	if frame.ErrCode == http2.ErrCodeNo && frame.LastStreamID >= onlyStream {
		return nil
	}
	text := "server ended the HTTP/2 connection (GOAWAY): " + frame.ErrCode.String()
	if debug := frame.DebugData(); len(debug) > 0 {
		text += ", " + quoted(debug)
	}
	return streamFault(text)
}

// unreadable says why no headers came.
func (s *stream) unreadable(at stage, err error) *finding {
	var (
		connection http2.ConnectionError
		stream     http2.StreamError
		fault      streamFault
	)
	switch {
	case s.ctx.Err() != nil:
	case errors.As(err, &fault):
		return failed("%s", fault)
	case errors.As(err, &connection), errors.As(err, &stream), errors.Is(err, http2.ErrFrameTooLarge):
		if s.read.n > maxHeader { // the decoder of fields has a limit and no error of its own for it
			return failed("%s", errHeaderTooLong)
		}
		if detail := s.framer.ErrorDetail(); detail != nil {
			err = detail
		}
		return failed("malformed HTTP/2 reply: %s", bare(err))
	}
	return explain(s.ctx, at, err)
}
