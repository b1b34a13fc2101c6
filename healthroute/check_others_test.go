package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/coredns/core/dnsserver"
	"go.uber.org/goleak"
)

// unread are directives that do no more than read files of a special kind, or that would run a program at every later start of this
// process (on).
var unread = []string{"geoip", "on", "sign", "tls"}

// quiet has a directive of each other plugin that check lets read.
var quiet = map[string]string{
	"acl":          "acl {\nblock net 192.0.2.0/24\n}",
	"any":          "any",
	"auto":         "auto",
	"autopath":     "autopath /etc/resolv.conf",
	"bind":         "bind 127.0.0.1",
	"bufsize":      "bufsize",
	"cache":        "cache",
	"cancel":       "cancel",
	"chaos":        "chaos",
	"debug":        "debug",
	"dns64":        "dns64",
	"dnssec":       "dnssec",
	"dnstap":       "dnstap /tmp/no.sock full",
	"erratic":      "erratic",
	"errors":       "errors",
	"file":         "file www.zone",
	"forward":      "forward . 192.0.2.53 {\nhealth_check 1s\n}",
	"grpc_server":  "grpc_server",
	"header":       "header {\nresponse set ra\n}",
	"health":       "health",
	"healthroute":  "",
	"https":        "https",
	"https3":       "https3",
	"k8s_external": "k8s_external",
	"loadbalance":  "loadbalance",
	"local":        "local",
	"log":          "log",
	"loop":         "loop",
	"metadata":     "metadata",
	"minimal":      "minimal",
	"multisocket":  "multisocket 2",
	"nomad":        "nomad",
	"nsid":         "nsid",
	"pprof":        "pprof 127.0.0.1:0",
	"prometheus":   "prometheus 127.0.0.1:0",
	"proxyproto":   "proxyproto",
	"quic":         "quic",
	"ready":        "ready",
	"reload":       "reload",
	"rewrite":      "rewrite name www app",
	"root":         "root .",
	"secondary":    "secondary {\ntransfer from 192.0.2.53\n}",
	"shed":         "shed",
	"siit":         "siit",
	"template":     "template IN A",
	"timeouts":     "timeouts {\nread 1s\n}",
	"trace":        "trace",
	"transfer":     "transfer {\nto *\n}",
	"tsig":         "tsig {\nrequire all\n}",
	"view":         "view v {\nexpr true\n}",
	"whoami":       "whoami",
}

// TestQuietSetups lets every plugin of this build read a directive: none leaves a goroutine.
func TestQuietSetups(t *testing.T) {
	t.Chdir("testdata")
	for _, directive := range dnsserver.Directives {
		if slices.Contains(busy, directive) || slices.Contains(absent, directive) || slices.Contains(unread, directive) {
			continue
		}
		t.Run(directive, func(t *testing.T) {
			text, known := quiet[directive]
			if !known {
				t.Fatalf("Expected the directive among the quiet or the busy ones")
			}
			conf := filepath.Join(t.TempDir(), "Corefile")
			corefile := "example.org {\n" + text + "\nhealthroute {\ngroup www simple {\nrecord 192.0.2.1\n}\n}\n}\n"
			if err := os.WriteFile(conf, []byte(corefile), 0o600); err != nil {
				t.Fatal(err)
			}
			before := goleak.IgnoreCurrent()
			problems, notes := checkOthers(conf)
			if problems != nil || notes != nil {
				t.Errorf("Expected %s to be good, got %v, %v", strings.ReplaceAll(text, "\n", " "), problems, notes)
			}
			if leak := goleak.Find(before); leak != nil {
				t.Errorf("Expected no goroutine left, got: %v", leak)
			}
		})
	}
}

// TestBusyDirectives leaves them out and reads the rest, at its own lines.
func TestBusyDirectives(t *testing.T) {
	for name, tc := range map[string]struct{ corefile, imported, problem, notes string }{
		"one line": {"example.org {\ngrpc . 192.0.2.53\nbufsize bad\n}\n", "", "Corefile:3: bufsize: ", "[not checked, because that would begin its work: grpc]"},
		"a block": {"example.org {\nhosts {\n192.0.2.1 \"a\nb\"\nfallthrough\n}\netcd\nbufsize bad\n}\n", "", "Corefile:8: bufsize: ",
			"[not checked, because that would begin its work: etcd, hosts]"},
		"a snippet": {"(s) {\nhosts\n}\nexample.org {\nimport s\nbufsize bad\n}\n", "", "Corefile:6: bufsize: ",
			"[not checked, because that would begin its work: hosts]"},
		"imported": {"example.org {\nimport part\nbufsize bad\n}\n", "hosts\n", "",
			"[not checked, because that would begin its work: hosts nor are the other plugins' directives, because that stands in an imported file]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for file, text := range map[string]string{"Corefile": tc.corefile, "part": tc.imported} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := goleak.IgnoreCurrent()
			problems, notes := checkOthers("Corefile")
			if got := problems.Error(); !strings.HasPrefix(got, tc.problem) || (got == "") != (tc.problem == "") {
				t.Errorf("Expected %s..., got %s", tc.problem, got)
			}
			if got := fmt.Sprint(notes); got != tc.notes {
				t.Errorf("Expected %s, got %s", tc.notes, got)
			}
			if leak := goleak.Find(before); leak != nil {
				t.Errorf("Expected no goroutine left, got: %v", leak)
			}
		})
	}
}
