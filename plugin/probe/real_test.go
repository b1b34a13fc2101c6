//go:build ci && unix

package probe

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// The tests of this file start real servers, as Debian packages them: `.ci/run full` runs them. One that is missing is skipped.

// program finds a server, or skips the test.
func program(t *testing.T, name string, elsewhere ...string) string {
	t.Helper()
	for _, each := range append([]string{name}, elsewhere...) {
		if path, err := exec.LookPath(each); err == nil {
			return path
		}
	}
	t.Skipf("The program %s is not installed", name)
	return ""
}

// nobody's number on Debian: servers that refuse to run as root run as this user.
const nobody = 65534

// folder is a new directory that the server may write into.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "real") //nolint:usetesting // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if os.Getuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// command runs as nobody if we are root, and in a group of its own.
func command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return c
}

// vacant is a port that was free a moment ago.
func vacant(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// launch starts a server, and returns what it says and how to end it.
func launch(t *testing.T, server *exec.Cmd) (said *output, end func()) {
	t.Helper()
	said = &output{}
	server.Stdout, server.Stderr = said, said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	return said, func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL)
		_ = server.Wait() // killed
	}
}

// TestRealPrometheus asks a Prometheus about itself: a number that is as expected, one that is not, none at all, and nonsense.
func TestRealPrometheus(t *testing.T) {
	dir, port := folder(t), vacant(t)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte("global:\n  scrape_interval: 15s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	said, end := launch(t, command(dir, program(t, "prometheus"), "--config.file="+filepath.Join(dir, "prometheus.yml"),
		fmt.Sprintf("--web.listen-address=127.0.0.1:%d", port), "--storage.tsdb.path="+filepath.Join(dir, "data")))
	defer end()
	target := Target{Address: netip.MustParseAddr("127.0.0.1"), Port: uint16(port)}
	ask := func(query, compare string) Result {
		return attempt(t, proberOf(t, config.ProbePrometheus, func(p *config.Probe) {
			p.Prometheus = config.Prometheus{
				URL: fmt.Sprintf("http://127.0.0.1:%d", port), Query: query, Compare: compare, Number: 1, Missing: config.MissingUnhealthy,
			}
		}), target, patience)
	}
	var got Result
	for began := time.Now(); time.Since(began) < patience && got.Outcome != Pass || got.Duration == 0; {
		got = ask("vector(1)", "==")
	}
	if got.Outcome != Pass {
		t.Fatalf("Expected a pass, got %v %q; the server says%s", got.Outcome, got.Reason, said.quoted())
	}
	expect(t, ask("scalar(vector(2))", "=="), Fail, "the result is 2, expected == 1")
	expect(t, ask("label_replace(vector(3), \"site\", \"fra\", \"\", \"\")", "<="), Fail, `{site="fra"} is 3, expected <= 1`)
	expect(t, ask("nothing_at_all", "=="), Fail, "no data: the query has no result")
	expect(t, ask("up{", "=="), CannotTell, "Prometheus: bad_data: ...")
	end()
	if got := ask("vector(1)", "=="); got.Outcome != CannotTell {
		t.Errorf("Expected that nobody can tell without the Prometheus, got %v %q", got.Outcome, got.Reason)
	}
}

// greets starts the server and expects the probe to pass as soon as it is there, and to fail once it is gone.
func greets(t *testing.T, kind config.ProbeType, port int, server *exec.Cmd) {
	t.Helper()
	said, end := launch(t, server)
	defer end()
	target := Target{Address: netip.MustParseAddr("127.0.0.1"), Port: uint16(port)}
	prober := proberOf(t, kind)
	var got Result
	began := time.Now()
	for time.Since(began) < patience {
		if got = attempt(t, prober, target, patience); got.Outcome == Pass {
			break
		}
	}
	if got.Outcome != Pass {
		t.Fatalf("Expected a pass, got %v %q; the server says%s", got.Outcome, got.Reason, said.quoted())
	}
	for other := range greetings { // every other service is told that it is not there
		if other == kind {
			continue
		}
		if got := attempt(t, proberOf(t, other), target, 500*time.Millisecond); got.Outcome != Fail || got.Reason == "" {
			t.Errorf("Expected %s to fail with a reason, got %v %q", other, got.Outcome, got.Reason)
		}
	}
	end()
	expect(t, attempt(t, prober, target, patience), Fail, "connection refused")
}

func TestRealRedis(t *testing.T) {
	for _, password := range []string{"", "secret"} {
		port := vacant(t)
		args := []string{"--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--save", ""}
		if password != "" {
			args = append(args, "--requirepass", password)
		}
		greets(t, config.ProbeRedis, port, command(folder(t), program(t, "redis-server"), args...))
	}
}

func TestRealPostgres(t *testing.T) {
	const debian = "/usr/lib/postgresql/*/bin/"
	initdb := program(t, "initdb", glob(debian+"initdb")...)
	postgres := program(t, "postgres", glob(debian+"postgres")...)
	dir := folder(t)
	data := filepath.Join(dir, "data")
	if text, err := command(dir, initdb, "-D", data, "-A", "trust", "-U", "postgres", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("Expected a database, got %v: %s", err, text)
	}
	port := vacant(t)
	greets(t, config.ProbePostgres, port, command(dir, postgres, "-D", data, "-p", fmt.Sprint(port), "-h", "127.0.0.1", "-k", dir))
}

func TestRealMail(t *testing.T) {
	exim := program(t, "exim4", "/usr/sbin/exim4")
	dir := folder(t)
	port := vacant(t)
	settings := fmt.Sprintf("primary_hostname = mail.example.org\nspool_directory = %s/spool\nlog_file_path = %s/%%slog\n"+
		"exim_user = %d\nexim_group = %d\ndaemon_smtp_ports = %d\nlocal_interfaces = 127.0.0.1\npid_file_path = %s/pid\n",
		dir, dir, os.Getuid(), os.Getgid(), port, dir)
	name := filepath.Join(dir, "settings")
	if err := os.WriteFile(name, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(exim, "-C", name, "-bdf") // it gives up root by itself
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	greets(t, config.ProbeSMTP, port, server)
}

func glob(pattern string) []string {
	names, _ := filepath.Glob(pattern) // the pattern is a good one
	return names
}
