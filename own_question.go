package healthroute

import (
	"net"

	"github.com/miekg/dns"
)

// ownQuestion is the writer of a query that we make ourselves, such as for the name of an alias: it comes from this host, by TCP so that nobody
// has to truncate, and what is written to it is kept by who wraps it.
type ownQuestion struct{}

var loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 53}

// LocalAddr is the loopback address.
func (ownQuestion) LocalAddr() net.Addr { return loopback }

// RemoteAddr is the loopback address.
func (ownQuestion) RemoteAddr() net.Addr { return loopback }

// Network is tcp.
func (ownQuestion) Network() string { return "tcp" }

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
