package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

const (
	// maxOutput is how much of a program's output is kept for the reason: what matters stands first or is not read.
	maxOutput = 1024
	// pipeDelay is how long we wait for output after the program has ended and its process group is gone. Only a process that has left
	// the group can still hold the pipe then, and it is none of ours.
	pipeDelay = 100 * time.Millisecond
	// searchPath is where the program finds others.
	searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// execProbe runs a program and passes when its exit status is 0. There is no shell. The program runs in the root directory with an
// environment of its own, in a process group of its own, of which nothing is left when the attempt ends.
type execProbe struct{ command []string }

func newExec(p *config.Probe, _ files, _ *dialer) (kind, error) {
	if len(p.Command) == 0 {
		return nil, errors.New("command: no program")
	}
	return &execProbe{p.Command}, nil
}

func (p *execProbe) test(ctx context.Context, t Target) *finding {
	if ctx.Err() != nil {
		return explain(ctx, "before the program began", ctx.Err())
	}
	said := &output{}
	program := exec.Command(p.command[0], p.command[1:]...)
	program.Dir = "/"
	program.Env = environment(t)
	program.Stdout, program.Stderr = said, said // equal: one pipe, in the order in which it was written
	program.WaitDelay = pipeDelay
	ownGroup(program)
	if err := program.Start(); err != nil {
		return unstarted(p.command[0], err)
	}
	err := waitOrKill(ctx, program)
	var status *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return cannotTell("attempt abandoned")
	case ctx.Err() != nil:
		return failed("timed out: the program was killed%s", said.quoted())
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case errors.As(err, &status):
		return failed("%s%s", status, said.quoted())
	}
	return cannotTell("cannot wait for the program: %s", bare(err))
}

// environment is all that the program knows. A target with a name is told by its name: the program looks it up as it likes.
func environment(t Target) []string {
	target := strings.TrimSuffix(t.Name, ".")
	if t.Address.IsValid() {
		target = t.Address.Unmap().String()
	}
	return []string{"PATH=" + searchPath, "HEALTHROUTE_TARGET=" + target, fmt.Sprintf("HEALTHROUTE_PORT=%d", t.Port)}
}

// unstarted says why a program did not begin. Whatever it is, it says nothing of the target.
func unstarted(program string, err error) *finding {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cannotTell("program %s: not found, or its interpreter is not", quoted(program))
	case errors.Is(err, fs.ErrPermission):
		return cannotTell("program %s: not permitted to run it", quoted(program))
	case errors.Is(err, syscall.ENOEXEC):
		return cannotTell("program %s: not executable: a script begins with #!", quoted(program))
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		err = errno
	}
	return cannotTell("program %s: %s", quoted(program), bare(err))
}

// output keeps the beginning of what a program writes.
type output struct {
	mu   sync.Mutex // whoever still holds the pipe may write when we have ceased to wait
	kept []byte     // guarded by mu
}

// Write keeps what there is room for, and lets the program write on.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, p[:min(len(p), maxOutput-len(o.kept))]...)
	return len(p), nil
}

// quoted is the first line that says something, and the second if there is one, for the end of a reason.
func (o *output) quoted() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(o.kept)) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < 2 {
			lines = append(lines, bare(errors.New(line)))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.Join(lines, " / ")
}
