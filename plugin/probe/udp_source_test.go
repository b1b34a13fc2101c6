package probe

import (
	"net"
	"net/netip"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestUDPSource sends from the address that a probe names, and cannot tell of a target that it does not reach.
func TestUDPSource(t *testing.T) {
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	from := make(chan string, 1)
	go func() {
		buffer := make([]byte, 512)
		n, client, err := socket.ReadFrom(buffer)
		if err != nil {
			return
		}
		from <- client.(*net.UDPAddr).IP.String()
		_, _ = socket.WriteTo(buffer[:n], client)
	}()
	p := proberOf(t, config.ProbeUDP, func(p *config.Probe) {
		p.Source, p.Exchange = "127.0.0.9", config.Exchange{Send: "ping", ExpectReply: "^ping$"}
	})
	target := at(socket.LocalAddr().(*net.UDPAddr).AddrPort())
	expect(t, attempt(t, p, target, patience), Pass, "")
	if got := <-from; got != "127.0.0.9" {
		t.Errorf("Expected a datagram from 127.0.0.9, got one from %s", got)
	}
	target.Address = netip.IPv6Loopback()
	expect(t, attempt(t, p, target, patience), CannotTell, "source 127.0.0.9 cannot reach an IPv6 address")
}
