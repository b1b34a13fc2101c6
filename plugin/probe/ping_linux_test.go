package probe

import (
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/healthroute/healthroute/plugin/config"
)

const inNamespace = "HEALTHROUTE_TEST_PING"

// Real sockets: the test runs itself again in a network of its own, where it may say who may ping.
func TestPingSockets(t *testing.T) {
	if os.Getenv(inNamespace) != "" {
		pingSockets(t)
		return
	}
	again := exec.Command(os.Args[0], "-test.run=^TestPingSockets$", "-test.v")
	again.Env = append(os.Environ(), inNamespace+"=1")
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	said, err := again.CombinedOutput()
	switch {
	case len(said) == 0 && err != nil:
		t.Skipf("Cannot make a network namespace: %v", err)
	case strings.Contains(string(said), "--- SKIP"):
		t.Skipf("In a network namespace:\n%s", said)
	case err != nil:
		t.Errorf("Expected pings in a network namespace to pass, got %v:\n%s", err, said)
	}
}

func pingSockets(t *testing.T) {
	const setting = "/proc/sys/net/ipv4/ping_group_range"
	if err := loopbackUp(); err != nil {
		t.Skipf("Cannot set the loopback interface up: %v", err)
	}
	prober := proberOf(t, config.ProbePing)
	targets := []Target{{Address: netip.MustParseAddr("127.0.0.1")}, {Address: netip.MustParseAddr("::1")}}

	// A new network forbids them to everybody.
	const words = "this host forbids ICMP sockets: net.ipv4.ping_group_range must include a group of this process (it is for IPv6 too)"
	for _, target := range targets {
		expect(t, attempt(t, prober, target, patience), CannotTell, words)
	}
	if got := prober.Obstacle(); got != words {
		t.Errorf("Expected the obstacle %q, got %q", words, got)
	}

	if err := os.WriteFile(setting, []byte("0 0"), 0); err != nil {
		t.Skipf("Cannot allow pings: %v", err)
	}
	for _, target := range targets {
		expect(t, attempt(t, prober, target, patience), Pass, "")
	}
	if got := prober.Obstacle(); got != "" {
		t.Errorf("Expected no obstacle, got %q", got)
	}
	expect(t, attempt(t, prober, Target{Address: netip.MustParseAddr("192.0.2.1")}, patience), CannotTell, "no route to the target's network")
}

// loopbackUp sets the interface lo up, which a new network begins without.
func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}
