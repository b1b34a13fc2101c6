package healthroute

import (
	"testing"
)

// FuzzWire sends any packet to a running server by TCP and UDP: it is answered or dropped, the next question is answered, nothing panics, and no
// reply holds what belongs to another question or client.
func FuzzWire(f *testing.F) {
	for _, c := range wireCases {
		f.Add(c.packet)
	}
	s := wireServer(f)
	f.Fuzz(func(t *testing.T, packet []byte) {
		if len(packet) < 0xffff {
			provokeAll(t, s, packet)
		}
	})
}
