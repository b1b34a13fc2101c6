package probe

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxRedirects is how many redirects one attempt follows. A loop ends here too.
const maxRedirects = 10

// redirect is a reply that names another place.
type redirect struct {
	code     int
	location string
}

// isRedirect tells the codes that can be followed; the other 3xx are judged like any code.
func isRedirect(code int) bool {
	switch code {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// trip is an attempt that follows redirects. Throughout it a host keeps the address at which it was first met: the
// target's own host must not lead away from the address that is tested.
type trip struct {
	*httpProbe
	target Target
	home   string // the target's own host
	known  map[string]netip.Addr
}

// follow goes on from the first request, which was redirected.
func (h *httpProbe) follow(ctx context.Context, t Target, first hop, to *redirect) (f *finding) {
	home := plain(first.url.Hostname())
	way := trip{h, t, key(home), map[string]netip.Addr{key(home): first.at.Addr()}}
	at := first
	for range maxRedirects {
		if at, f = way.next(ctx, at, to); f != nil {
			return f
		}
		if to, f = h.request(ctx, at); f != nil || to == nil {
			return f
		}
	}
	return failed("more than %d redirects, the last to %s", maxRedirects, quoted(to.location))
}

// next is the request that a redirect asks for.
func (w *trip) next(ctx context.Context, from hop, to *redirect) (hop, *finding) {
	if to.location == "" {
		return hop{}, failed("status %d without a Location", to.code)
	}
	u, err := from.url.Parse(to.location)
	if err != nil {
		return hop{}, failed("redirect to %s: not a URL", quoted(to.location))
	}
	host := plain(u.Hostname())
	port, known := portOf(u)
	if host == "" || !known {
		return hop{}, failed("redirect to %s: not an http or https URL", quoted(to.location))
	}
	addr, f := w.find(ctx, host, networkOf(from.at.Addr()))
	if f != nil {
		f.reason = "redirect to " + quoted(host) + ": " + f.reason
		return hop{}, f
	}
	u.Host = authority(u.Scheme, host, port)
	return hop{
		method: methodAfter(to.code, from.method), url: u, at: netip.AddrPortFrom(addr, port),
		sni: w.sni(host), header: w.headerFor(host), proxy: w.proxy && key(host) == w.home,
	}, nil
}

// find is the address of a host: the one already known, else one of the family that the attempt began with.
func (w *trip) find(ctx context.Context, host, network string) (netip.Addr, *finding) {
	if addr, ok := w.known[key(host)]; ok {
		return addr, nil
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		var f *finding
		if addr, f = w.lookup(ctx, network, host); f != nil {
			return addr, f
		}
	}
	addr = addr.Unmap()
	switch {
	case networkOf(addr) != network:
		return addr, failed("not an %saddress as at the start", families[network])
	case addr.IsUnspecified(), addr.IsMulticast(): // spec 2.2: any unicast address
		return addr, failed("not a unicast address")
	}
	w.known[key(host)] = addr
	return addr, nil
}

// sni is the server name for a host: for the target's own what the caller settled for an https probe, else its name.
func (w *trip) sni(host string) string {
	if key(host) == w.home && w.scheme == "https" {
		return plain(w.target.SNI)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return "" // RFC 6066, 3: no addresses
	}
	return host
}

// headerFor is what a host is sent. The headers of probe and target may hold credentials under any name, so no host
// but the target's own gets to see them.
func (w *trip) headerFor(host string) http.Header {
	if key(host) == w.home {
		return w.header(w.target)
	}
	return w.signed(http.Header{})
}

// key makes equal hosts equal: names without regard to case, addresses however they are written.
func key(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.WithZone("").Unmap().String()
	}
	return strings.ToLower(host)
}

// portOf is the port of a URL, or false if it has none that we can use.
func portOf(u *url.URL) (uint16, bool) {
	if u.Port() == "" {
		port, ok := defaultPorts[u.Scheme]
		return port, ok
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return uint16(port), err == nil && port > 0 && defaultPorts[u.Scheme] > 0
}

// methodAfter is the method for the place that a redirect names (RFC 9110, 15.4): 307 and 308 keep it, the others
// turn all but HEAD into GET.
func methodAfter(code int, method string) string {
	switch {
	case code == http.StatusTemporaryRedirect, code == http.StatusPermanentRedirect, method == http.MethodHead:
		return method
	}
	return http.MethodGet
}
