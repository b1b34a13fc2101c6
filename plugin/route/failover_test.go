package route

import (
	"testing"

	"github.com/miekg/dns"
)

func TestFailover(t *testing.T) {
	const group = `group www failover {
		probe p
		record 192.0.2.1 primary
		record 192.0.2.2 secondary
	}`
	for _, c := range []struct{ id, primary, secondary, want string }{
		{"T-037", "H", "H", "1 0"},
		{"T-038", "H", "U", "1 0"},
		{"T-039", "H", "-", "1 0"},
		{"T-040", "U", "H", "0 1"},
		{"T-041", "U", "U", "1 0"},
		{"T-042", "U", "-", "0 1"},
		{"T-043", "-", "H", "1 0"},
		{"T-044", "-", "U", "1 0"},
		{"T-045", "-", "-", "1 0"},
		{"T-047", "N", "H", "1 0"},
	} {
		t.Run(c.id, func(t *testing.T) {
			f := compile(t, group, "192.0.2.1 "+c.primary+", 192.0.2.2 "+c.secondary)
			if got := f.shares("www", dns.TypeA); got != c.want {
				t.Errorf("Expected primary and secondary %s, got %s", c.want, got)
			}
		})
	}
	t.Run("T-046", func(t *testing.T) {
		f := compile(t, "group www failover {\nprobe p\nrecord 192.0.2.1 primary\n}", "192.0.2.1 U")
		if got := f.shares("www", dns.TypeA); got != "1" {
			t.Errorf("Expected the lone primary, got %s", got)
		}
	})
	t.Run("T-050", func(t *testing.T) {
		f := compile(t, `group www failover {
			probe p
			record 192.0.2.1,192.0.2.11 primary
			record 192.0.2.2 secondary
		}`, "192.0.2.1 H, 192.0.2.11 H, 192.0.2.2 H")
		expectAnswer(t, f.set("www", dns.TypeA), "192.0.2.1", "192.0.2.11")
	})
}
