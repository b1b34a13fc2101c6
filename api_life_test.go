package healthroute

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/status"
)

// TestAPILife: one server for all blocks, which a reload leaves alone unless it says otherwise.
func TestAPILife(t *testing.T) {
	log := captureLog(t)
	two := func(first, second string) string {
		return listening("example.org", stanza(first)) + listening("example.net", stanza(second))
	}
	s := start(t, two("", shownAt))
	url := apiURL(t)
	if text := apiGet(t, "state"); strings.Count(text, " #0") != 2 {
		t.Errorf("Expected both blocks, got %s", text)
	}
	s.mustReload(two(shownAt, "ttl 9s"))
	if got := apiURL(t); got != url {
		t.Errorf("Expected the API to stay at %s, got %s", url, got)
	}
	if err := s.reload(two(shownAt, shownAt)); err == nil || !strings.Contains(err.Error(), `"status" is about the whole process`) {
		t.Errorf("Expected two to be refused, got %v", err)
	}
	if err := s.reload(two("status 127.0.0.2:0\n}\nbroken start\nhealthroute {", "")); err == nil {
		t.Error("Expected the reload to fail late")
	}
	if !strings.HasPrefix(apiURL(t), "http://127.0.0.1:") {
		t.Errorf("Expected the API to be back, got %s", apiURL(t))
	}
	path := filepath.Join(t.TempDir(), "api.sock")
	s.mustReload(two("status unix:"+path, ""))
	c, err := status.NewClient(status.Place{URL: "unix:" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if state, err := c.State(t.Context()); err != nil || len(state.Blocks) != 2 {
		t.Errorf("Expected the API at the socket, got %+v, %v", state, err)
	}
	s.mustReload(two("", ""))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Expected no socket to be left, got %v", err)
	}
	port := occupied(t)
	s.mustReload(two("status 127.0.0.1:"+port+"\ngroup www simple {\nrecord 192.0.2.1\n}", ""))
	expectData(t, s.ask("www.example.org.", dns.TypeA), "192.0.2.1")
	if want := "status 127.0.0.1:" + port + ": listen tcp"; !strings.Contains(log.String(), want) {
		t.Errorf("Expected a line with %q, got:\n%s", want, log)
	}
}

// TestAPIFiles: a file of `status` that is missing refuses the Corefile, with its place.
func TestAPIFiles(t *testing.T) {
	s := start(t, listening("example.org", stanza("")))
	err := s.reload(listening("example.org", stanza("status 127.0.0.1:0 {\ntoken missing\n}")))
	if err == nil || !strings.Contains(err.Error(), "Corefile:4: status: open missing: no such file") {
		t.Errorf("Expected the file to be missed, got %v", err)
	}
}
