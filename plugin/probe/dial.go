package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// dialer finds the address of a target and connects to it. It holds no connection.
type dialer struct {
	resolver       resolver
	network        string     // what names are resolved to: "ip", or "ip4" or "ip6" where only one family will do
	source         netip.Addr // where connections come from; invalid leaves it to the system
	proxy          bool       // a PROXY header comes first
	dial           func(context.Context, netip.AddrPort) (net.Conn, error)
	connectTimeout time.Duration // for the TCP connection alone, not for the name (spec 2.2, H-10); 0 leaves it to the context
}

// newDialer prepares what a probe connects with. A source of one family leaves names only that family, and presets of
// systems that look up IPv4 alone do likewise (spec 2.2, check by name).
func newDialer(p *config.Probe) (*dialer, error) {
	d := &dialer{resolver: systemResolver(dialServer), network: "ip", proxy: p.ProxyProtocol, dial: dialTCP, connectTimeout: p.ConnectTimeout}
	if p.Preset == config.PresetRoute53 {
		d.network = "ip4"
	}
	if p.Source != "" {
		source, err := config.ParseAddress(p.Source)
		if err != nil {
			return nil, fmt.Errorf("source: %w", err)
		}
		d.source, d.network, d.dial = source, networkOf(source), dialFrom(source)
	}
	if p.Resolver != "" {
		server, err := config.ParseServer(p.Resolver)
		if err != nil {
			return nil, fmt.Errorf("resolver: %w", err)
		}
		d.resolver = &serverResolver{server: server, dial: dialServer}
	}
	return d, nil
}

// dialTCP opens a connection from wherever the system likes, without keepalives: none lives long enough to need one. It is not Dialer.DialTCP, which
// binds the socket to a port before it connects: a port that is bound without a destination is used once, by all targets together, and the search for a
// free one among tens of thousands took most of the time of a server with many checks. Connecting alone needs a port that is free for the one target.
func dialTCP(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
	return (&net.Dialer{KeepAlive: -1}).DialContext(ctx, "tcp", at.String())
}

// dialFrom opens connections from an address of this host.
func dialFrom(source netip.Addr) func(context.Context, netip.AddrPort) (net.Conn, error) {
	dialer := net.Dialer{KeepAlive: -1, Control: latePort}
	from := netip.AddrPortFrom(source, 0)
	return func(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
		conn, err := dialer.DialTCP(ctx, "tcp", from, at)
		if err != nil {
			return nil, err // not a nil *net.TCPConn in an interface
		}
		return conn, nil
	}
}

// fits says what is wrong with an address that connections from the source cannot reach.
func (d *dialer) fits(addr netip.Addr) *finding {
	if d.source.IsValid() && d.source.Is4() != addr.Is4() {
		return cannotTell("source %s cannot reach an %saddress", d.source, families[networkOf(addr)])
	}
	return nil
}

// connect opens a connection to the target, with the PROXY header if the probe asks for one. The caller closes it, best with closeWith.
func (d *dialer) connect(ctx context.Context, at netip.AddrPort) (net.Conn, *finding) {
	return d.open(ctx, at, d.proxy)
}

// reach opens a connection to a target, whose name is resolved first if it has one, and tells the address. The caller closes it, best with
// closeWith.
func (d *dialer) reach(ctx context.Context, t Target) (net.Conn, netip.Addr, *finding) {
	addr, f := d.address(ctx, t)
	if f != nil {
		return nil, addr, f
	}
	conn, f := d.connect(ctx, netip.AddrPortFrom(addr, t.Port))
	return conn, addr, f
}

// open opens a connection, with a PROXY header or without.
func (d *dialer) open(ctx context.Context, at netip.AddrPort, proxy bool) (net.Conn, *finding) {
	t := begin(ctx, StepConnect)
	if f := d.fits(at.Addr()); f != nil {
		return nil, t.broken(f)
	}
	ctx, cancel := within(ctx, d.connectTimeout)
	defer cancel()
	conn, err := d.dial(ctx, at)
	switch {
	case err != nil && d.source.IsValid() && errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, t.broken(cannotTell("source %s is no address of this host, or has no port left", d.source))
	case err != nil:
		return nil, t.broken(explain(ctx, connecting, err))
	}
	if proxy {
		if f := introduce(ctx, conn); f != nil {
			return nil, t.broken(f)
		}
	}
	if e := t.done(); e != nil {
		e.tell("%s from %s", at, conn.LocalAddr())
		if proxy {
			e.Detail += ", PROXY header sent"
		}
	}
	return conn, nil
}

// within bounds a context by a limit of its own, if there is one.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// closeWith closes the connection when the context ends, which ends every read and write on it: the one way in which
// an attempt is stopped. The function that it returns closes the connection at the end of the attempt, and returns
// only when no goroutine of ours is left.
func closeWith(ctx context.Context, conn net.Conn) (closeNow func()) {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		conn.Close()
		close(closed)
	})
	return func() {
		if stop() {
			conn.Close()
		} else {
			<-closed
		}
	}
}
