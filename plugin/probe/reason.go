package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

// finding is why an attempt did not pass. No finding, nil, means that nothing is wrong so far.
//
// It is deliberately not an error: a target that fails is a result, and the compiler then sees to it that
// every error of the network is turned into an outcome with a reason before it leaves its function.
type finding struct {
	outcome Outcome
	reason  string
	cause   Cause // of one that could not tell; NoCause is OtherCause
}

func failed(format string, args ...any) *finding {
	return &finding{outcome: Fail, reason: fmt.Sprintf(format, args...)}
}

func cannotTell(format string, args ...any) *finding {
	return &finding{outcome: CannotTell, reason: fmt.Sprintf(format, args...)}
}

// stage is how far an attempt had come, worded so that it follows "timed out" and "connection reset".
type stage string

const (
	connecting     stage = "while connecting"
	shakingHands   stage = "in the TLS handshake"
	sending        stage = "after connecting, while sending"
	awaitingStatus stage = "after connecting, waiting for the status line"
	readingHeaders stage = "while reading the headers"
	readingBody    stage = "while reading the body"
)

// ours are the errors that say something about this host and nothing about the target (spec 2.4).
//
// EHOSTUNREACH is missing on purpose: Linux reports it for a dead host in our own network, whose address
// nobody answers for. A lost route of ours is ENETUNREACH.
var ours = map[syscall.Errno]string{
	syscall.ENETUNREACH:   "no route to the target's network",
	syscall.ENETDOWN:      "our network is down",
	syscall.EAFNOSUPPORT:  "this host lacks the target's address family",
	syscall.EMFILE:        "no file descriptors left in the process",
	syscall.ENFILE:        "no file descriptors left on this host",
	syscall.EADDRNOTAVAIL: "no local address or port left",
	syscall.EAGAIN:        "no local port left",
	syscall.ENOBUFS:       "no buffers left on this host",
	syscall.ENOMEM:        "no memory left on this host",
	syscall.EACCES:        "forbidden by a firewall or route of this host",
	syscall.EPERM:         "forbidden by a firewall or route of this host",
}

// explain says what an error of the network means for the attempt whose context is given.
func explain(ctx context.Context, at stage, err error) *finding {
	var (
		errno   syscall.Errno
		network net.Error
		op      *net.OpError
	)
	errors.As(err, &errno)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return cannotTell("attempt abandoned").because(Abandoned)
	case ours[errno] != "":
		return cannotTell("%s", ours[errno]).because(causes[errno])
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return failed("timed out %s", at)
	case errno == syscall.ECONNREFUSED:
		return failed("connection refused")
	case errno == syscall.EHOSTUNREACH:
		return failed("host unreachable")
	case errno == syscall.ECONNRESET, errno == syscall.ECONNABORTED:
		return failed("connection reset %s", at)
	case errno == syscall.EPIPE, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return failed("connection closed %s", at)
	case errors.As(err, &op) && op.Op == "remote error": // how crypto/tls marks an alert; in TLS 1.3 it may come late
		return failed("server sent a TLS alert: %s", bare(op.Err))
	}
	return failed("%s %s", bare(err), at)
}

// bare is the text of an error as one short line, without the package names that the standard library puts in front.
func bare(err error) string {
	text := err.Error()
	for _, prefix := range []string{"net/http: ", "http: ", "tls: ", "x509: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '.'
	}, text)
	if short := clip(text, 120); short != text {
		return short + "..."
	}
	return text
}

// quoted shows what a peer sent: as a Go string on one line, and only its beginning.
func quoted[T string | []byte](what T) string {
	const limit = 64
	if short := clip(string(what), limit); len(short) < len(what) {
		return strconv.Quote(short) + "..."
	}
	return strconv.Quote(string(what))
}

// clip cuts a text to at most limit bytes, between characters.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
