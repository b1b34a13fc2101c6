package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"

	"github.com/healthroute/healthroute/plugin/config"
)

// wire is a network for pings: what the answers to a request are. It sets the identifier, as Linux does.
type wire struct {
	answers func(request *icmp.Echo) []packet
	refuse  error // what sending meets
	id      int

	once   sync.Once
	closed chan struct{}
	queue  chan packet
}

type packet struct {
	from string
	data []byte
}

func (w *wire) WriteTo(p []byte, to net.Addr) (int, error) {
	if w.refuse != nil {
		return 0, w.refuse
	}
	protocol := 1
	if to.(*net.UDPAddr).IP.To4() == nil {
		protocol = 58
	}
	m, err := icmp.ParseMessage(protocol, p)
	if err != nil {
		return 0, err
	}
	request := m.Body.(*icmp.Echo)
	request.ID = w.id
	for _, answer := range w.answers(request) {
		w.queue <- answer
	}
	return len(p), nil
}

func (w *wire) ReadFrom(p []byte) (int, net.Addr, error) {
	select {
	case got := <-w.queue:
		return copy(p, got.data), net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(got.from), 0)), nil
	case <-w.closed:
		return 0, nil, net.ErrClosed
	}
}

func (w *wire) Close() error                     { w.once.Do(func() { close(w.closed) }); return nil }
func (w *wire) LocalAddr() net.Addr              { return &net.UDPAddr{Port: w.id} }
func (w *wire) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (w *wire) SetReadDeadline(time.Time) error  { return errors.ErrUnsupported }
func (w *wire) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

// pinger is a prober on a network of its own.
func pinger(t testing.TB, answers func(*icmp.Echo) []packet, refuse error) *Prober {
	t.Helper()
	prober := proberOf(t, config.ProbePing)
	prober.kind.(*pingProbe).listen = func(string) (net.PacketConn, error) {
		return &wire{answers: answers, refuse: refuse, id: 4711, closed: make(chan struct{}), queue: make(chan packet, 100)}, nil
	}
	return prober
}

// echoed is a reply as it comes from the address.
func echoed(from string, kind icmp.Type, id, seq int, data []byte) packet {
	b, err := (&icmp.Message{Type: kind, Body: &icmp.Echo{ID: id, Seq: seq, Data: data}}).Marshal(nil)
	if err != nil {
		panic(err)
	}
	return packet{from, b}
}

func TestPing(t *testing.T) {
	const here = "192.0.2.1"
	reply := func(e *icmp.Echo) packet { return echoed(here, ipv4.ICMPTypeEchoReply, e.ID, e.Seq, e.Data) }
	always := func(p packet) func(*icmp.Echo) []packet { return func(*icmp.Echo) []packet { return []packet{p} } }
	tests := []struct {
		name    string
		target  string
		answers func(*icmp.Echo) []packet
		reason  string // of the timeout
	}{
		{"reply", here, func(e *icmp.Echo) []packet { return []packet{reply(e)} }, ""},
		{"reply over IPv6", "2001:db8::1", func(e *icmp.Echo) []packet {
			return []packet{echoed("2001:db8::1", ipv6.ICMPTypeEchoReply, e.ID, e.Seq, e.Data)}
		}, ""},
		{"strays first", here, func(e *icmp.Echo) []packet {
			return []packet{
				{here, []byte("x")}, echoed("192.0.2.9", ipv4.ICMPTypeEchoReply, e.ID, e.Seq, e.Data),
				echoed(here, ipv4.ICMPTypeEchoReply, e.ID, e.Seq+1, e.Data), reply(e),
			}
		}, ""},
		{"silence", here, func(*icmp.Echo) []packet { return nil }, "timed out waiting for an echo reply"},
		{"another host", here, func(e *icmp.Echo) []packet {
			return []packet{echoed("192.0.2.9", ipv4.ICMPTypeEchoReply, e.ID, e.Seq, e.Data)}
		}, "timed out waiting for an echo reply, got a packet from 192.0.2.9:0"},
		{"another identifier", here, func(e *icmp.Echo) []packet {
			return []packet{echoed(here, ipv4.ICMPTypeEchoReply, e.ID+1, e.Seq, e.Data)}
		}, "timed out waiting for an echo reply, got a reply with another identifier"},
		{"another sequence number", here, func(e *icmp.Echo) []packet {
			return []packet{echoed(here, ipv4.ICMPTypeEchoReply, e.ID, e.Seq^1, e.Data)}
		}, "timed out waiting for an echo reply, got a reply with another sequence number"},
		{"other data", here, func(e *icmp.Echo) []packet {
			return []packet{echoed(here, ipv4.ICMPTypeEchoReply, e.ID, e.Seq, e.Data[1:])}
		}, "timed out waiting for an echo reply, got a reply with other data"},
		{"its own request", here, func(e *icmp.Echo) []packet {
			return []packet{echoed(here, ipv4.ICMPTypeEcho, e.ID, e.Seq, e.Data)}
		}, `timed out waiting for an echo reply, got a packet of type "echo"`},
		{"garbage", here, always(packet{here, []byte("xx")}), "timed out waiting for an echo reply, got a malformed packet"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome, deadline := Pass, patience
			if test.reason != "" {
				outcome, deadline = Fail, briefly
			}
			got := attempt(t, pinger(t, test.answers, nil), Target{Address: netip.MustParseAddr(test.target)}, deadline)
			expect(t, got, outcome, test.reason)
		})
	}
	flood := func(*icmp.Echo) (out []packet) {
		for range 100 {
			out = append(out, packet{here, []byte("xx")})
		}
		return out
	}
	expect(t, attempt(t, pinger(t, flood, nil), Target{Address: netip.MustParseAddr(here)}, patience), Fail,
		"64 packets that are no reply to our echo request, the last was a malformed packet")
}

