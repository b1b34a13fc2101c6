//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package state

import (
	"io"
	"os"
)

// lockFile makes the file, but does not lock it: who runs two servers on such a system gives each a file of its own.
func lockFile(name string) (io.Closer, error) { return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) }

// syncDir does nothing where directories cannot be synchronised.
func (osDisk) syncDir(string) error { return nil }
