//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience bounds every wait for something that must come.
const patience = 30 * time.Second

// binary is the path of what run builds; tests take it from program.
var binary string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run builds the server, runs the tests and leaves nothing behind.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "healthroute-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "healthroute")
	build := exec.Command("go", "build", "-o", binary)
	if underRace() {
		build.Args = append(build.Args, "-race")
	}
	build.Args = append(build.Args, "..") // the command, whose folder we stand in
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "Expected %s to work, got: %v\n", build, err)
		return 1
	}
	// The tests wait nearly all the time, so that all may do it together. The command line still decides.
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	return m.Run()
}

// underRace reports whether the tests run under the race detector.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// sources opens every folder of the module, and so tells the go command that the result of these tests depends on what is in there:
// it would otherwise show a cached one, because a change of the server changes no package that we import. What is
// opened before m.Run does not count.
var sources = sync.OnceValue(func() error {
	return filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == ".git" {
			return filepath.SkipDir
		}
		return err
	})
})

// program is the server's executable, for a test that runs it.
func program(t *testing.T) string {
	t.Helper()
	if err := sources(); err != nil {
		t.Fatalf("Expected to read the module's folders, got: %v", err)
	}
	return binary
}

// networks counts those that were handed out.
var networks atomic.Int32

// network is the first three bytes of loopback addresses that nobody else uses.
func network() string {
	n := networks.Add(1)
	return fmt.Sprintf("127.%d.%d.", 64+n/256%64, n%256)
}

// eventually waits for something that must come.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	deadline := time.After(patience)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !happened() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("Expected %s within %s, got nothing of it", what, patience)
		}
	}
}
