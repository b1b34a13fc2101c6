//go:build unix

package probe

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// script is a program of shell lines. Shells are what people write checks in; we need none to run them.
func script(t testing.TB, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "check")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func runs(command ...string) func(*config.Probe) {
	return func(p *config.Probe) { p.Command = command }
}

var somewhere = Target{Address: netip.MustParseAddr("192.0.2.1"), Port: 8080}

func TestExec(t *testing.T) {
	tests := []struct {
		name    string
		lines   string
		outcome Outcome
		reason  string
	}{
		{"passes", "exit 0", Pass, ""},
		{"passes, whatever it says", "echo bad; echo worse >&2", Pass, ""},
		{"fails", "exit 3", Fail, "exit status 3"},
		{"fails with a reason", "echo; echo replica lags 40 s; exit 1", Fail, "exit status 1: replica lags 40 s"},
		{"fails with two lines", "echo one >&2; echo two; echo three; exit 2", Fail, "exit status 2: one / two"},
		{"fails with control characters", `printf 'a\033[31mb\000c\r\n'; exit 1`, Fail, "exit status 1: a.[31mb.c"},
		{"fails with much", "i=0; while [ $i -lt 2000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done | tr -d '\\n'; exit 1",
			Fail, "exit status 1: " + strings.Repeat("0123456789012345678901234567890123456789", 3) + "..."},
		{"is killed", "kill -9 $$", Fail, "signal: killed"},
		{"sees the target", `[ "$HEALTHROUTE_TARGET:$HEALTHROUTE_PORT" = 192.0.2.1:8080 ]`, Pass, ""},
		{"runs in the root directory", `[ "$(pwd)" = / ]`, Pass, ""},
		{"finds other programs", "command -v cat >/dev/null", Pass, ""},
		{"reads no input", "cat", Pass, ""},
		{"has no terminal's group", `[ "$(ps -o pgid= -p $$ 2>/dev/null || echo $$)" -eq $$ ]`, Pass, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			expect(t, attempt(t, proberOf(t, config.ProbeExec, runs(script(t, test.lines))), somewhere, patience), test.outcome, test.reason)
		})
	}
}

// There is no shell between us and the program: arguments arrive as they are written.
func TestExecArguments(t *testing.T) {
	program := script(t, `[ $# -eq 3 ] && [ "$1" = 'a b' ] && [ "$2" = '$HOME;*' ] && [ -z "$3" ]`)
	expect(t, attempt(t, proberOf(t, config.ProbeExec, runs(program, "a b", "$HOME;*", "")), somewhere, patience), Pass, "")
}

func TestExecEnvironment(t *testing.T) {
	t.Setenv("SECRET", "of the server")
	program := script(t, "env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= -e ^OLDPWD= | sort | tr '\\n' ' '; exit 1")
	path := "PATH=" + searchPath
	expect(t, attempt(t, proberOf(t, config.ProbeExec, runs(program)), Target{Name: "db.example.", Port: 5432}, patience), Fail,
		"exit status 1: HEALTHROUTE_PORT=5432 HEALTHROUTE_TARGET=db.example "+path)
}

func TestExecCannotStart(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "check")
	if err := os.WriteFile(plain, []byte("exit 0"), 0o600); err != nil {
		t.Fatal(err)
	}
	noInterpreter := filepath.Join(t.TempDir(), "check")
	if err := os.WriteFile(noInterpreter, []byte("#!/does/not/exist\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	headless := filepath.Join(t.TempDir(), "check")
	if err := os.WriteFile(headless, []byte("exit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{
		"/does/not/exist": `program "/does/not/exist": not found, or its interpreter is not`,
		noInterpreter:     "program ...",
		plain:             "program ...",
		headless:          "program ...",
		t.TempDir():       "program ...",
	} {
		expect(t, attempt(t, proberOf(t, config.ProbeExec, runs(path)), somewhere, patience), CannotTell, reason)
	}
}

// alive reports whether a process of the group is left; zombies count.
func alive(group int) bool { return syscall.Kill(-group, 0) == nil }

// groupOf reads the number that a script wrote.
func groupOf(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("Expected the program to have written its number, got %v", err)
	}
	group, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return group
}

// Whatever the program leaves behind in its group is gone when the attempt ends, and nothing waits for pipes that it holds.
func TestExecLeavesNothing(t *testing.T) {
	tests := []struct {
		name    string
		lines   string
		within  bool // killed at its timeout
		outcome Outcome
		reason  string
	}{
		{"hangs", "echo waiting for the lock; exec sleep 1000", true, Fail, "timed out: the program was killed: waiting for the lock"},
		{"ignores signals", "trap '' TERM INT HUP; while :; do sleep 1000; done", true, Fail, "timed out: the program was killed"},
		{"children hang", "sleep 1000 & sleep 1000 & wait", true, Fail, "timed out: the program was killed"},
		{"writes for ever", "while :; do echo 0; done", true, Fail, "timed out: the program was killed: 0 / 0"},
		{"child keeps stdout open", "sleep 1000 & exit 0", false, Pass, ""},
		{"grandchild keeps stdout open", "(sleep 1000 & ) ; exit 4", false, Fail, "exit status 4"},
		{"stops itself", "kill -STOP $$", true, Fail, "timed out: the program was killed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			number := filepath.Join(t.TempDir(), "number")
			prober := proberOf(t, config.ProbeExec, runs(script(t, "echo $$ > "+number+"\n"+test.lines)))
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			deadline := patience
			if test.within {
				deadline = 500 * time.Millisecond // long enough for a shell to have begun
			}
			bounded, stop := context.WithTimeout(ctx, deadline)
			defer stop()
			expect(t, prober.Attempt(bounded, somewhere), test.outcome, test.reason)
			group := groupOf(t, number)
			for alive(group) { // orphans of the group are dead, but their new parent may take its time to bury them
				runtime.Gosched()
				if t.Context().Err() != nil {
					t.Fatal("Expected no process of the group, got one")
				}
				if buried(group) {
					break
				}
			}
		})
	}
}

// A process that leaves the group is beyond our reach, but the attempt does not wait for the pipe that it holds.
func TestExecDaemon(t *testing.T) {
	number := filepath.Join(t.TempDir(), "number")
	program := script(t, "command -v setsid >/dev/null || exit 77\nsetsid sh -c 'echo $$ > "+number+"; exec sleep 1000' &\nwhile [ ! -s "+number+" ]; do :; done")
	got := attempt(t, proberOf(t, config.ProbeExec, runs(program)), somewhere, patience)
	if got.Reason == "exit status 77" {
		t.Skip("This system has no setsid program")
	}
	expect(t, got, Pass, "")
	if err := syscall.Kill(groupOf(t, number), syscall.SIGKILL); err != nil {
		t.Errorf("Expected the daemon to run, got %v", err)
	}
}

func TestExecAbandoned(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	prober := proberOf(t, config.ProbeExec, runs(script(t, "sleep 1000")))
	expect(t, prober.Attempt(ctx, somewhere), CannotTell, "attempt abandoned")
}
