package route

import (
	"testing"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
)

// TestCuts: a group of type NS below an apex, or another server block's zone, is where our authority ends, for all names at and below it.
func TestCuts(t *testing.T) {
	text := `
healthroute example.org in.example.org {
	group example.org. in.example.org. sub.example.org. simple {
		record NS ns.example.net.
	}
	group sub.sub.example.org. simple {
		record NS ns.example.net.
	}
	group deep.sub.example.org. simple {
		record 192.0.2.1
	}
	group *.sub.example.org. *.example.org. www.in.example.org. x.taken.example.org. simple {
		record 192.0.2.1
	}
	group alias.example.org. simple {
		record CNAME www.example.net.
	}
}
`
	stanzas, problems := corefile.ParseText("Corefile", text, corefile.Env{ServerZones: []string{"."}})
	if errs := problems.Errors(); errs != nil {
		t.Fatalf("Expected good stanzas, got: %v", errs)
	}
	lease := health.NewEngine(health.Options{}).Lease(nil)
	t.Cleanup(lease.Release)
	table := NewTable(quiet{}, nil)
	table.Beside([]string{"other.in.example.org.", "a.b.example.org.", "taken.example.org.", "example.net.", "example.org.", "org."})
	if err := table.Compile(stanzas, nil, lease); err != nil {
		t.Fatalf("Expected the stanzas to compile, got: %v", err)
	}
	for _, c := range []struct {
		name, cut string
		delegated bool
	}{
		{"example.org.", "", false},
		{"in.example.org.", "", false}, // an apex
		{"www.in.example.org.", "", false},
		{"alias.example.org.", "", false}, // a CNAME answers NS too, and delegates nothing
		{"below.alias.example.org.", "", false},
		{"new.example.org.", "", false},
		{"sub.example.org.", "sub.example.org.", true},
		{"new.sub.example.org.", "sub.example.org.", true}, // no wildcard
		{"a.b.sub.example.org.", "sub.example.org.", true},
		{"deep.sub.example.org.", "sub.example.org.", true},
		{"sub.sub.example.org.", "sub.example.org.", true}, // the highest counts
		{"x.sub.sub.example.org.", "sub.example.org.", true},
		{"*.sub.example.org.", "sub.example.org.", true},
		{"other.in.example.org.", "other.in.example.org.", false},
		{"www.other.in.example.org.", "other.in.example.org.", false},
		{"b.example.org.", "", false},
		{"a.b.example.org.", "a.b.example.org.", false},
		{"c.b.example.org.", "", false},
		{"taken.example.org.", "", false}, // our groups stand below it
		{"y.taken.example.org.", "", false},
	} {
		m := table.Find(c.name)
		if got := entryName(m.Cut); got != c.cut || got != "" && (m.Cut.Delegation() != nil) != c.delegated || got != "" && m.Wildcard != nil {
			t.Errorf("Expected the cut %q of %s, delegated %t, got %q and %v", c.cut, c.name, c.delegated, got, m)
		}
	}
	for name, want := range map[string]string{
		"in.example.org.": "example.org.", "www.in.example.org.": "in.example.org.", "example.org.": "example.org.", "sub.example.org.": "example.org.",
	} {
		if m := table.Above(name, table.Find(name)); m.Zone.Name != want || m.Entry == nil {
			t.Errorf("Expected %s to be known in %s, got %v", name, want, m)
		}
	}
}
