//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package state

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock, which the process has until it closes it or ends, however it ends. The file stays: one that is removed could be locked
// twice. If another one has it, the error is an *InUse.
func lockFile(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.Join(&InUse{File: name, By: holder(f)}, f.Close())
	}
	if err != nil {
		return nil, errors.Join(&os.PathError{Op: "lock", Path: name, Err: err}, f.Close())
	}
	if f.Truncate(0) == nil { // who holds it is for people only, so nothing fails with it
		_, _ = f.WriteString("process " + strconv.Itoa(os.Getpid()) + "\n")
	}
	return f, nil
}

// holder is what the one who has the lock wrote of himself.
func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// syncDir makes the directory's entries last.
func (osDisk) syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
