package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// base is what all paths begin with.
const base = "/api/v1/"

// Handler answers requests to the API.
type Handler struct {
	options Options
	guard   *guard
	streams streams
}

// route is one thing that can be asked for or done.
type route struct {
	method string
	path   string // behind base
	// handle answers, or returns why not. A *Problem goes to the client; any other error is our own fault.
	handle func(h *Handler, r *request) error
	listen bool // it goes on until the client leaves
}

// routes are all of them; openapi.json describes them.
var routes = []route{
	{method: http.MethodGet, path: "groups", handle: (*Handler).groups},
	{method: http.MethodGet, path: "records", handle: (*Handler).records},
	{method: http.MethodGet, path: "pools", handle: (*Handler).pools},
	{method: http.MethodGet, path: "balancers", handle: (*Handler).balancers},
	{method: http.MethodGet, path: "checks", handle: (*Handler).checks},
	{method: http.MethodGet, path: "explain", handle: (*Handler).explain},
	{method: http.MethodGet, path: "configuration", handle: (*Handler).configuration},
	{method: http.MethodGet, path: "state", handle: (*Handler).state},
	{method: http.MethodGet, path: "events", handle: (*Handler).events, listen: true},
	{method: http.MethodGet, path: "admin", handle: (*Handler).overrides},
	{method: http.MethodPost, path: "admin", handle: (*Handler).say},
	{method: http.MethodPost, path: "failback", handle: (*Handler).failback},
	{method: http.MethodPost, path: "push", handle: (*Handler).push},
	{method: http.MethodPost, path: "attempts", handle: (*Handler).attempt},
	{method: http.MethodGet, path: "openapi.json", handle: (*Handler).openAPI},
}

// NewHandler returns what a server of the configuration serves.
func NewHandler(c *config.Status, o Options) *Handler {
	return &Handler{options: o, guard: newGuard(c), streams: streams{most: o.Connections - o.Connections/4}}
}

// request is a request that a route handles.
type request struct {
	*http.Request
	w     http.ResponseWriter
	query url.Values
	by    By

	writes bool   // it was sent to a route that writes
	done   string // what a write did, for the audit line
}

// ServeHTTP is http.Handler's.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := &request{Request: r, w: w, by: By{Remote: remote(r)}}
	err := h.serve(req)
	if req.writes {
		h.audit(req, err)
	}
	if err != nil {
		h.refuse(w, r, err)
	}
}

// serve finds the route and lets it answer, if everything that comes before is in order.
func (h *Handler) serve(r *request) (err error) {
	defer func() {
		if v := recover(); v != nil {
			h.options.Log.Errorf("status: %s %s panicked: %v\n%s", r.Method, r.URL.Path, v, debug.Stack())
			err = errors.New("panicked")
		}
	}()
	header := r.w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("X-Content-Type-Options", "nosniff")
	if p := h.guard.address(r.Request); p != nil {
		return p
	}
	found, p := find(r.w, r.Request)
	if p != nil {
		return p
	}
	r.writes = found.method != http.MethodGet
	who, p, err := h.guard.admit(r.w, r.Request, r.writes)
	switch {
	case err != nil:
		return err
	case p != nil:
		return p
	}
	r.by.Login = who
	if r.query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return invalid(fmt.Sprintf("%q is no query", r.URL.RawQuery), "NAME=VALUE with & between, other characters as %XX")
	}
	if !found.listen {
		ctx, cancel := context.WithTimeout(r.Context(), handleTimeout)
		defer cancel()
		r.Request = r.WithContext(ctx)
	}
	return found.handle(h, r)
}

// find returns the route of a request.
func find(w http.ResponseWriter, r *http.Request) (route, *Problem) {
	var methods, paths []string
	for _, known := range routes {
		switch {
		case r.URL.Path == base+known.path && r.Method == known.method:
			return known, nil
		case r.URL.Path == base+known.path:
			methods = append(methods, known.method)
		}
		paths = append(paths, base+known.path)
	}
	if len(methods) > 0 {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		return route{}, problem(http.StatusMethodNotAllowed, fmt.Sprintf("%q cannot be done to %s", r.Method, r.URL.Path), config.OneOf(methods))
	}
	p := problem(http.StatusNotFound, fmt.Sprintf("there is no %q", r.URL.Path), "a path of "+base+"openapi.json")
	p.Nearest = config.Nearest(r.URL.Path, paths)
	return route{}, p
}

// refuse tells the client why.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	switch {
	case errors.As(err, &p):
	case errors.Is(err, context.DeadlineExceeded):
		p = problem(http.StatusServiceUnavailable, "this took too long", "")
	case errors.Is(err, context.Canceled):
		return // nobody listens
	default:
		h.options.Log.Errorf("status: %s %s: %v", r.Method, r.URL.Path, err)
		p = problem(http.StatusInternalServerError, "a fault of this server, which is in its log", "")
	}
	reply(w, p.Status, p)
}

// reply writes a value. What cannot be written is the client's loss.
func reply(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // the values are ours and can be encoded
}

// remote is where a request came from.
func remote(r *http.Request) string {
	if r.RemoteAddr == "" || r.RemoteAddr == "@" { // what Go calls the other end of a Unix socket
		return "unix"
	}
	return r.RemoteAddr
}

// onlyOnce checks that a query has no parameters but these, each at most once.
func onlyOnce(query url.Values, names ...string) *Problem {
	for name, values := range query {
		if !slices.Contains(names, name) {
			p := invalid(fmt.Sprintf("there is no parameter %q", name), config.OneOf(names))
			p.Nearest = config.Nearest(name, names)
			return p
		}
		if len(values) > 1 {
			return invalid(fmt.Sprintf("parameter %q stands there %d times", name, len(values)), "it once")
		}
	}
	return nil
}
