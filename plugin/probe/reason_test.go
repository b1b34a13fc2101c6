package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestExplain(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithTimeout(t.Context(), -1)
	defer stop()
	connect := func(errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{}, Err: os.NewSyscallError("connect", errno)}
	}
	tests := []struct {
		ctx     context.Context
		err     error
		outcome Outcome
		reason  string
	}{
		{t.Context(), connect(syscall.ECONNREFUSED), Fail, "connection refused"},
		{t.Context(), connect(syscall.EHOSTUNREACH), Fail, "host unreachable"},
		{t.Context(), connect(syscall.ETIMEDOUT), Fail, "timed out while connecting"},
		{t.Context(), connect(syscall.ECONNRESET), Fail, "connection reset while connecting"},
		{t.Context(), connect(syscall.EPIPE), Fail, "connection closed while connecting"},
		{t.Context(), io.EOF, Fail, "connection closed while connecting"},
		{t.Context(), os.ErrDeadlineExceeded, Fail, "timed out while connecting"}, // the socket may know before the context
		{t.Context(), connect(syscall.ENETUNREACH), CannotTell, "no route to the target's network"},
		{t.Context(), connect(syscall.EMFILE), CannotTell, "no file descriptors left in the process"},
		{t.Context(), connect(syscall.ENFILE), CannotTell, "no file descriptors left on this host"},
		{t.Context(), connect(syscall.EADDRNOTAVAIL), CannotTell, "no local address or port left"},
		{t.Context(), connect(syscall.ENOBUFS), CannotTell, "no buffers left on this host"},
		{t.Context(), connect(syscall.ENOMEM), CannotTell, "no memory left on this host"},
		{t.Context(), connect(syscall.EACCES), CannotTell, "forbidden by a firewall or route of this host"},
		{t.Context(), connect(syscall.EPERM), CannotTell, "forbidden by a firewall or route of this host"},
		{t.Context(), &net.OpError{Op: "remote error", Err: tls.AlertError(40)}, Fail, "server sent a TLS alert: handshake failure"},
		{t.Context(), errors.New("tls: odd\nthing"), Fail, "odd.thing while connecting"},
		{late, net.ErrClosed, Fail, "timed out while connecting"},
		{late, connect(syscall.EMFILE), CannotTell, "no file descriptors left in the process"},
		{cancelled, connect(syscall.ECONNREFUSED), CannotTell, "attempt abandoned"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.err), func(t *testing.T) {
			f := explain(test.ctx, connecting, test.err)
			expect(t, Result{Outcome: f.outcome, Reason: f.reason}, test.outcome, test.reason)
		})
	}
}

func TestQuoted(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", `""`},
		{"a\r\n\x00é", `"a\r\n\x00é"`},
		{strings.Repeat("a", 65), `"` + strings.Repeat("a", 64) + `"...`},
		{strings.Repeat("a", 63) + "é", `"` + strings.Repeat("a", 63) + `"...`}, // not through the middle of a character
	} {
		if got := quoted(test.text); got != test.want {
			t.Errorf("Expected %s for %q, got %s", test.want, test.text, got)
		}
	}
}
