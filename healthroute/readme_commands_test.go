package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// commandBlock is a call of one of the offline commands in README.md, and the output that is shown below it.
var commandBlock = regexp.MustCompile(`(?ms)^~~~ sh\nhealthroute ((?:check|explain|simulate|test) [^~]*)^~~~\n+~~~ txt\n(.*?)^~~~$`)

// TestReadmeCommands runs the calls as they are written there, in the project's directory, and compares what they print.
func TestReadmeCommands(t *testing.T) {
	t.Chdir("..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, block := range commandBlock.FindAllStringSubmatch(string(text), -1) {
		args := strings.Fields(strings.ReplaceAll(block[1], "\\\n", " "))
		if slices.Contains(args, "--server") { // which readme_operations_test.go runs
			continue
		}
		shown[args[0]] = true
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			if got := terminal(t, args); got != block[2] {
				t.Errorf("Expected\n%s\ngot\n%s", block[2], got)
			}
		})
	}
	for _, c := range []string{"check", "explain", "simulate", "test"} {
		if !shown[c] {
			t.Errorf("Expected an example of healthroute %s in README.md", c)
		}
	}
}

// terminal is what a person sees of a command.
func terminal(t *testing.T, args []string) string {
	t.Helper()
	var out strings.Builder
	err := runCommand(t.Context(), args, &out)
	if err != nil {
		fmt.Fprintln(&out, "healthroute:", err)
	}
	return out.String()
}
