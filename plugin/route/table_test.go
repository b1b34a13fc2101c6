package route

import (
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
)

// TestFind is RFC 4592 by our own names: exact names and empty non-terminals stop a wildcard, a literal star is a name, a star
// that is not the first label is none.
func TestFind(t *testing.T) {
	f := compile(t, `
		group @ simple {
			record 192.0.2.1
		}
		group * simple {
			record 192.0.2.2
		}
		group a.ent simple {
			record 192.0.2.3
		}
		group *.apps simple {
			record 192.0.2.4
		}
		group x.*.mid simple {
			record 192.0.2.5
		}
	`, "")
	for _, c := range []struct{ name, entry, wildcard, ancestor string }{
		{"example.org.", "example.org.", "", ""},
		{"new.example.org.", "", "*.example.org.", ""},
		{"b.new.example.org.", "", "*.example.org.", "new.example.org."},
		{"c.b.new.example.org.", "", "*.example.org.", "new.example.org."},
		{"*.example.org.", "*.example.org.", "", ""},
		{"b.*.example.org.", "", "", ""},
		{"ent.example.org.", "ent.example.org.", "", ""},
		{"a.ent.example.org.", "a.ent.example.org.", "", ""},
		{"b.ent.example.org.", "", "", ""},
		{"b.a.ent.example.org.", "", "", ""},
		{"apps.example.org.", "apps.example.org.", "", ""},
		{"new.apps.example.org.", "", "*.apps.example.org.", ""},
		{"b.new.apps.example.org.", "", "*.apps.example.org.", "new.apps.example.org."},
		{"x.*.mid.example.org.", "x.*.mid.example.org.", "", ""},
		{"x.y.mid.example.org.", "", "*.mid.example.org.", "y.mid.example.org."}, // the star is an empty non-terminal
	} {
		m := f.table.Find(c.name)
		if m.Zone == nil {
			t.Errorf("Expected %s in our zone, got none", c.name)
			continue
		}
		if got := entryName(m.Entry); got != c.entry {
			t.Errorf("Expected entry %q for %s, got %q", c.entry, c.name, got)
		}
		if got := entryName(m.Wildcard); got != c.wildcard {
			t.Errorf("Expected wildcard %q for %s, got %q", c.wildcard, c.name, got)
		}
		if m.Ancestor != c.ancestor {
			t.Errorf("Expected ancestor %q for %s, got %q", c.ancestor, c.name, m.Ancestor)
		}
	}
	for _, foreign := range []string{"example.net.", "org.", ".", "notexample.org.", `a\.example.org.`} {
		if m := f.table.Find(foreign); m.Zone != nil {
			t.Errorf("Expected %s to be foreign, got zone %s", foreign, m.Zone.Name)
		}
	}
}

func entryName(e *Entry) string {
	if e == nil {
		return ""
	}
	return e.Name
}

// TestNestedZones keeps the wildcard of an outer zone out of an inner one, and makes the inner apex exist in the outer zone.
func TestNestedZones(t *testing.T) {
	text := `
healthroute example.org {
	group *.b simple {
		record 192.0.2.1
	}
	group * simple {
		record 192.0.2.2
	}
}
healthroute a.b.example.org {
	group www simple {
		record 192.0.2.3
	}
}`
	stanzas, problems := corefile.ParseText("Corefile", text, corefile.Env{ServerZones: []string{"."}})
	if errs := problems.Errors(); errs != nil {
		t.Fatalf("Expected good stanzas, got: %v", errs)
	}
	table := NewTable(quiet{}, nil)
	lease := health.NewEngine(health.Options{}).Lease(nil)
	defer lease.Release()
	if err := table.Compile(stanzas, nil, lease); err != nil {
		t.Fatalf("Expected the stanzas to compile, got: %v", err)
	}
	for _, c := range []struct{ name, zone, entry, wildcard string }{
		{"www.a.b.example.org.", "a.b.example.org.", "www.a.b.example.org.", ""},
		{"x.a.b.example.org.", "a.b.example.org.", "", ""},
		{"a.b.example.org.", "a.b.example.org.", "a.b.example.org.", ""},
		{"b.example.org.", "example.org.", "b.example.org.", ""},
		{"x.b.example.org.", "example.org.", "", "*.b.example.org."},
		{"x.example.org.", "example.org.", "", "*.example.org."},
	} {
		m := table.Find(c.name)
		if m.Zone == nil || m.Zone.Name != c.zone || entryName(m.Entry) != c.entry || entryName(m.Wildcard) != c.wildcard {
			t.Errorf("Expected %s in %s as %q under %q, got %+v", c.name, c.zone, c.entry, c.wildcard, m)
		}
	}
}

// TestSeveralZones answers a relative name in each zone, with data relative to the zone that is asked.
func TestSeveralZones(t *testing.T) {
	text := "healthroute example.org example.net {\ngroup www simple {\nrecord MX \"10 mx\"\n}\n}"
	stanzas, problems := corefile.ParseText("Corefile", text, corefile.Env{ServerZones: []string{"."}})
	if errs := problems.Errors(); errs != nil {
		t.Fatalf("Expected a good stanza, got: %v", errs)
	}
	table := NewTable(quiet{}, nil)
	lease := health.NewEngine(health.Options{}).Lease(nil)
	defer lease.Release()
	if err := table.Compile(stanzas, nil, lease); err != nil {
		t.Fatalf("Expected the stanza to compile, got: %v", err)
	}
	for _, zone := range []string{"example.org.", "example.net."} {
		m := table.Find("www." + zone).Entry.Member(dns.TypeMX)
		choice := m.View().Set(dns.TypeMX).Choose(&Query{Rand: seeded()})
		if got := data(choice.One.RR(dns.TypeMX, 0, zone)); got != "10 mx."+zone {
			t.Errorf("Expected 10 mx.%s, got %s", zone, got)
		}
	}
}

// TestOwns is the design's rule: a group with addresses owns both families and CNAME, other groups their types.
func TestOwns(t *testing.T) {
	f := compile(t, `
		group v4 simple {
			record 192.0.2.1
		}
		group txt simple {
			record TXT hello
		}
		group alias simple {
			record CNAME www.example.net.
		}
	`, "")
	for _, c := range []struct {
		name string
		want map[uint16]bool
	}{
		{"v4", map[uint16]bool{dns.TypeA: true, dns.TypeAAAA: true, dns.TypeCNAME: true, dns.TypeTXT: false, dns.TypeMX: false}},
		{"txt", map[uint16]bool{dns.TypeA: false, dns.TypeAAAA: false, dns.TypeCNAME: false, dns.TypeTXT: true}},
		{"alias", map[uint16]bool{dns.TypeA: true, dns.TypeAAAA: true, dns.TypeCNAME: true, dns.TypeTXT: true, 65280: true}},
	} {
		e := f.table.Find(c.name + ".example.org.").Entry
		for qtype, want := range c.want {
			if got := e.Member(qtype) != nil; got != want {
				t.Errorf("Expected %s to own %s: %v, got %v", c.name, dns.Type(qtype), want, got)
			}
		}
	}
}
