package route

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
)

// TestCalculated gives all records of one calculated probe the same check, which counts what the probe names, also in other groups.
func TestCalculated(t *testing.T) {
	stanzas, problems := corefile.ParseText("Corefile", `healthroute {
probe p tcp {
    port 80
}
probe site tcp {
    port 80
    target 192.0.2.80
}
probe sum calculated {
    of site,b/x,b/none
}
group a failover {
    record 192.0.2.1,2001:db8::1 id x probe sum primary
    record TXT hello id y secondary
}
group c simple {
    record TXT hello probe sum
}
group b multivalue {
    probe p
    record 192.0.2.3 id x
    record 192.0.2.4 id none probe none
}
}`, corefile.Env{ServerZones: []string{"example.org."}})
	if problems.Errors() != nil {
		t.Fatal(problems)
	}
	probers, err := Probers(stanzas[0])
	if err != nil {
		t.Fatal(err)
	}
	table, lease := NewTable(quiet{}, nil), health.NewEngine(health.Options{}).Lease(nil) // not started: nothing is attempted
	t.Cleanup(lease.Release)
	if err := table.Compile(stanzas, probers, lease); err != nil {
		t.Fatal(err)
	}
	group := func(name string) *Group {
		for _, g := range table.Groups() {
			if g.Name == name+".example.org." {
				return g
			}
		}
		t.Fatalf("Expected a group %s, got none", name)
		return nil
	}
	sum := group("a").Records[0].Checks()
	if len(sum) != 1 || len(group("c").Records[0].Checks()) != 1 || group("c").Records[0].Checks()[0] != sum[0] {
		t.Fatalf("Expected one check for all records of the probe, got %v and %v", sum, group("c").Records[0].Checks())
	}
	children := sum[0].Children()
	if len(children) != 3 || len(children[2]) != 0 || children[1][0] != group("b").Records[0].Checks()[0] {
		t.Fatalf("Expected the site, the record's check and none to be counted, got %v", children)
	}
	if got := children[0][0].String(); got != "site@192.0.2.80:80" {
		t.Errorf("Expected the site's target, got %s", got)
	}
	if got := group("a").Health(group("a").Records[0]); got != health.Healthy {
		t.Errorf("Expected healthy, got %s", got)
	}
	if got := len(table.byCheck[sum[0]]); got != 2 {
		t.Errorf("Expected two groups to hear of the check, got %d", got)
	}
}
