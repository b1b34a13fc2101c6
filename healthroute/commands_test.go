package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write what the commands print into testdata/*.txt")

// TestCommands runs the commands of each file in testdata: a line "$ ARGUMENT..." stands before what the command prints, a line "! ERROR" and
// its exit status, unless that is 0. Arguments have no blanks.
func TestCommands(t *testing.T) {
	t.Chdir("testdata")
	files, err := filepath.Glob("*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("Expected files, got %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, want := range strings.Split("\n"+string(text), "\n$ ")[1:] {
			call, _, _ := strings.Cut(want, "\n")
			got := transcript(t, call)
			all.WriteString(got + "\n")
			if strings.TrimRight(want, "\n") != strings.TrimRight(got[2:], "\n") && !*update {
				t.Errorf("Expected, in %s,\n$ %s\ngot\n%s", file, want, got)
			}
		}
		if *update {
			if err := os.WriteFile(file, []byte(all.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// transcript runs a command and returns the call, what it printed and how it ended. It leaves no goroutine behind.
func transcript(t *testing.T, call string) string {
	t.Helper()
	before := goleak.IgnoreCurrent()
	var out bytes.Buffer
	err := runCommand(t.Context(), strings.Fields(call), &out)
	if leak := goleak.Find(before); leak != nil {
		t.Errorf("Expected no goroutine of %s left, got: %v", call, leak)
	}
	text := fmt.Sprintf("$ %s\n%s", call, out.String())
	if err != nil {
		text += fmt.Sprintf("! %s\n= %d\n", err, exitStatus(err))
	}
	return text
}
