package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReloads keeps what stayed over an edited Corefile, and everything over a broken one; SIGTERM ends the server in order.
func TestReloads(t *testing.T) {
	t.Parallel()
	first := newBackend(t, "127.0.0.71", 0)
	newBackend(t, "127.0.0.72", first.port())
	first.set("refuse")
	group := "group www failover {\nprobe web\nrecord 127.0.0.71 primary\nrecord 127.0.0.72 secondary\n}"
	s := start(t, "", webProbe("http", first.port())+group)
	s.untilAnswer("www.example.org.", "127.0.0.72")

	s.edit("group www", "group new simple {\nrecord 127.0.0.79\n}\ngroup www")
	s.untilAnswer("new.example.org.", "127.0.0.79")
	if got := s.ask("www.example.org."); got != "127.0.0.72" {
		t.Errorf("Expected the verdict to stay over a reload, got the answer %s", got)
	}
	s.edit("primary", "primry")
	s.until("the reason why the Corefile is refused", func() bool {
		return strings.Contains(s.log.String(), `unknown word "primry"`) && strings.Contains(s.log.String(), `did you mean "primary"?`)
	})
	if got := s.ask("www.example.org."); got != "127.0.0.72" {
		t.Errorf("Expected the old Corefile to answer after a failed reload, got %s", got)
	}
	if got := strings.Count(s.log.String(), "check web@"); got != 1 {
		t.Errorf("Expected one transition in all, got %d", got)
	}
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.command.Wait(); err != nil {
		t.Errorf("Expected a stop by signal to end with status 0, got %v", err)
	}
}

// TestWrongCorefiles are refused with file, line and the nearest word, and a status that is not 0.
func TestWrongCorefiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, corefile, want string }{
		{"misspelt", "example.org:0 {\nbind 127.0.0.1\nhealthroute {\nprob web http\n}\n}\n", `:4: unknown word "prob" in the stanza`},
		{"absent plugin", "example.org:0 {\nbind 127.0.0.1\nkubernetes\n}\n", `directive "kubernetes" is not in this build: build with -tags full`},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "Corefile")
			if err := os.WriteFile(file, []byte(c.corefile), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(binary, "-conf", file).CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("Expected %q and a status that is not 0, got %v:\n%s", c.want, err, out)
			}
		})
	}
}

// TestPlugins lists us among the plugins.
func TestPlugins(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(binary, "-plugins").Output()
	if err != nil || !strings.Contains(string(out), "healthroute\n") {
		t.Errorf("Expected healthroute among the plugins, got %v:\n%s", err, out)
	}
}
