package probe

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

func exchanges(send, reply string) func(*config.Probe) {
	return func(p *config.Probe) { p.Exchange = config.Exchange{Send: send, ExpectReply: reply} }
}

func TestTCP(t *testing.T) {
	hears := func(want, reply string) behaviour { // answers, and waits for the peer to close
		return func(conn net.Conn) {
			got := make([]byte, len(want))
			io.ReadFull(conn, got)
			if string(got) == want {
				io.WriteString(conn, reply)
			}
			silent(conn)
		}
	}
	tests := []struct {
		name   string
		probe  func(*config.Probe)
		do     behaviour
		reason string
	}{
		{"connects", exchanges("", ""), silent, ""},
		{"connects to one that closes", exchanges("", ""), func(net.Conn) {}, ""},
		{"only sends", exchanges("QUIT\r\n", ""), silent, ""},
		{"banner", exchanges("", "^220 "), hears("", "220 ready\r\n"), ""},
		{"exchange", exchanges("PING\r\n", `^\+PONG`), hears("PING\r\n", "+PONG\r\n"), ""},
		{"bytes", exchanges("\x00\xff", "\\x01"), hears("\x00\xff", "\x01"), ""},
		{"other reply", exchanges("", "^220 "), writes("554 no\r\n"),
			`connection closed waiting for a reply that matches "^220 ", got "554 no\r\n"`},
		{"no reply", exchanges("", ".*"), func(net.Conn) {}, `connection closed waiting for a reply that matches ".*", got nothing`},
		{"reset", exchanges("x", "x"), then(reads, resets), `connection reset waiting for a reply that matches "x", got nothing`},
		{"too long a reply", exchanges("", "x"), repeats("0"),
			`the first 5120 bytes of the reply do not match "x": "` + strings.Repeat("0", 64) + `"...`},
		{"match at byte 5120", exchanges("", "y"), writes(ending("y", 5120)), ""},
		{"match at byte 5121", exchanges("", "y"), writes(ending("y", 5121)), `the first 5120 bytes of the reply do not match "y"...`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			server := serve(t, test.do)
			expect(t, attempt(t, proberOf(t, config.ProbeTCP, test.probe), at(server), patience), outcome, test.reason)
		})
	}
}

func TestTCPSilence(t *testing.T) {
	server := serve(t, then(writes("220-wait"), silent))
	expect(t, attempt(t, proberOf(t, config.ProbeTCP, exchanges("", "^220 ")), at(server), briefly), Fail,
		`timed out waiting for a reply that matches "^220 ", got "220-wait"`)

	ctx, cancel := context.WithCancel(t.Context())
	mute := serve(t, func(conn net.Conn) { cancel(); silent(conn) })
	expect(t, proberOf(t, config.ProbeTCP, exchanges("", "x")).Attempt(ctx, at(mute)), CannotTell, "attempt abandoned")
}
