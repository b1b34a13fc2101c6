package route

import (
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/health"
)

// TestSite: what is said of a site holds for everything in it, in all groups; what takes out wins, then the record's own word.
func TestSite(t *testing.T) {
	const text = `healthroute {
	probe down tcp {
		port 80
		assume unhealthy
	}
	group www multivalue {
		record 192.0.2.1 site fra
		record 192.0.2.2 site ams
		record 192.0.2.3 site fra draining
		record 192.0.2.4 site fra probe down
	}
	group app simple {
		record 192.0.2.5 site FRA
	}
	group none multivalue {
		record 192.0.2.6
	}
}`
	group := func(name string) string { return name + ".example.org." }
	fra, www, one := health.SiteObject("fra"), health.GroupObject(group("www"), ""), health.GroupObject(group("www"), "192.0.2.1")
	type said struct {
		object health.Object
		state  health.AdminState
	}
	for name, c := range map[string]struct {
		said     []said
		www, app []string
	}{
		"nothing":           {nil, []string{"192.0.2.1", "192.0.2.2"}, []string{"192.0.2.5"}},
		"disabled":          {[]said{{fra, health.Disabled}}, []string{"192.0.2.2"}, nil},
		"draining":          {[]said{{fra, health.Draining}}, []string{"192.0.2.2"}, nil},
		"always":            {[]said{{fra, health.Always}}, []string{"192.0.2.1", "192.0.2.2", "192.0.2.4"}, []string{"192.0.2.5"}},
		"record in it":      {[]said{{fra, health.Disabled}, {one, health.Always}}, []string{"192.0.2.2"}, nil},
		"record out of it":  {[]said{{fra, health.Always}, {one, health.Disabled}}, []string{"192.0.2.2", "192.0.2.4"}, []string{"192.0.2.5"}},
		"record for health": {[]said{{fra, health.Always}, {health.GroupObject(group("www"), "192.0.2.4"), health.Enabled}}, []string{"192.0.2.1", "192.0.2.2"}, []string{"192.0.2.5"}},
		"group":             {[]said{{fra, health.Always}, {www, health.Disabled}}, nil, []string{"192.0.2.5"}},
		"group always":      {[]said{{fra, health.Disabled}, {www, health.Always}}, []string{"192.0.2.2"}, nil},
		"another site":      {[]said{{health.SiteObject("lon"), health.Disabled}}, []string{"192.0.2.1", "192.0.2.2"}, []string{"192.0.2.5"}},
	} {
		t.Run(name, func(t *testing.T) {
			stanzas, problems := corefile.ParseText("Corefile", text, corefile.Env{ServerZones: []string{"example.org."}})
			if errs := problems.Errors(); errs != nil {
				t.Fatal(errs)
			}
			probers, err := Probers(stanzas[0])
			if err != nil {
				t.Fatal(err)
			}
			admin := health.NewAdmin(health.RealClock{})
			table := NewTable(quiet{}, admin)
			defer admin.Watch(table.AdminChanged)()
			lease := health.NewEngine(health.Options{}).Lease(nil)
			defer lease.Release()
			if err := table.Compile(stanzas, probers, lease); err != nil {
				t.Fatal(err)
			}
			f := &fixture{t: t, table: table}
			expect := func(name string, want []string) {
				t.Helper()
				if got := answered(f.set(name, dns.TypeA), seeded()); !slices.Equal(got, want) {
					t.Errorf("Expected %v of %s, got %v", want, name, got)
				}
			}
			for _, s := range c.said {
				state := health.Override{State: s.state}
				if s.state == health.Enabled {
					state.Until = time.Now().Add(time.Hour) // without an end it would say nothing
				}
				admin.Set(s.object, state)
			}
			expect("www", c.www)
			expect("app", c.app)
			expect("none", []string{"192.0.2.6"})
			for _, s := range c.said {
				admin.Clear(s.object)
			}
			expect("www", []string{"192.0.2.1", "192.0.2.2"})
		})
	}
}
