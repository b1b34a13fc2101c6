package status

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/healthroute/healthroute/plugin/config"
)

// listen opens the address of `status`.
func listen(ctx context.Context, address string) (net.Listener, error) {
	at, err := config.ParseStatusAddress(address)
	if err != nil {
		return nil, err
	}
	if at.Path != "" {
		return listenUnix(ctx, at.Path)
	}
	network, host := "tcp", at.TCP.String()
	switch {
	case at.TCP.Addr().Is4(): // 0.0.0.0 would be both families
		network = "tcp4"
	case at.TCP.Addr().IsUnspecified():
		host = fmt.Sprintf(":%d", at.TCP.Port()) // both families
	}
	return new(net.ListenConfig).Listen(ctx, network, host)
}

// socketMode lets the server's user and group connect: whoever can, can say everything that an operator can, unless there is a token.
const socketMode = 0o660

// listenUnix opens a Unix socket. It comes to its path with its mode, not before it; a socket there that nobody listens at is what a server that was
// killed has left.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	switch there, err := os.Lstat(path); {
	case err == nil && there.Mode().Type() != os.ModeSocket:
		return nil, fmt.Errorf("%s is there and is no socket", path)
	case err == nil:
		other, err := new(net.Dialer).DialContext(ctx, "unix", path)
		switch {
		case err == nil:
			other.Close()
			return nil, fmt.Errorf("somebody else listens at %s", path)
		case !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, os.ErrNotExist): // he is busy, or not for us to know
			return nil, err
		}
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	private, err := os.MkdirTemp(filepath.Dir(path), ".hr")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(private) }()
	s := &socket{path: path}
	if err := s.open(ctx, filepath.Join(private, "s")); err != nil {
		return nil, err
	}
	return s, nil
}

// socket is a listener that takes its path away when it is closed, unless somebody else has put another one there.
type socket struct {
	*net.UnixListener
	path string
	own  os.FileInfo
}

// open listens at a path where nobody else looks and moves the socket to its own.
func (s *socket) open(ctx context.Context, private string) error {
	l, err := new(net.ListenConfig).Listen(ctx, "unix", private)
	if err != nil {
		return err
	}
	s.UnixListener = l.(*net.UnixListener)
	s.SetUnlinkOnClose(false)
	if err = os.Chmod(private, socketMode); err == nil {
		err = os.Rename(private, s.path)
	}
	if err == nil {
		s.own, err = os.Lstat(s.path)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return nil
}

// Addr is where clients find it.
func (s *socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

// Close ends it.
func (s *socket) Close() error {
	if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.own) {
		_ = os.Remove(s.path) // the next one to listen takes it for left
	}
	return s.UnixListener.Close()
}
