//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// hosts is the addresses of the backends as ask returns them.
func hosts(backends ...[]*backend) string {
	var out []string
	for _, b := range slices.Concat(backends...) {
		out = append(out, b.host)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestSites has two sites of ten targets, of which each must keep half (spec T-175, T-176). Six of one site die: counted by itself it leaves the
// answer, asked for by itself it uses all ten, and counted together with the other site it stays.
func TestSites(t *testing.T) {
	t.Parallel()
	backends := newBackends(t, 20)
	a, b := backends[:10], backends[10:]
	var targets strings.Builder
	for i, backend := range backends {
		fmt.Fprintf(&targets, "target %s site %s\n", backend.host, []string{"a", "b"}[i/10])
	}
	balancer := func(name, options string) string {
		return fmt.Sprintf("balancer %s {\npools app\n%s\n}\ngroup %s simple {\nalias balancer %s\n}\n", name, options, name, name)
	}
	const flat, fronts = "site a\nsite b\n", "site a address 192.0.2.1\nsite b address 192.0.2.2\n"
	s := start(t, "healthroute {\n"+probe("web", "http", a[0], quick, "fall 2", "rise 1")+
		"pool app {\nprobe web\n"+targets.String()+"dns_failover count off percent 50\nfail_open percent 50\n}\n"+
		balancer("apart", flat)+balancer("together", flat+"cross_site on")+balancer("fronts", fronts)+balancer("allfronts", fronts+"cross_site on")+
		"group onlyb simple {\nalias balancer apart site b\n}\n}")
	// Twenty addresses are too many for a datagram of old.
	answers := func(want map[string]string) {
		t.Helper()
		for name, answer := range want {
			eventually(t, answer+" for "+name, func() bool { return s.ask("tcp", name) == answer })
		}
		for name, answer := range want {
			s.expect("tcp", name, answer)
		}
	}
	unhealthy := func(n int) {
		t.Helper()
		eventually(t, fmt.Sprintf("%d unhealthy targets", n), func() bool { return s.transitions("web", "unhealthy") == n })
	}
	const frontA, frontB = "192.0.2.1", "192.0.2.2"
	answers(map[string]string{"apart": hosts(a, b), "together": hosts(a, b), "onlyb": hosts(b), "fronts": frontA + " " + frontB, "allfronts": frontA + " " + frontB})

	for _, dead := range b[:5] {
		dead.set(modeError)
	}
	unhealthy(5) // half is not below half
	answers(map[string]string{"apart": hosts(a, b[5:]), "together": hosts(a, b[5:]), "onlyb": hosts(b[5:]), "fronts": frontA + " " + frontB})

	b[5].set(modeRefuse)
	unhealthy(6)
	answers(map[string]string{"apart": hosts(a), "together": hosts(a, b[6:]), "onlyb": hosts(b), "fronts": frontA, "allfronts": frontA + " " + frontB})
	if got := s.metric("site_answers", `balancer="fronts"`, `site="b"`); got != 0 {
		t.Errorf("Expected a gauge that says that site b is out, got %d", got)
	}

	b[5].set(modeUp)
	answers(map[string]string{"apart": hosts(a, b[5:]), "together": hosts(a, b[5:]), "onlyb": hosts(b[5:]), "fronts": frontA + " " + frontB, "allfronts": frontA + " " + frontB})
	if got := s.transitions("web", "unhealthy"); got != 6 {
		t.Errorf("Expected no other target to become unhealthy, got %d in all", got)
	}
}
