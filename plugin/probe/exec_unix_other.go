//go:build unix && !linux

package probe

import (
	"context"
	"os/exec"
)

// waitOrKill waits until the program has ended, or ends it with the context, and kills what is left of its group. Not every system can
// tell of a process's end without giving its number back; a number is not used again so soon.
func waitOrKill(ctx context.Context, program *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	select {
	case err := <-ended:
		killGroup(program)
		return err
	case <-ctx.Done():
		killGroup(program)
		return <-ended
	}
}
