package probe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// Version of healthroute, as the User-Agent of its probes tells it.
const Version = "0.1.0"

// httpProbe sends a request and judges the reply: http and https.
//
// It does without http.Transport. An attempt is one connection, one request and one reply, with a limit and a reason
// for each step; pools, retries, proxies and goroutines that outlive a request would only be in the way.
type httpProbe struct {
	*dialer
	options         config.HTTP
	scheme          string
	path            *url.URL
	body            *bodyTest // nil if no body is asked for
	tls             *tls.Config
	responseTimeout time.Duration // from connected to the end of what is read, TLS included (spec H-12); 0 leaves it to the context
}

func newHTTP(p *config.Probe, f files, d *dialer) (kind, error) {
	path, err := parsePath(p.HTTP.Path)
	if err != nil {
		return nil, err
	}
	body, err := newBodyTest(p.HTTP)
	if err != nil {
		return nil, err
	}
	settings, err := newTLS(p, f)
	if err != nil {
		return nil, err
	}
	settings.NextProtos = []string{alpnHTTP2, "http/1.1"}
	return &httpProbe{
		dialer: d, options: p.HTTP, scheme: string(p.Type), path: path,
		body: body, tls: settings, responseTimeout: p.ResponseTimeout,
	}, nil
}

// parsePath reads a path with its query. Blanks would end it in the request line, so they must be escaped.
func parsePath(path string) (*url.URL, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("path %q: expected it to begin with a slash", path)
	}
	if strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, fmt.Errorf("path %q: expected blanks and control characters as %%20 and the like", path)
	}
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	return u, nil
}

// hop is one request of an attempt: the first, or one that a redirect asks for.
type hop struct {
	method string
	url    *url.URL // its Host is what the Host header says
	at     netip.AddrPort
	sni    string
	header http.Header
	proxy  bool // the PROXY header comes first
}

func (h *httpProbe) test(ctx context.Context, t Target) *finding {
	addr, f := h.address(ctx, t)
	if f != nil {
		return f
	}
	first := h.first(t, addr)
	to, f := h.request(ctx, first)
	if f != nil || to == nil {
		return f
	}
	return h.follow(ctx, t, first, to)
}

// first is the request that the probe is for.
func (h *httpProbe) first(t Target, addr netip.Addr) hop {
	u := *h.path
	u.Scheme = h.scheme
	u.Host = authority(h.scheme, cmp.Or(plain(t.Host), addr.WithZone("").String()), t.Port)
	return hop{
		method: h.options.Method, url: &u, at: netip.AddrPortFrom(addr, t.Port),
		sni: plain(t.SNI), header: h.header(t), proxy: h.proxy,
	}
}

// plain is a host name without the dot of an absolute name or the brackets of an address.
func plain(host string) string { return strings.Trim(strings.TrimSuffix(host, "."), "[]") }

// authority is what the Host header says: the port only where it is not the scheme's own (spec 2.2).
func authority(scheme, host string, port uint16) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == defaultPorts[scheme] {
		return host
	}
	return host + ":" + strconv.Itoa(int(port))
}

var defaultPorts = map[string]uint16{"http": 80, "https": 443}

// header is what is sent to the target's own host: the target's headers stand over the probe's (spec 2.2).
func (h *httpProbe) header(t Target) http.Header {
	header := http.Header{}
	for _, each := range h.options.Headers {
		header.Add(each.Name, each.Value)
	}
	for _, each := range t.Headers {
		header.Del(each.Name)
	}
	for _, each := range t.Headers {
		header.Add(each.Name, each.Value)
	}
	return h.signed(header)
}

// signed adds the User-Agent, unless the headers have one.
func (h *httpProbe) signed(header http.Header) http.Header {
	if header.Get("User-Agent") == "" {
		header.Set("User-Agent", cmp.Or(h.options.UserAgent, "healthroute/"+Version))
	}
	return header
}

// request makes one request on a connection of its own, and judges the reply or returns the redirect to follow.
func (h *httpProbe) request(ctx context.Context, to hop) (*redirect, *finding) {
	conn, f := h.open(ctx, to.at, to.proxy)
	if f != nil {
		return nil, f
	}
	ctx, cancel := within(ctx, h.responseTimeout)
	defer cancel()
	defer closeWith(ctx, conn)()
	if to.url.Scheme == "https" {
		if conn, f = handshake(ctx, conn, h.tls, to.sni, to.at.Addr()); f != nil {
			return nil, f
		}
	}
	return h.talk(ctx, conn, to)
}

// talk sends the request and reads what of the reply is to be judged.
func (h *httpProbe) talk(ctx context.Context, conn net.Conn, to hop) (*redirect, *finding) {
	request := &http.Request{
		Method: to.method, URL: to.url, Header: to.header,
		Host:  cmp.Or(to.header.Get("Host"), to.url.Host), // a custom Host header is Traffic Manager's way (spec 2.2)
		Close: to.header.Get("Connection") == "",
	}
	ask := askHTTP1
	if agreed(conn) == alpnHTTP2 {
		ask = askHTTP2
	}
	reply, f := ask(ctx, conn, request) //nolint:bodyclose // the body is the connection, which the caller closes; Close would read on
	if f != nil {
		return nil, f
	}
	r := record(ctx)
	r.result.Status, r.result.Protocol = uint16(reply.StatusCode), protocolOf(reply)
	if h.options.Redirects == config.RedirectsFollow && isRedirect(reply.StatusCode) {
		return &redirect{reply.StatusCode, reply.Header.Get("Location")}, nil
	}
	return nil, h.judge(ctx, reply)
}

// askHTTP1 sends the request and reads the reply up to its body.
func askHTTP1(ctx context.Context, conn net.Conn, request *http.Request) (*http.Response, *finding) {
	var text bytes.Buffer
	if err := request.Write(&text); err != nil {
		return nil, cannotTell("cannot write the request: %s", bare(err))
	}
	t := begin(ctx, StepFirstByte)
	if _, err := conn.Write(text.Bytes()); err != nil {
		return nil, t.broken(explain(ctx, sending, err))
	}
	return readReply(ctx, conn, request, t)
}

// agreed is the protocol that ALPN agreed on; empty without TLS.
func agreed(conn net.Conn) string {
	if client, ok := conn.(*tls.Conn); ok {
		return client.ConnectionState().NegotiatedProtocol
	}
	return ""
}

func protocolOf(reply *http.Response) Protocol {
	switch {
	case reply.ProtoMajor == 2:
		return HTTP2
	case reply.ProtoAtLeast(1, 1):
		return HTTP11
	}
	return HTTP10
}

func (h *httpProbe) judge(ctx context.Context, reply *http.Response) *finding {
	if !accepted(h.options.Expect, reply.StatusCode) {
		return failed("status %d, expected %s", reply.StatusCode, list(h.options.Expect))
	}
	if h.body == nil {
		return nil
	}
	t := begin(ctx, StepBody)
	if f := h.body.test(ctx, reply); f != nil {
		return t.broken(f)
	}
	t.done().tell("%s", h.body)
	return nil
}

func accepted(ranges []config.CodeRange, code int) bool {
	for _, r := range ranges {
		if r.From <= code && code <= r.To {
			return true
		}
	}
	return false
}

func list(ranges []config.CodeRange) string {
	words := make([]string, len(ranges))
	for i, r := range ranges {
		words[i] = r.String()
	}
	return strings.Join(words, ",")
}
