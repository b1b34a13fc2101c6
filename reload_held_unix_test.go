//go:build unix

package healthroute

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// heldState is a state file in the folder that another server holds.
func heldState(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "state")
	lock, err := os.OpenFile(file+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Close() })
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatalf("Expected a lock, got: %v", err)
	}
	return file
}
