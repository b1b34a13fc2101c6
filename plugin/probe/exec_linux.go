package probe

import (
	"context"
	"os/exec"

	"golang.org/x/sys/unix"
)

// waitOrKill waits until the program has ended, or ends it with the context. Either way its whole group is killed before the program's
// number is given back: afterwards another group might have it.
func waitOrKill(ctx context.Context, program *exec.Cmd) error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		awaitEnd(program.Process.Pid)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	killGroup(program)
	<-ended
	return program.Wait()
}

// awaitEnd returns when the process has ended, and leaves it to be waited for.
func awaitEnd(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}
