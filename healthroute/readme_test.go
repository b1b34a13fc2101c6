package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var corefileBlock = regexp.MustCompile("(?ms)^~~~ corefile\n(.*?)^~~~$")

// fileBlock is a file that an example names: its first line is a comment with the name and a colon.
var fileBlock = regexp.MustCompile("(?ms)^~~~ txt\n(# (\\w+): .*?)^~~~$")

// onLoopback moves an example's documentation addresses to loopback ones, so that its probes stay on this machine, and its
// server to a free port there.
var onLoopback = strings.NewReplacer(
	"192.0.2.", "127.0.2.", "198.51.100.", "127.51.100.", "203.0.113.", "127.0.113.",
	",2001:db8:1::1", "", ",2001:db8:2::1", "",
	"example.org {\n", "example.org:0 {\n    bind 127.0.0.1\n", "status 127.0.0.1:8053", "status 127.0.0.1:0",
)

// TestReadmeExamples starts a server from every Corefile of the README.
func TestReadmeExamples(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := corefileBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 3 {
		t.Fatalf("Expected examples in the README, got %d", len(blocks))
	}
	t.Chdir(t.TempDir())
	for _, file := range fileBlock.FindAllStringSubmatch(string(text), -1) {
		if err := os.WriteFile(file[2], []byte(onLoopback.Replace(file[1])), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, block := range blocks {
		t.Run(fmt.Sprintf("example %d", i+1), func(t *testing.T) {
			instance, _, err := startServer("Corefile", strings.Replace(onLoopback.Replace(block[1]), operationsState, "state", 1))
			if err != nil {
				t.Fatalf("Expected the example to start, got: %v\n%s", err, block[1])
			}
			stopServer(instance)
		})
	}
}
