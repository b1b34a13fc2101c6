//go:build linux

package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlugins: the build lists the plugin and its neighbours, and nothing that it lacks.
func TestPlugins(t *testing.T) {
	t.Parallel()
	output, status := command(t, "-plugins")
	listed := strings.Fields(output)
	for _, name := range []string{"healthroute", "cache", "forward"} {
		if status != 0 || !slices.Contains(listed, name) {
			t.Errorf("Expected a list with %s and status 0, got status %d:\n%s", name, status, output)
		}
	}
	if slices.Contains(listed, "kubernetes") {
		t.Error("Expected no kubernetes in this build, got one")
	}
}

// TestRefused starts with Corefiles that cannot be: the error names file, line and what to do.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, corefile string
		want           []string
	}{
		{"lacking directive", "example.org:0 {\n    errors\n    kubernetes\n}\n",
			[]string{"FILE:3: ", `directive "kubernetes" is not in this build`, "-tags full"}},
		{"misspelt directive", "example.org:0 {\n    healthruote\n}\n", []string{"FILE:2 ", "healthruote"}},
		{"misspelt option", "example.org:0 {\n    healthroute {\n        probe web http {\n            intervall 5s\n        }\n    }\n}\n",
			[]string{"FILE:4: ", `"intervall"`, `did you mean "interval"?`}},
		{"two faults", "example.org:0 {\n    healthroute {\n        tttl 5s\n        group www weigthed {\n            record 192.0.2.1\n        }\n    }\n}\n",
			[]string{"FILE:3: ", `did you mean "ttl"?`, "FILE:4: ", `did you mean "weighted"?`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "Corefile")
			if err := os.WriteFile(file, []byte(c.corefile), 0o600); err != nil {
				t.Fatal(err)
			}
			output, status := command(t, "-conf", file)
			if status <= 0 {
				t.Errorf("Expected a failing exit status, got %d", status)
			}
			for _, want := range c.want {
				if want = strings.Replace(want, "FILE", file, 1); !strings.Contains(output, want) {
					t.Errorf("Expected %s, got %s", want, output)
				}
			}
		})
	}
}

// command runs the server's binary, which must end by itself, and returns all that it prints and its exit status.
func command(t *testing.T, args ...string) (output string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	text, err := exec.CommandContext(ctx, program(t), args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("Expected a command that runs, got: %v", err)
	}
	if exit != nil {
		status = exit.ExitCode() // -1 if it had to be killed
	}
	return string(text), status
}
