package route

import (
	"fmt"
	"testing"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
)

// TestTestedHosts: what a probe without a target tests for each kind of data, whom it asks for there, and at which port.
func TestTestedHosts(t *testing.T) {
	for _, c := range []struct{ group, record, options, want string }{
		{"www", "192.0.2.1", "", "192.0.2.1 443 www.example.org"},
		{"www", "CNAME LB.example.net.", "", "lb.example.net 443 www.example.org"},
		{"*.www", "CNAME lb.example.net.", "", "lb.example.net 443 lb.example.net"},
		{"www", "CNAME lb.example.net.", "preset traffic_manager", "lb.example.net 443 lb.example.net"},
		{"www", "CNAME lb.example.net.", "host shop.example.net", "lb.example.net 443 shop.example.net"},
		{"www", "CNAME lb.example.net.", "target 192.0.2.9", "192.0.2.9 443 "},
		{"www", "CNAME lb.example.net.", "target host.example.net.", "host.example.net 443 host.example.net"},
		{"@", `MX "10 mx1"`, "", "mx1.example.org 443 mx1.example.org"},
		{"_sip._tcp", `SRV "0 0 5061 sip"`, "port 9", "sip.example.org 5061 sip.example.org"},
		{"_sip._tcp", `SRV "0 0 0 sip"`, "port 9", "sip.example.org 9 sip.example.org"},
		{"svc", `HTTPS "1 . port=8443"`, "", "svc.example.org 8443 svc.example.org"},
		{"svc", `HTTPS "1 other"`, "", "other.example.org 443 svc.example.org"},
		{"sub", "NS ns.sub", "", "ns.sub.example.org 443 ns.sub.example.org"},
		{"1", "PTR host", "", "host.example.org 443 host.example.org"},
		{"*.www", "alias name lb.example.net.", "", "lb.example.net 443 lb.example.net"},
		{"www", "alias name lb.example.net.", "", "lb.example.net 443 www.example.org"},
	} {
		record := c.record
		if record[:5] != "alias" {
			record = "record " + record
		}
		text := fmt.Sprintf("healthroute {\nprobe web https {\n%s\n}\ngroup %s simple {\n%s probe web\n}\n}", c.options, c.group, record)
		stanzas, problems := corefile.ParseText("Corefile", text, corefile.Env{ServerZones: []string{"example.org."}})
		if errs := problems.Errors(); errs != nil {
			t.Fatalf("Expected a good stanza, got: %v", errs)
		}
		probers, err := Probers(stanzas[0])
		if err != nil {
			t.Fatal(err)
		}
		lease := health.NewEngine(health.Options{}).Lease(nil)
		t.Cleanup(lease.Release)
		table := NewTable(quiet{}, nil)
		if err := table.Compile(stanzas, probers, lease); err != nil {
			t.Fatal(err)
		}
		for _, check := range table.Groups()[0].Records[0].Checks() {
			target := check.Target()
			where := target.Name
			if target.Address.IsValid() {
				where = target.Address.String()
			}
			if got := fmt.Sprintf("%s %d %s", where, target.Port, target.SNI); got != c.want || target.Host != target.SNI {
				t.Errorf("Expected %q of %s %s with %q, got %q and Host %q", c.want, c.group, c.record, c.options, got, target.Host)
			}
		}
	}
}
