package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// apiCorefile is a server whose checks are as somebody says. Its API is found by the Corefile.
const apiCorefile = `example.org:0 {
    bind 127.0.0.1
    healthroute {
        status unix:api.sock {
            token token
            reads
        }
        probe fine tcp {
            port 1
            assume healthy
        }
        probe release push {
            max_age 1h
        }
        group www failover {
            ttl 20s
            record 192.0.2.1,2001:db8::1 primary site fra probe release
            record 198.51.100.1 secondary site ams probe fine
        }
        group app weighted {
            record 192.0.2.80 weight 1 site fra probe fine
            record 198.51.100.80 weight 2 site ams probe fine
        }
        group shop failover {
            alias app primary
            record 203.0.113.1 secondary
        }
        group near subnet {
            record 192.0.2.81 from 198.51.100.0/24
            record 192.0.2.82 default
        }
        group back failover {
            failback manual
            record 192.0.2.90 primary probe release
            record 198.51.100.90 secondary
        }
    }
}
`

// changing is what differs from run to run, and what stands for it in the golden file.
var changing = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(s|ms|µs)\b`), "AGE"},
	{regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`), `"TIME"`},
	{regexp.MustCompile(`("age_seconds"): [0-9.e-]+`), "$1: AGE"},
	{regexp.MustCompile(`("host"): ".*"`), `$1: "HOST"`},
	{regexp.MustCompile(`("version": "|healthroute )\d+\.\d+\.\d+`), "${1}VERSION"},
	{regexp.MustCompile(`("last"): "[a-z0-9]+-\d+"`), `$1: "ID"`},
	{regexp.MustCompile(`("kept"): \d+`), `$1: N`},
	{regexp.MustCompile(`(\S) {2,}`), "$1  "},
}

// unchanging replaces it.
func unchanging(text string) string {
	for _, c := range changing {
		text = c.pattern.ReplaceAllString(text, c.instead)
	}
	return text
}

// serveAPI starts a server from the Corefile in a directory of its own, which becomes the current one.
func serveAPI(t *testing.T, corefile string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"Corefile": corefile, "token": "0123456789abcdef\n", "wrong": "fedcba9876543210\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	instance, _, err := startServer("Corefile", corefile)
	if err != nil {
		t.Fatalf("Expected a server, got: %v", err)
	}
	t.Cleanup(func() { stopServer(instance) })
}

// TestAPICommands compares what the commands print against a server of this test with testdata/api.golden, which has the form of the other files there.
func TestAPICommands(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "api.golden"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		if leak := goleak.Find(before); leak != nil {
			t.Errorf("Expected nothing of the server to be left, got: %v", leak)
		}
	})
	serveAPI(t, apiCorefile)
	var all strings.Builder
	for _, want := range strings.Split("\n"+string(text), "\n$ ")[1:] {
		call, _, _ := strings.Cut(want, "\n")
		_, printed, _ := strings.Cut(transcript(t, call), "\n")
		got := "$ " + call + "\n" + unchanging(printed)
		all.WriteString(got + "\n")
		if strings.TrimRight(want, "\n") != strings.TrimRight(got[2:], "\n") && !*update {
			t.Errorf("Expected\n$ %s\ngot\n%s", want, got)
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
