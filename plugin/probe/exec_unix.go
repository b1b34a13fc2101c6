//go:build unix

package probe

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the leader of a process group, so that its children can be reached with it.
func ownGroup(program *exec.Cmd) { program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends every process of the program's group at once, whatever it would like to do first.
func killGroup(program *exec.Cmd) { _ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL) }
