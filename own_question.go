package healthroute

import (
	"net"

	"github.com/miekg/dns"
)

// ownQuestion is the writer of a query that we make ourselves, such as for the name of an alias: it comes from this host, and what is written
// to it is kept by who wraps it.
type ownQuestion struct{ from net.Addr }

// Where our own queries come from. By UDP plugins ask their servers by UDP, so that TCP is for what was truncated.
var (
	overUDP = ownQuestion{&net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 53}}
	overTCP = ownQuestion{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 53}}
)

// LocalAddr is the loopback address.
func (o ownQuestion) LocalAddr() net.Addr { return o.from }

// RemoteAddr is the loopback address.
func (o ownQuestion) RemoteAddr() net.Addr { return o.from }

// WriteMsg drops the message.
func (ownQuestion) WriteMsg(*dns.Msg) error { return nil }

// Write drops the bytes.
func (ownQuestion) Write(b []byte) (int, error) { return len(b), nil }

// Close does nothing.
func (ownQuestion) Close() error { return nil }

// TsigStatus is good.
func (ownQuestion) TsigStatus() error { return nil }

// TsigTimersOnly does nothing.
func (ownQuestion) TsigTimersOnly(bool) {}

// Hijack does nothing.
func (ownQuestion) Hijack() {}
