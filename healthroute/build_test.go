//go:build ci

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// The tests of this file build whole servers, which takes minutes: `.ci/run full` runs them.

// buildCorefile must be served by every build. NEIGHBOUR is a directive that only the full set has.
const buildCorefile = `example.org:PORT {
    bind 127.0.0.1
    NEIGHBOUR
    healthroute {
        group www simple {
            record 192.0.2.1
        }
    }
    cache
    whoami
}
`

// The full build starts with a directive that the default build lacks, and answers.
func TestBuildFullTag(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "healthroute"+exe())
	run(t, "..", "go", "build", "-tags", "full", "-o", binary, "./healthroute")
	isAnswered(t, binary, strings.Replace(buildCorefile, "NEIGHBOUR", "trace zipkin 127.0.0.1:9", 1))
}

// The default build refuses the same directive, and names the tag.
func TestBuildDefault(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "healthroute"+exe())
	run(t, "..", "go", "build", "-o", binary, "./healthroute")
	isAnswered(t, binary, strings.Replace(buildCorefile, "    NEIGHBOUR\n", "", 1))

	corefile := writeCorefile(t, strings.Replace(buildCorefile, "NEIGHBOUR", "trace", 1))
	output, err := exec.Command(binary, "-conf", corefile).CombinedOutput()
	want := corefile + `:3: directive "trace" is not in this build: build with -tags full`
	if err == nil || !strings.Contains(string(output), want) {
		t.Errorf("Expected an error with %q, got %v: %s", want, err, output)
	}
}

// The plugin compiles into CoreDNS by the way of README.md: one line in plugin.cfg, go get, go generate, go build.
func TestBuildCustomCoreDNS(t *testing.T) {
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "coredns")
	module := strings.TrimSpace(run(t, checkout, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/coredns/coredns"))
	copyTree(t, module, source)

	plugins := filepath.Join(source, "plugin.cfg")
	text, err := os.ReadFile(plugins)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), "\ncache:cache\n", "\nhealthroute:github.com/healthroute/healthroute\ncache:cache\n", 1)
	if edited == string(text) {
		t.Fatal("Expected a line cache:cache in plugin.cfg")
	}
	if err := os.WriteFile(plugins, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}

	binary := filepath.Join(source, "coredns"+exe())
	run(t, source, "go", "mod", "edit", "-replace", "github.com/healthroute/healthroute="+checkout)
	run(t, source, "go", "get", "github.com/healthroute/healthroute@v0.0.0") // any version: this checkout is all of them
	run(t, source, "go", "generate", "coredns.go")
	run(t, source, "go", "build", "-o", binary)
	isAnswered(t, binary, strings.Replace(buildCorefile, "NEIGHBOUR", "trace zipkin 127.0.0.1:9", 1))
}

// run runs a command in the directory and returns its standard output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	var stderr strings.Builder
	command := exec.Command(name, args...)
	command.Dir, command.Stderr = dir, &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("Expected %s to work, got %v: %s", command, err, stderr.String())
	}
	return string(output)
}

// answers starts the server with the Corefile on a free port, asks it one question and stops it.
func isAnswered(t *testing.T, binary, corefile string) {
	t.Helper()
	port := freePort(t)
	server := exec.Command(binary, "-conf", writeCorefile(t, strings.Replace(corefile, "PORT", port, 1)))
	server.Stderr = os.Stderr
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = server.Wait() // killed
	}()
	waitForLine(t, output, "CoreDNS-") // printed when it serves

	query := new(dns.Msg)
	query.SetQuestion("www.example.org.", dns.TypeA)
	reply, err := dns.Exchange(query, "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome(reply); got != "192.0.2.1" || !reply.Authoritative {
		t.Errorf("Expected an authoritative 192.0.2.1, got\n%s", reply)
	}
}

func waitForLine(t *testing.T, output io.Reader, prefix string) {
	t.Helper()
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			return
		}
	}
	t.Fatalf("Expected a line %s..., got the end of the output", prefix)
}

func writeCorefile(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "Corefile")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// copyTree copies a module from the cache, where everything is read-only.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
