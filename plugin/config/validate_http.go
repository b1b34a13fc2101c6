package config

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Limits of what an HTTP probe may have (spec 2.2, H-06, H-07, H-18).
const (
	maxCodeRanges = 8
	maxHeaders    = 8
	maxBodyText   = 255
)

// http checks what an http or https probe sends and accepts.
func (v *validator) http(p *Probe) {
	h := p.HTTP
	v.method(p)
	v.path(p.Places.Of("path"), h.Path)
	if h.Host != "" {
		v.hostOrAddress(p.Places.Of("host"), "host", h.Host)
	}
	v.headers(p.Places, h.Headers)
	if !httpguts.ValidHeaderFieldValue(h.UserAgent) {
		v.fault(p.Places.Of("user_agent"), fmt.Sprintf("user_agent %q holds a control character", h.UserAgent), "")
	}
	v.codes(p)
	if len(h.Body) > maxBodyText {
		v.fault(p.Places.Of("body"), fmt.Sprintf("the text of \"body\" has %d bytes", len(h.Body)), fmt.Sprintf("at most %d", maxBodyText))
	}
	if h.Body != "" && h.BodyMatch != "" {
		v.fault(p.Places.Of("body_match"), `"body" and "body_match" are there both`, "one of them")
	}
	v.regexp(p.Places.Of("body_match"), "body_match", h.BodyMatch)
	v.oneOf(p.Places.Of("redirects"), "redirects", string(h.Redirects), string(RedirectsJudge), string(RedirectsFollow))
}

func (v *validator) method(p *Probe) {
	at, method := p.Places.Of("method"), p.HTTP.Method
	switch {
	case !httpguts.ValidHeaderFieldName(method): // both are tokens (RFC 9110, 5.6.2)
		v.fault(at, fmt.Sprintf("method %q is no HTTP method", method), "one word, such as GET or HEAD")
	case method == "CONNECT":
		v.fault(at, `method "CONNECT" asks for a tunnel and not for a page`, "another method, such as GET")
	case method == "HEAD" && (p.HTTP.Body != "" || p.HTTP.BodyMatch != ""):
		v.fault(at, `the reply to method "HEAD" has no body to look into`, "another method, or neither `body` nor `body_match`")
	}
}

// path checks the path and query of a request.
func (v *validator) path(at Position, path string) {
	if strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		v.fault(at, fmt.Sprintf("path %q holds a blank or a control character", path), "%20 for a blank")
		return
	}
	if strings.Contains(path, "://") && !strings.Contains(path, "?") {
		v.fault(at, fmt.Sprintf("path %q looks like a whole URL", path), "the path alone; the name belongs in `host`")
		return
	}
	if _, err := url.ParseRequestURI(path); err != nil || !strings.HasPrefix(path, "/") {
		v.fault(at, fmt.Sprintf("path %q is no path of a URL", path), "a path, with its query if there is one")
	}
}

// codes checks the accepted status codes.
func (v *validator) codes(p *Probe) {
	at, ranges := p.Places.Of("expect"), p.HTTP.Expect
	if len(ranges) > maxCodeRanges {
		v.fault(at, fmt.Sprintf("%d codes and ranges in \"expect\"", len(ranges)), fmt.Sprintf("at most %d", maxCodeRanges))
	}
	if len(ranges) == 0 && !p.Places.Faulty {
		v.fault(at, `no code in "expect"`, "codes or ranges, as in 200-299,301")
	}
	for _, r := range ranges {
		switch {
		case r.From < 200 || r.To > 599 || r.From > 599 || r.To < 200:
			v.fault(at, fmt.Sprintf("expect %s is out of range", r), "200 to 599")
		case r.From > r.To:
			v.fault(at, fmt.Sprintf("expect %s is the wrong way round", r), CodeRange{r.To, r.From}.String())
		}
	}
}

// reservedHeaders are set by the client itself; the value says what to write instead.
var reservedHeaders = map[string]string{
	"host":              "`host NAME`",
	"user-agent":        "`user_agent TEXT`",
	"connection":        "another header",
	"content-length":    "another header",
	"transfer-encoding": "another header",
}

// headers checks the headers of a probe or of a record.
func (v *validator) headers(places Places, headers []Header) {
	if len(headers) > maxHeaders {
		v.fault(places.Of("header"), fmt.Sprintf("%d headers", len(headers)), fmt.Sprintf("at most %d", maxHeaders))
	}
	for _, h := range headers {
		at := places.Of("header")
		if places.Has("header " + h.Name) {
			at = places.Of("header " + h.Name)
		}
		instead, reserved := reservedHeaders[strings.ToLower(h.Name)]
		switch {
		case !httpguts.ValidHeaderFieldName(h.Name):
			v.fault(at, fmt.Sprintf("header name %q is not valid", h.Name), "letters, digits and hyphens")
		case reserved:
			v.fault(at, fmt.Sprintf("header %q is set by the probe itself", h.Name), instead)
		case !httpguts.ValidHeaderFieldValue(h.Value):
			v.fault(at, fmt.Sprintf("value %q of header %q holds a control character", h.Value, h.Name), "")
		}
	}
}
