//go:build !unix

package probe

import (
	"context"
	"os/exec"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// waitOrKill waits until the program has ended, or kills it with the context; its children are beyond our reach.
func waitOrKill(ctx context.Context, program *exec.Cmd) error {
	stop := context.AfterFunc(ctx, func() { _ = program.Process.Kill() })
	defer stop()
	return program.Wait()
}
