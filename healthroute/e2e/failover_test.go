package e2e

import (
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// webProbe is a probe with attempts as short as they may be; fall is 2.
func webProbe(kind string, port int) string {
	return fmt.Sprintf("probe web %s {\nport %d\ninterval 1s\ntimeout 300ms\nfall 2\nrise 2\n}\n", kind, port)
}

const failoverGroup = "group www failover {\nprobe web\nrecord %s primary\nrecord %s secondary\n}"

// TestPrimaryDies kills the primary in each way; the secondary answers after `fall` failed attempts, neither earlier nor later.
func TestPrimaryDies(t *testing.T) {
	for i, mode := range []string{"refuse", "hang", "status"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			primary, secondary := fmt.Sprintf("127.0.0.%d", 41+2*i), fmt.Sprintf("127.0.0.%d", 42+2*i)
			first := newBackend(t, primary, 0)
			second := newBackend(t, secondary, first.port())
			s := start(t, "", webProbe("http", first.port())+fmt.Sprintf(failoverGroup, primary, secondary))
			lastResort := func() float64 {
				return s.metric(`coredns_healthroute_group_last_resort{group="www.example.org.",type="A"}`)
			}
			s.untilAnswer("www.example.org.", primary)

			before := s.failures()
			first.set(mode)
			s.untilAnswer("www.example.org.", secondary)
			if n := s.failures() - before; n < 2 || n > 3 { // one more may have ended before we looked
				t.Errorf("Expected 2 failed attempts until the secondary answered, got %g", n)
			}
			second.set(mode)
			s.untilAnswer("www.example.org.", primary) // the last resort
			if got := lastResort(); got != 1 {
				t.Errorf("Expected the group to show its last resort, got %g", got)
			}
			second.set("up")
			s.untilAnswer("www.example.org.", secondary)
			if got := lastResort(); got != 0 {
				t.Errorf("Expected the group to have left its last resort, got %g", got)
			}
			first.set("up")
			s.untilAnswer("www.example.org.", primary)
			for _, line := range []string{"has no usable record for A: last_resort all answers", "has a usable record for A again"} {
				if n := strings.Count(s.log.String(), line); n != 1 {
					t.Errorf("Expected one line %q, got %d", line, n)
				}
			}
		})
	}
}

// TestFullAcceptQueue lets a tcp target hang: its listener never accepts, and its queue is full.
func TestFullAcceptQueue(t *testing.T) {
	t.Parallel()
	port := fullQueue(t, [4]byte{127, 0, 0, 51})
	second := newBackend(t, "127.0.0.52", port)
	s := start(t, "", webProbe("tcp", second.port())+fmt.Sprintf(failoverGroup, "127.0.0.51", "127.0.0.52"))
	s.untilAnswer("www.example.org.", "127.0.0.52")
	if !strings.Contains(s.log.String(), "timed out while connecting") {
		t.Errorf("Expected the log to say that connecting timed out, got:\n%s", s.log.String())
	}
}

// fullQueue listens without accepting and fills the queue.
func fullQueue(t *testing.T, address [4]byte) (port int) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: address}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port = bound.(*syscall.SockaddrInet4).Port
	target := net.JoinHostPort(net.IP(address[:]).String(), fmt.Sprint(port))
	for range 8 { // a queue of backlog 0 takes one or two
		conn, err := net.DialTimeout("tcp", target, 200*time.Millisecond)
		if err != nil {
			return port
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Fatal("Expected the queue to be full after 8 connections")
	return 0
}

// TestDeadAtStart never answers a member that was dead before the start, not even in the first reply (reports 18 and 20), and a target that hangs
// keeps no other group from answering.
func TestDeadAtStart(t *testing.T) {
	t.Parallel()
	alive := newBackend(t, "127.0.0.53", 0)
	hanging := newBackend(t, "127.0.0.55", alive.port())
	hanging.set("hang")
	stanza := webProbe("http", alive.port()) + fmt.Sprintf(failoverGroup, "127.0.0.54", "127.0.0.53") +
		fmt.Sprintf("\nprobe slow http {\nport %d\ninterval 30s\ntimeout 20s\n}\ngroup slow simple {\nprobe slow\nrecord 127.0.0.55\n}", alive.port())
	s := start(t, "log . \"{name} group={/healthroute/group} record={/healthroute/record} reason={/healthroute/reason}\"\nmetadata", stanza)
	if got := s.ask("slow.example.org."); got != "127.0.0.55" {
		t.Errorf("Expected a record without a verdict to answer, got %s", got)
	}
	if strings.Contains(s.log.String(), "record=127.0.0.54") {
		t.Errorf("Expected no answer with the dead member, got:\n%s", s.log.String())
	}
	want := "www.example.org. group=www.example.org. record=127.0.0.53 reason=secondary, the primary is not usable"
	s.until("a log line of the answer", func() bool { return strings.Contains(s.log.String(), want) })
}
