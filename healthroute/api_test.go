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

// poolsCorefile is a server with pools and balancers, whose checks are as somebody says. One of its sources is there, the other is not.
const poolsCorefile = `example.org:0 {
    bind 127.0.0.1
    healthroute {
        status unix:api.sock
        ttl 20s
        probe fine tcp {
            port 1
            assume healthy
        }
        probe bad tcp {
            port 1
            assume unhealthy
        }
        pool app {
            probe fine
            target 192.0.2.11 site fra
            target 192.0.2.12,2001:db8::12 site fra id two
            target 198.51.100.11 port 8080 site ams weight 3
            target 198.51.100.12 site ams probe bad
            discover file targets.json site ams
            discover file missing.json
            drain 1h
        }
        pool lone {
            probe fine
            target 192.0.2.21
        }
        balancer shop {
            pools app
            site fra address 203.0.113.1 probe fine
            site ams address 203.0.113.2
            cross_site on
            affinity partial
        }
        group www failover {
            alias balancer shop primary
            record 203.0.113.99 secondary
        }
        group servers weighted {
            alias pool app
        }
        group lone simple {
            alias pool lone
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
	{regexp.MustCompile(`\b\d+[dhm]\S* (left|more)\b`), "AGE $1"},
	{regexp.MustCompile(`\bin \d+[dhm]\S*`), "in AGE"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT[0-9:.]+Z`), `TIME`},
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
	for name, text := range map[string]string{
		"Corefile": corefile, "token": "0123456789abcdef\n", "wrong": "fedcba9876543210\n", "targets.json": `[{"targets": ["198.51.100.13"]}]`,
	} {
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

// TestAPICommands compares what the commands print against servers of this test with testdata/*.golden, which have the form of the other files there.
func TestAPICommands(t *testing.T) {
	for name, corefile := range map[string]string{"api": apiCorefile, "pools": poolsCorefile} {
		golden, err := filepath.Abs(filepath.Join("testdata", name+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { compareCommands(t, corefile, golden) })
	}
}

func compareCommands(t *testing.T, corefile, golden string) {
	t.Helper()
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
	serveAPI(t, corefile)
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
