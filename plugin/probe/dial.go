package probe

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// dialer finds the address of a target and connects to it. It holds no connection.
type dialer struct {
	resolver       resolver
	dial           func(context.Context, netip.AddrPort) (net.Conn, error)
	connectTimeout time.Duration // for the TCP connection alone, not for the name (spec 2.2, H-10); 0 leaves it to the context
}

func newDialer(connectTimeout time.Duration) *dialer {
	return &dialer{resolver: systemResolver(dialServer), dial: dialTCP, connectTimeout: connectTimeout}
}

// dialTCP opens a connection without keepalives: none lives long enough to need one. It is not Dialer.DialTCP, which binds the socket to a port
// before it connects: a port that is bound without a destination is used once, by all targets together, and the search for a free one among tens of
// thousands took most of the time of a server with many checks. Connecting alone needs a port that is free for the one target.
func dialTCP(ctx context.Context, at netip.AddrPort) (net.Conn, error) {
	return (&net.Dialer{KeepAlive: -1}).DialContext(ctx, "tcp", at.String())
}

// connect opens a connection. The caller closes it, best with closeWith.
func (d *dialer) connect(ctx context.Context, at netip.AddrPort) (net.Conn, *finding) {
	ctx, cancel := within(ctx, d.connectTimeout)
	defer cancel()
	conn, err := d.dial(ctx, at)
	if err != nil {
		return nil, explain(ctx, connecting, err)
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
