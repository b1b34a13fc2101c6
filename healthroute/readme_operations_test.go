package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// operationsBlock is a block of commands in the chapter Operations of README.md, and what they print if that is shown below.
var operationsBlock = regexp.MustCompile(`(?ms)^~~~ sh\n([^~]*)^~~~\n\n(?:~~~ txt\n(.*?)^~~~$)?`)

// operationsState is the chapter's state file.
const operationsState = "/var/lib/healthroute/state"

// TestReadmeOperations runs every command of the chapter as it is written there, one after the other, against a server of the chapter's Corefile.
func TestReadmeOperations(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), "\n## Operations\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	corefile := corefileBlock.FindStringSubmatch(chapter)[1]
	for old, own := range map[string]string{
		"example.org {\n": "example.org:0 {\n    bind 127.0.0.1\n", "127.0.0.1:8053": "unix:api.sock", operationsState: "state",
	} {
		if !strings.Contains(corefile, old) {
			t.Fatalf("Expected %q in the chapter's Corefile", old)
		}
		corefile = strings.Replace(corefile, old, own, 1)
	}
	serveAPI(t, corefile)
	socket, err := filepath.Abs("api.sock")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(apiVariable, "unix:"+socket)
	state := filepath.Join(filepath.Dir(socket), "state")
	ran := map[string]bool{}
	for _, block := range operationsBlock.FindAllStringSubmatch(chapter, -1) {
		got := ""
		for line := range strings.Lines(block[1]) {
			words := shellWords(line)
			ran[words[0]+" "+words[1]] = true
			switch words[0] {
			case "curl":
				curl(t, words[1:], socket)
			case "head":
				if text, err := os.ReadFile(strings.Replace(words[3], operationsState, state, 1)); err != nil || !strings.HasPrefix(string(text), `{"format":"healthroute state",`) {
					t.Errorf("Expected a state file, got %s, %v", text, err)
				}
			default:
				got += strings.ReplaceAll(terminal(t, words[1:]), state, operationsState)
			}
		}
		if block[2] != "" && unchanging(got) != unchanging(block[2]) {
			t.Errorf("Expected of\n%s\n%s\ngot\n%s", block[1], block[2], got)
		}
	}
	for _, command := range []string{"healthroute status", "healthroute explain", "healthroute admin", "healthroute push", "curl -s"} {
		if !ran[command] {
			t.Errorf("Expected an example of %s", command)
		}
	}
}

// shellWords splits a line as a shell does, whose quotes are all that the chapter uses.
func shellWords(line string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2]+m[3])
	}
	return words
}

// dialSocket connects to a Unix socket, whatever the address.
func dialSocket(path string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
}

// curl does what curl would do with the options of the chapter, and wants success.
func curl(t *testing.T, words []string, socket string) {
	t.Helper()
	method, target, body, header := http.MethodGet, "", "", http.Header{}
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-s":
		case "-H":
			i++
			name, value, _ := strings.Cut(words[i], ": ")
			header.Set(name, value)
		case "-d":
			i++
			method, body = http.MethodPost, words[i]
		default:
			target = words[i]
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	client := &http.Client{Transport: &http.Transport{DialContext: dialSocket(socket), DisableKeepAlives: true}}
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Errorf("Expected %s to be answered, got %s %s", fmt.Sprint(words), reply.Status, text)
	}
}