func TestPingErrors(t *testing.T) {
	sending := func(errno syscall.Errno) error {
		return &net.OpError{Op: "write", Net: "udp", Err: os.NewSyscallError("sendto", errno)}
	}
	target := Target{Address: netip.MustParseAddr("192.0.2.1")}
	expect(t, attempt(t, pinger(t, nil, sending(syscall.EHOSTUNREACH)), target, patience), Fail, "host unreachable")
	expect(t, attempt(t, pinger(t, nil, sending(syscall.ENETUNREACH)), target, patience), CannotTell, "no route to the target's network")

	prober := proberOf(t, config.ProbePing)
	forbid := func(errno syscall.Errno) {
		prober.kind.(*pingProbe).listen = func(string) (net.PacketConn, error) {
			return nil, &net.OpError{Op: "listen", Net: "udp4", Err: os.NewSyscallError("socket", errno)}
		}
	}
	forbid(syscall.EACCES)
	const words = "this host forbids ICMP sockets: net.ipv4.ping_group_range must include a group of this process (it is for IPv6 too)"
	expect(t, attempt(t, prober, target, patience), CannotTell, words)
	if got := prober.Obstacle(); got != words {
		t.Errorf("Expected the obstacle %q, got %q", words, got)
	}
	forbid(syscall.EMFILE)
	expect(t, attempt(t, prober, target, patience), CannotTell, "no file descriptors left in the process")

	ctx, cancel := context.WithCancel(t.Context())
	abandoned := pinger(t, func(*icmp.Echo) []packet { cancel(); return nil }, nil)
	expect(t, abandoned.Attempt(ctx, target), CannotTell, "attempt abandoned")
	if got := abandoned.Obstacle() + proberOf(t, config.ProbeTCP).Obstacle(); got != "" {
		t.Errorf("Expected no obstacle, got %q", got)
	}
}

// FuzzPing feeds whatever packet may come to the judging of a reply.
func FuzzPing(f *testing.F) {
	f.Add(echoed("", ipv4.ICMPTypeEchoReply, 1, 2, []byte("x")).data, true)
	f.Add(echoed("", ipv6.ICMPTypeEchoReply, 1, 2, []byte("x")).data, false)
	f.Add([]byte{3, 3, 0, 0, 0, 0, 0, 0, 0x45}, true)
	f.Fuzz(func(t *testing.T, data []byte, v4 bool) {
		own, addr := families4and6[1], netip.MustParseAddr("2001:db8::1")
		if v4 {
			own, addr = families4and6[0], netip.MustParseAddr("192.0.2.1")
		}
		got := echo{id: 1, seq: 2, data: []byte("x")}.judge(own, addr, net.UDPAddrFromAddrPort(netip.AddrPortFrom(addr, 0)), data)
		if len(got) > 256 || strings.ContainsAny(got, "\r\n\x00") {
			t.Errorf("Expected a short line, got %q", got)
		}
	})
}
