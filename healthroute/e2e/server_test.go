//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// server is the real one, running as a process of its own.
type server struct {
	t        *testing.T
	corefile string // path of the file
	dns      string // where it answers
	metrics  string // where it shows its metrics
	process  *exec.Cmd
	log      *logbook
	exited   chan struct{} // closed when the process has ended
}

// start runs a server for example.org with these plugins until the test ends, and returns when it serves.
func start(t *testing.T, plugins string) *server {
	t.Helper()
	return startWatched(t, plugins, func(*server) {})
}

// startWatched is start with a watcher that sees the server from its process's first moment. It must return when the process ends.
func startWatched(t *testing.T, plugins string, watch func(*server)) *server {
	t.Helper()
	for range 5 {
		s := launch(t, plugins)
		watch(s)
		eventually(t, "a server that serves, or its end", func() bool { return s.log.count("\nCoreDNS-") > 0 || s.hasExited() })
		switch {
		case !s.hasExited():
			return s
		case s.log.count("address already in use") == 0:
			t.Fatalf("Expected a server that serves, got its end with status %d", s.process.ProcessState.ExitCode())
		}
	}
	t.Fatal("Expected a free port, got taken ones only")
	return nil
}

// launch starts the process.
func launch(t *testing.T, plugins string) *server {
	t.Helper()
	host := network() + "1"
	s := &server{
		t: t, corefile: filepath.Join(t.TempDir(), "Corefile"), dns: freePort(t, host), metrics: freePort(t, host),
		log: &logbook{}, exited: make(chan struct{}),
	}
	s.write(plugins)
	s.run()
	t.Cleanup(s.end)
	return s
}

// run starts the process, with the Corefile as it is.
func (s *server) run() {
	s.t.Helper()
	process, exited := exec.Command(program(s.t), "-conf", s.corefile), make(chan struct{})
	process.Stdout, process.Stderr = s.log, s.log
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // no orphan, even if the tests are killed
	if err := process.Start(); err != nil {
		s.t.Fatalf("Expected a process, got: %v", err)
	}
	s.process, s.exited = process, exited
	go func() {
		defer close(exited)
		_ = process.Wait() // the state keeps what it says
	}()
}

// kill ends the process as a crash does.
func (s *server) kill() {
	s.t.Helper()
	s.signal(syscall.SIGKILL)
	<-s.exited
}

// again starts the server once more, with the same ports, and returns when it serves. Its log goes on.
func (s *server) again() {
	s.t.Helper()
	const serves = "\nCoreDNS-"
	before := s.log.count(serves)
	s.run()
	eventually(s.t, "a server that serves again, or its end", func() bool { return s.log.count(serves) > before || s.hasExited() })
	if s.hasExited() {
		s.t.Fatalf("Expected a server that serves again, got its end with status %d", s.process.ProcessState.ExitCode())
	}
}

// end kills the process and looks for what no log may hold.
func (s *server) end() {
	if !s.hasExited() {
		_ = s.process.Process.Kill() // it may be ending now
	}
	<-s.exited
	for _, fault := range []string{"DATA RACE", "panic"} {
		if s.log.count(fault) > 0 {
			s.t.Errorf("Expected a log without %q, got one", fault)
		}
	}
	if s.t.Failed() {
		s.t.Logf("The server's log:\n%s", s.log)
	}
}

func (s *server) hasExited() bool {
	select {
	case <-s.exited:
		return true
	default:
		return false
	}
}

// write makes the Corefile: a server block of example.org with the plugins, which begin on line 5.
func (s *server) write(plugins string) {
	s.t.Helper()
	host, port, _ := net.SplitHostPort(s.dns)
	text := fmt.Sprintf("example.org:%s {\nbind %s\nerrors\nprometheus %s\n%s\n}\n", port, host, s.metrics, plugins)
	if err := os.WriteFile(s.corefile, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// signal sends a signal to the process.
func (s *server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.process.Process.Signal(sig); err != nil {
		s.t.Fatalf("Expected a process that takes signals, got: %v", err)
	}
}

// reload edits the Corefile and waits until the server says what became of it: the text is in its log once more.
func (s *server) reload(plugins, outcome string) {
	s.t.Helper()
	before := s.log.count(outcome)
	s.write(plugins)
	s.signal(syscall.SIGUSR1)
	s.awaitLog(outcome, before+1)
}

// awaitLog waits until the log has the text so often.
func (s *server) awaitLog(text string, times int) {
	s.t.Helper()
	eventually(s.t, fmt.Sprintf("%q in the log", text), func() bool { return s.log.count(text) >= times })
}

// freePort is an address of the host with a port that is free for TCP and UDP.
func freePort(t *testing.T, host string) string {
	t.Helper()
	for range 20 {
		stream, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Fatalf("Expected a listener, got: %v", err)
		}
		defer stream.Close() // when it returns, so that it is no choice of the system twice
		packet, err := net.ListenPacket("udp", stream.Addr().String())
		if err == nil {
			packet.Close()
			return stream.Addr().String()
		}
	}
	t.Fatal("Expected a free port, got none")
	return ""
}

// logbook keeps what a process prints.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logbook) count(text string) int { return strings.Count(l.String(), text) }
