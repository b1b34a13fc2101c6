//go:build linux

package e2e

import "testing"

// TestLogSaysWhy takes one group through its three states; the log of queries names group, record and reason of each answer.
func TestLogSaysWhy(t *testing.T) {
	t.Parallel()
	backends := newBackends(t, 2)
	first, second := backends[0], backends[1]
	s := start(t, "metadata\nlog . \"<{/healthroute/group} {/healthroute/record} {/healthroute/reason}>\"\nhealthroute {\n"+
		probe("web", "http", first, quick, "fall 1", "rise 1")+
		"group www failover {\nprobe web\nrecord "+first.host+" primary id one\nrecord "+second.host+" secondary id two\n}\n}")

	s.expect("udp", "www", first.host)
	s.awaitLog("<www.example.org. one primary>", 1)

	first.set(modeError)
	eventually(t, "the secondary", func() bool { return s.ask("udp", "www") == second.host })
	s.awaitLog("<www.example.org. two secondary, the primary is not usable>", 1)

	second.set(modeError)
	eventually(t, "the last resort", func() bool { return s.ask("udp", "www") == first.host })
	s.awaitLog("<www.example.org. one last resort, no usable record>", 1)
}
