package probe

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"

	"github.com/healthroute/healthroute/plugin/config"
)

// pingProbe sends an ICMP echo request and passes when the very bytes come back. It uses the sockets that Linux and macOS give to
// unprivileged users: the system sets the identifier, and gives us the replies to our own requests only.
type pingProbe struct {
	*dialer
	listen func(network string) (net.PacketConn, error)
}

func newPing(_ *config.Probe, _ files, d *dialer) (kind, error) {
	return &pingProbe{d, func(network string) (net.PacketConn, error) { return listenICMP(network, d.source) }}, nil
}

// listenICMP opens a socket for echo requests: "udp4" or "udp6"; from an address of this host if it is valid.
func listenICMP(network string, from netip.Addr) (net.PacketConn, error) {
	if from.IsValid() {
		return icmp.ListenPacket(network, from.String())
	}
	address := "0.0.0.0"
	if network == "udp6" {
		address = "::"
	}
	return icmp.ListenPacket(network, address)
}

// family is what differs between ICMP and ICMPv6.
type family struct {
	network  string
	protocol int // as the IP header numbers it
	request  icmp.Type
	reply    icmp.Type
}

var families4and6 = [2]family{
	{"udp4", 1, ipv4.ICMPTypeEcho, ipv4.ICMPTypeEchoReply},
	{"udp6", 58, ipv6.ICMPTypeEchoRequest, ipv6.ICMPTypeEchoReply},
}

func (p *pingProbe) test(ctx context.Context, t Target) *finding {
	addr, f := p.address(ctx, t)
	if f != nil {
		return f
	}
	if f := p.fits(addr); f != nil {
		return f
	}
	own := families4and6[0]
	if addr.Is6() {
		own = families4and6[1]
	}
	socket, err := p.listen(own.network)
	if err != nil {
		return unpingable(ctx, err)
	}
	defer closeWith(ctx, packets{socket})()
	return p.ping(ctx, socket, own, addr)
}

// ping sends one request and waits for its reply.
func (p *pingProbe) ping(ctx context.Context, socket net.PacketConn, own family, addr netip.Addr) *finding {
	request := echo{seq: int(random()), data: make([]byte, 24)}
	_, _ = rand.Read(request.data) // it never fails
	wire, err := (&icmp.Message{Type: own.request, Body: &icmp.Echo{ID: int(random()), Seq: request.seq, Data: request.data}}).Marshal(nil)
	if err != nil {
		return cannotTell("cannot write an echo request: %s", bare(err))
	}
	if _, err := socket.WriteTo(wire, &net.UDPAddr{IP: addr.AsSlice(), Zone: addr.Zone()}); err != nil {
		return explain(ctx, "while sending an echo request", err)
	}
	request.id = identifier(socket)
	buffer := make([]byte, 1500)
	other := ""
	for range maxDatagrams {
		n, from, err := socket.ReadFrom(buffer)
		if err != nil {
			f := explain(ctx, "waiting for an echo reply", err)
			if f.outcome == Fail && other != "" {
				f.reason += ", got " + other
			}
			return f
		}
		if other = request.judge(own, addr, from, buffer[:n]); other == "" {
			return nil
		}
	}
	return failed("%d packets that are no reply to our echo request, the last was %s", maxDatagrams, other)
}

// echo is what a request holds and its reply must.
type echo struct {
	id, seq int // id is negative if the system does not tell it
	data    []byte
}

// judge says what is wrong with a packet that should be the reply, "" if nothing is.
func (e echo) judge(own family, addr netip.Addr, from net.Addr, packet []byte) string {
	if udp, ok := from.(*net.UDPAddr); !ok || udp.AddrPort().Addr().Unmap().WithZone("") != addr.WithZone("") {
		return fmt.Sprintf("a packet from %s", from)
	}
	message, err := icmp.ParseMessage(own.protocol, packet)
	if err != nil {
		return "a malformed packet"
	}
	reply, ok := message.Body.(*icmp.Echo)
	switch {
	case !ok || message.Type != own.reply:
		return fmt.Sprintf("a packet of type %q", fmt.Sprint(message.Type))
	case e.id >= 0 && reply.ID != e.id:
		return "a reply with another identifier"
	case reply.Seq != e.seq:
		return "a reply with another sequence number"
	case !slices.Equal(reply.Data, e.data):
		return "a reply with other data"
	}
	return ""
}

// identifier is what the system has put into the request: on Linux the port of the socket, elsewhere it does not tell.
func identifier(socket net.PacketConn) int {
	if udp, ok := socket.LocalAddr().(*net.UDPAddr); ok && udp.Port != 0 {
		return udp.Port
	}
	return -1
}

func random() uint16 {
	var b [2]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.BigEndian.Uint16(b[:])
}

// unpingable says why there is no socket for echo requests.
func unpingable(ctx context.Context, err error) *finding {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		return cannotTell("this host forbids ICMP sockets: net.ipv4.ping_group_range must include a group of this process (it is for IPv6 too)")
	}
	return explain(ctx, "while opening an ICMP socket", err)
}

// Obstacle tells what would keep every attempt of the probe from testing anything on this host, "" if nothing is known that would. It
// opens sockets for a moment.
func (p *Prober) Obstacle() string {
	ping, ok := p.kind.(*pingProbe)
	if !ok {
		return ""
	}
	socket, err := ping.listen("udp4")
	if err != nil {
		return unpingable(context.Background(), err).reason
	}
	_ = socket.Close()
	return ""
}

// packets lets closeWith close a socket that is not connected.
type packets struct{ net.PacketConn }

func (packets) Read([]byte) (int, error)  { return 0, errors.ErrUnsupported }
func (packets) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }
func (packets) RemoteAddr() net.Addr      { return nil }
