package probe

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"regexp"
	"syscall"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

const (
	// silence is how long a udp probe that expects no reply listens for the network's word that nobody is there. That takes a
	// round trip; whoever sends none is taken for alive.
	silence = time.Second
	// maxDatagrams bounds what one attempt reads: a peer that sends on and on says no more than one that sends a few.
	maxDatagrams = 64
)

// udpProbe sends a datagram. It passes when one that matches comes back or, if none is asked for, when any does or nothing at all.
type udpProbe struct {
	*dialer
	send   string
	expect *regexp.Regexp // nil asks for no reply
}

func newUDP(p *config.Probe, _ files, d *dialer) (kind, error) {
	expect, err := compile("expect_reply", p.Exchange.ExpectReply)
	if err != nil {
		return nil, err
	}
	return &udpProbe{dialer: d, send: p.Exchange.Send, expect: expect}, nil
}

func (p *udpProbe) test(ctx context.Context, t Target) *finding {
	addr, f := p.address(ctx, t)
	if f != nil {
		return f
	}
	conn, f := p.openUDP(ctx, netip.AddrPortFrom(addr, t.Port))
	if f != nil {
		return f
	}
	defer closeWith(ctx, conn)()
	if _, err := io.WriteString(conn, p.send); err != nil {
		return explainUDP(ctx, "while sending", err)
	}
	if p.expect == nil {
		return p.hush(ctx, conn)
	}
	return p.listen(ctx, conn)
}

// hush waits for a reply, whatever it is, or for the word that nobody listens. Silence passes.
func (p *udpProbe) hush(ctx context.Context, conn net.Conn) *finding {
	if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil && ctx.Err() == nil {
		return explainUDP(ctx, "while waiting", err)
	}
	_, err := conn.Read(make([]byte, 1))
	var network net.Error
	if err == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) || ctx.Err() == nil && errors.As(err, &network) && network.Timeout() {
		return nil
	}
	return explainUDP(ctx, "while waiting", err)
}

// listen reads datagrams until one matches. Only the peer's come: the socket is connected.
func (p *udpProbe) listen(ctx context.Context, conn net.Conn) *finding {
	var last []byte
	heard := false
	buffer := make([]byte, maxCompared)
	for range maxDatagrams {
		n, err := conn.Read(buffer)
		if err != nil {
			f := explainUDP(ctx, stage("waiting for a reply that matches "+quoted(p.expect.String())), err)
			if f.outcome == Fail && f.reason != portUnreachable {
				f.reason += ", got " + soFar(heard, last)
			}
			return f
		}
		if last, heard = buffer[:n], true; p.expect.Match(last) {
			return nil
		}
	}
	return failed("%d replies do not match %s, the last was %s", maxDatagrams, quoted(p.expect.String()), quoted(last))
}

// soFar is what had come when something ended; an empty datagram is something.
func soFar(heard bool, what []byte) string {
	if !heard {
		return "nothing"
	}
	return quoted(what)
}

// openUDP makes a socket that hears the address alone, and is told what ICMP says of it.
func (d *dialer) openUDP(ctx context.Context, at netip.AddrPort) (net.Conn, *finding) {
	if f := d.fits(at.Addr()); f != nil {
		return nil, f
	}
	var from netip.AddrPort
	if d.source.IsValid() {
		from = netip.AddrPortFrom(d.source, 0)
	}
	conn, err := (&net.Dialer{}).DialUDP(ctx, "udp", from, at)
	if err != nil {
		return nil, explainUDP(ctx, "while opening a socket", err)
	}
	return conn, nil
}

const portUnreachable = "port unreachable: nobody listens there"

// explainUDP is explain for datagrams, where a refusal is ICMP's word for a port without a socket.
func explainUDP(ctx context.Context, at stage, err error) *finding {
	if errors.Is(err, syscall.ECONNREFUSED) && ctx.Err() == nil {
		return failed(portUnreachable)
	}
	return explain(ctx, at, err)
}
