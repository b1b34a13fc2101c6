package probe

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// serveUDP answers each datagram until the test ends.
func serveUDP(t testing.TB, answer func(datagram []byte) [][]byte) netip.AddrPort {
	t.Helper()
	return serveUDPOn(t, "127.0.0.1:0", answer)
}

func serveUDPOn(t testing.TB, address string, answer func(datagram []byte) [][]byte) netip.AddrPort {
	t.Helper()
	socket, err := net.ListenPacket("udp", address)
	if err != nil {
		t.Skipf("Cannot listen on %s: %v", address, err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		buffer := make([]byte, 65535)
		for {
			n, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			for _, datagram := range answer(buffer[:n]) {
				socket.WriteTo(datagram, from)
			}
		}
	})
	t.Cleanup(func() { socket.Close(); running.Wait() })
	return socket.LocalAddr().(*net.UDPAddr).AddrPort()
}

// datagrams answers with them.
func datagrams(all ...string) func([]byte) [][]byte {
	return func([]byte) (out [][]byte) {
		for _, text := range all {
			out = append(out, []byte(text))
		}
		return out
	}
}

// unheard is an address at which no UDP socket is: it was one's that is closed.
func unheard(t testing.TB) netip.AddrPort {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	return socket.LocalAddr().(*net.UDPAddr).AddrPort()
}

func TestUDP(t *testing.T) {
	tests := []struct {
		name   string
		probe  func(*config.Probe)
		answer func([]byte) [][]byte
		reason string
	}{
		{"reply", exchanges("ping\x00", "^pong$"), func(got []byte) [][]byte {
			if string(got) == "ping\x00" {
				return [][]byte{[]byte("pong")}
			}
			return nil
		}, ""},
		{"any reply", exchanges("x", ""), datagrams("whatever"), ""},
		{"empty reply", exchanges("x", ""), datagrams(""), ""},
		{"empty reply that matches", exchanges("x", "^$"), datagrams(""), ""},
		{"second of two", exchanges("x", "b"), datagrams("a", "b"), ""},
		{"flood", exchanges("x", "b"), func([]byte) [][]byte { return datagrams(strings.Split(strings.Repeat("a", 200), "")...)(nil) },
			`64 replies do not match "b", the last was "a"`},
		{"match at byte 5120", exchanges("x", "y"), datagrams(ending("y", 5120)), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			expect(t, attempt(t, proberOf(t, config.ProbeUDP, test.probe), at(serveUDP(t, test.answer)), patience), outcome, test.reason)
		})
	}
}

func TestUDPSilence(t *testing.T) {
	mute := at(serveUDP(t, datagrams()))
	expect(t, attempt(t, proberOf(t, config.ProbeUDP, exchanges("x", "")), mute, briefly), Pass, "")
	expect(t, attempt(t, proberOf(t, config.ProbeUDP, exchanges("x", "y")), mute, briefly), Fail, `timed out waiting for a reply that matches "y", got nothing`)
	wrong := at(serveUDP(t, datagrams("no")))
	expect(t, attempt(t, proberOf(t, config.ProbeUDP, exchanges("x", "y")), wrong, briefly), Fail, `timed out waiting for a reply that matches "y", got "no"`)
	beyond := at(serveUDP(t, datagrams(ending("y", 5121))))
	expect(t, attempt(t, proberOf(t, config.ProbeUDP, exchanges("x", "y")), beyond, briefly), Fail, `timed out waiting for a reply that matches "y", got "xxx...`)
}

func TestUDPUnreachable(t *testing.T) {
	for _, reply := range []string{"", "y"} {
		expect(t, attempt(t, proberOf(t, config.ProbeUDP, exchanges("x", reply)), at(unheard(t)), patience), Fail, "port unreachable: nobody listens there")
	}
}

func TestUDPAbandoned(t *testing.T) {
	for _, reply := range []string{"", "y"} {
		ctx, cancel := context.WithCancel(t.Context())
		server := serveUDP(t, func([]byte) [][]byte { cancel(); return nil })
		expect(t, proberOf(t, config.ProbeUDP, exchanges("x", reply)).Attempt(ctx, at(server)), CannotTell, "attempt abandoned")
	}
}

func TestUDPOverIPv6(t *testing.T) {
	server := serveUDPOn(t, "[::1]:0", datagrams("pong"))
	expect(t, attempt(t, proberOf(t, config.ProbeUDP, exchanges("x", "pong")), at(server), patience), Pass, "")
}
