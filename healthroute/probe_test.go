package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// probeCorefile has a probe whose name stands in two stanzas, one with a target of its own, one that nobody uses and one that makes
// no attempts. PORT is a web server's, TLSPORT that of one with a certificate that nobody trusts, and CLOSED nobody's.
const probeCorefile = `example.org example.net {
    healthroute example.org {
        probe web http {
            port PORT
            body working
        }
        probe tls https {
            port TLSPORT
            verify off
        }
        probe strict https {
            port TLSPORT
        }
        probe lonely tcp {
            target 127.0.0.1
            port CLOSED
            invert
        }
        probe lost tcp {
            target 127.0.0.1
            port PORT
            source 192.0.2.1
        }
        probe idle tcp {
            port PORT
        }
        probe sum calculated {
            of lonely
        }
        probe pooled http {
            port CLOSED
        }
        pool app {
            probe pooled
            target 127.0.0.1 port PORT id first
            target 127.0.0.1
        }
        group app simple {
            alias pool app
        }
        group www multivalue {
            probe web
            record 127.0.0.1 id one
            record 127.0.0.2 id two
        }
        group secure weighted {
            record 127.0.0.1 probe tls
            record 127.0.0.2 probe strict
        }
        group other weighted {
            record 127.0.0.1 probe lonely
            record 127.0.0.2 probe lost
            record 127.0.0.3 probe sum
        }
    }
    healthroute example.net {
        probe tls http {
            target 127.0.0.1
            port PORT
            expect 500
        }
        group www simple {
            record 127.0.0.1 probe tls
        }
    }
}
`

// unsteady is what differs from run to run, and what stands for it in the golden file.
var unsteady = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(` +\d+\.\dms`), "  TIMEms"},
	{regexp.MustCompile(`\(\d+\.\dms\)`), "(TIMEms)"},
	{regexp.MustCompile(`(from 127\.0\.0\.1):\d+`), "$1:ANY"},
	{regexp.MustCompile(`\d+d(\d+h)? left`), "DAYS left"},
	{regexp.MustCompile(`TLS_[A-Z0-9_]+`), "CIPHER"},
}

// TestProbeCommand compares what the command prints against servers of this test with testdata/probe.golden, which has the
// form of the other files there.
func TestProbeCommand(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "probe.golden"))
	if err != nil {
		t.Fatal(err)
	}
	ports := serveForProbes(t)
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("Corefile", []byte(strings.NewReplacer(ports...).Replace(probeCorefile)), 0o600); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, want := range strings.Split("\n"+string(text), "\n$ ")[1:] {
		call, _, _ := strings.Cut(want, "\n")
		got := transcript(t, strings.NewReplacer(ports...).Replace(call))
		for i := 0; i < len(ports); i += 2 {
			got = strings.ReplaceAll(got, ports[i+1], ports[i])
		}
		for _, u := range unsteady {
			got = u.pattern.ReplaceAllString(got, u.instead)
		}
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

// serveForProbes starts the servers and returns the words for their ports, each with the port behind it.
func serveForProbes(t *testing.T) []string {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "working for ", r.Host) })
	plain, secure := httptest.NewServer(handler), httptest.NewUnstartedServer(handler)
	secure.EnableHTTP2 = true
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
	secure.StartTLS()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := func(l net.Listener) string {
		_, port, _ := net.SplitHostPort(l.Addr().String())
		return port
	}
	ports := []string{"TLSPORT", port(secure.Listener), "CLOSED", port(closed), "PORT", port(plain.Listener)}
	closed.Close()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	return ports
}

// A program reads one JSON value an attempt, with the step in which a failed one ended.
func TestProbeJSON(t *testing.T) {
	ports := serveForProbes(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("Corefile", []byte(strings.NewReplacer(ports...).Replace(probeCorefile)), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := runCommand(t.Context(), []string{"probe", "strict", "-o", "json", "-n", "2", "-every", "0s", "secure/127.0.0.1"}, &out)
	if got := exitStatus(err); got != 1 {
		t.Errorf("Expected exit status 1, got %d (%v)", got, err)
	}
	decoder := json.NewDecoder(&out)
	for range 2 {
		var got struct {
			Outcome string
			Host    string
			Steps   []struct {
				Step, Reason string
				Certificate  *struct{ Subject string }
			}
		}
		if err := decoder.Decode(&got); err != nil {
			t.Fatalf("Expected a JSON value, got %v", err)
		}
		if got.Outcome != "fail" || got.Host != "secure.example.org" || len(got.Steps) != 2 ||
			got.Steps[1].Step != "tls" || got.Steps[1].Reason == "" || got.Steps[1].Certificate == nil {
			t.Errorf("Expected a failure in step tls with its certificate, got %+v", got)
		}
	}
	if decoder.More() {
		t.Error("Expected two values, got more")
	}
}

// A loop ends when it is interrupted, between attempts or in one, and leaves nothing behind.
func TestProbeLoopEnds(t *testing.T) {
	ports := serveForProbes(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("Corefile", []byte(strings.NewReplacer(ports...).Replace(probeCorefile)), 0o600); err != nil {
		t.Fatal(err)
	}
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(t.Context())
	out := interrupting{cancel: cancel, after: 3}
	err := runCommand(ctx, []string{"probe", "lonely", "--loop", "-every", "0s"}, &out)
	if got := exitStatus(err); got != 1 || out.writes != 3 {
		t.Errorf("Expected 3 attempts and exit status 1, got %d and %d (%v)", out.writes, got, err)
	}
	if leak := goleak.Find(before); leak != nil {
		t.Errorf("Expected no goroutine left, got: %v", leak)
	}
}

// interrupting is an output that interrupts the command after some writes.
type interrupting struct {
	cancel        context.CancelFunc
	after, writes int
}

func (i *interrupting) Write(p []byte) (int, error) {
	if i.writes++; i.writes == i.after {
		i.cancel()
	}
	return len(p), nil
}
