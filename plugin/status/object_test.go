package status

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/health"
)

// things are what the tests look for.
func things() []Known {
	var out []Known
	group := func(name string, names []string, records ...string) {
		names = append([]string{name}, names...)
		out = append(out, Known{Object: health.GroupObject(name, ""), Names: names})
		for _, r := range records {
			out = append(out, Known{Object: health.GroupObject(name, r), Names: names})
		}
	}
	group("www.example.org.", []string{"www"}, "192.0.2.1", "2001:db8::1")
	group("www.example.net.", []string{"www", "web.example.net.", "web"}, "192.0.2.1")
	group("*.apps.example.org.", []string{"*.apps"}, "one")
	group("x.apps.example.org.", []string{"x.apps"})
	group("0/25.2.0.192.in-addr.arpa.", []string{"0/25"}, "ptr", "a/b")
	group("pool.example.org.", []string{"pool"})
	return append(out,
		Known{Object: health.PoolObject("app", ""), Names: []string{"app"}},
		Known{Object: health.PoolObject("app", "[2001:db8::1]:80"), Names: []string{"app"}},
		Known{Object: health.PoolObject("app", "one"), Names: []string{"app"}, Members: []string{"10.0.0.1", "2001:db8::1"}},
		Known{Object: health.PoolObject("app", "10.0.0.2"), Names: []string{"app"}, Members: []string{"10.0.0.2"}},
		Known{Object: health.PoolObject("app", "10.0.0.2:81"), Names: []string{"app"}, Members: []string{"10.0.0.2"}},
		Known{Object: health.PoolObject("app", "10.0.0.3:81"), Names: []string{"app"}, Members: []string{"10.0.0.3"}},
		Known{Object: health.PoolObject("app", "10.0.0.3:82"), Names: []string{"app"}, Members: []string{"10.0.0.3"}},
		Known{Object: health.SiteObject("fra"), Names: []string{"fra"}},
		Known{Object: health.SiteObject("fra2"), Names: []string{"fra2"}},
		Known{Object: health.ShiftObject("shop", "fra"), Names: []string{"shop"}},
	)
}

func TestFind(t *testing.T) {
	for word, want := range map[string][]string{
		"www.example.org.":           {"www.example.org."},
		"WWW.Example.Org.":           {"www.example.org."},
		"web":                        {"www.example.net."},
		"web/192.0.2.1":              {"www.example.net./192.0.2.1"},
		"www.example.org./192.0.2.1": {"www.example.org./192.0.2.1"},
		"group web":                  {"www.example.net."},
		"web/*":                      {"www.example.net./192.0.2.1"},
		"*/192.0.2.1":                {"www.example.org./192.0.2.1", "www.example.net./192.0.2.1"},
		"www*/*":                     {"www.example.org./192.0.2.1", "www.example.org./2001:db8::1", "www.example.net./192.0.2.1"},
		"www.example.???.":           {"www.example.org.", "www.example.net."},
		"*.apps":                     {"*.apps.example.org."}, // the very name comes first
		"?.apps":                     {"*.apps.example.org.", "x.apps.example.org."},
		"*.apps/one":                 {"*.apps.example.org./one"},
		"0/25":                       {"0/25.2.0.192.in-addr.arpa."},
		"0/25/ptr":                   {"0/25.2.0.192.in-addr.arpa./ptr"},
		"0/25/a/b":                   {"0/25.2.0.192.in-addr.arpa./a/b"},
		"0/25/*":                     {"0/25.2.0.192.in-addr.arpa./ptr", "0/25.2.0.192.in-addr.arpa./a/b"},
		"pool":                       {"pool.example.org."},
		"pool app":                   {"pool app"},
		"pool app/[2001:db8::1]:80":  {"pool app/[2001:db8::1]:80"},
		"pool */*one*":               {"pool app/one"},
		"pool */[*":                  {"pool app/[2001:db8::1]:80"},
		"pool app/10.0.0.1":          {"pool app/one"},
		"pool app/2001:DB8:0::1":     {"pool app/one"},
		"pool app/::ffff:10.0.0.1":   {"pool app/one"},
		"pool app/10.0.0.2":          {"pool app/10.0.0.2"}, // an id comes before an address
		"pool app/10.0.0.?":          {"pool app/one", "pool app/10.0.0.2", "pool app/10.0.0.2:81", "pool app/10.0.0.3:81", "pool app/10.0.0.3:82"},
		"site fra":                   {"site fra"},
		"SITE FRA*":                  {"site fra", "site fra2"},
		"shift shop/fra":             {"shift shop/fra"},
		"shift shop":                 {"shift shop/fra"},
		"shift *":                    {"shift shop/fra"},

		"www":                 {`409 "www" is the name of several: expected www.example.org. or www.example.net.`},
		"wwww":                {`404 nothing is called "wwww": expected`, `did you mean "www"?`},
		"pool app/10.0.0.3":   {`409 "pool app/10.0.0.3" is the name of several: expected pool app/10.0.0.3:81 or pool app/10.0.0.3:82`},
		"10.0.0.1":            {`404`, `did you mean "pool app/one"?`},
		"192.0.2.1":           {`404`, `did you mean "www.example.org./192.0.2.1"?`},
		"app/10.0.0.1":        {`404`, `did you mean "pool app/one"?`},
		"shift shop/paris":    {`404`, `expected of shop one of fra`},
		"pool app/172.16.0.1": {`404`, `expected of app one of [2001:db8::1]:80, one, 10.0.0.2, 10.0.0.2:81, 10.0.0.3:81 or 10.0.0.3:82`},
		"app":                 {`404`, `did you mean "pool app"?`},
		"fra":                 {`404`, `did you mean "site fra"?`},
		"pool apo":            {`404`, `did you mean "pool app"?`},
		"web/":                {`404`},
		"/":                   {`404`},
		"":                    {`404`},
		"nothing*":            {`404 nothing is called "nothing*"`},
		"site site":           {`404`},
	} {
		t.Run(word, func(t *testing.T) {
			found, p := Find(word, things())
			if p != nil {
				text := fmt.Sprintf("%d %s", p.Status, p.Error())
				for _, part := range want {
					if !strings.Contains(text, part) {
						t.Errorf("Expected %q, got %q", part, text)
					}
				}
				return
			}
			var got []string
			for _, o := range found {
				got = append(got, o.String())
			}
			if !slices.Equal(got, want) {
				t.Errorf("Expected %q, got %q", want, got)
			}
		})
	}
}

// TestFindItself: every object is found by the name that it is told by.
func TestFindItself(t *testing.T) {
	for _, k := range things() {
		if found, p := Find(k.Object.String(), things()); p != nil || len(found) != 1 || found[0] != k.Object {
			t.Errorf("Expected %s, got %v, %v", k.Object, found, p)
		}
	}
}

// TestGlob compares with path.Match, which knows the same two characters where there is no slash.
func TestGlob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*?]{0,8}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[ab]{0,8}`).Draw(t, "name")
		want, err := path.Match(pattern, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := glob(pattern, name); got != want {
			t.Errorf("Expected %q to match %q: %t, got %t", pattern, name, want, got)
		}
	})
}

func TestAllowed(t *testing.T) {
	group, target, pool := health.GroupObject("www.example.org.", ""), health.PoolObject("app", "one"), health.PoolObject("app", "")
	shift, site := health.ShiftObject("shop", "fra"), health.SiteObject("fra")
	for _, c := range []struct {
		object     health.Object
		state, For string
		refused    string
	}{
		{group, "disabled", "", ""}, {site, "draining", "1h", ""}, {pool, "always", "", ""}, {target, "deregistered", "", ""}, {target, "enabled", "", ""},
		{shift, "shifted", "1m", ""}, {shift, "shifted", "72h", ""}, {shift, "enabled", "", ""},
		{shift, "enabled", "1h", "shift shop/fra cannot be enabled for a time"}, {target, "enabled", "1h", ""},
		{shift, "shifted", "", `a shift for ""`}, {shift, "shifted", "59s", `expected "for" from 1m to 72h`}, {shift, "shifted", "73h", "from 1m to 72h"},
		{shift, "disabled", "1h", "shift shop/fra cannot be disabled: expected shifted"}, {site, "shifted", "1h", "site fra cannot be shifted"},
		{pool, "deregistered", "", "pool app cannot be deregistered: expected a target"}, {group, "deregistered", "", "cannot be deregistered"},
	} {
		p := Allowed(c.object, Order{State: c.state, For: c.For})
		switch {
		case p == nil && c.refused != "", p != nil && c.refused == "":
			t.Errorf("Expected %q for %s %s %s, got %v", c.refused, c.object, c.state, c.For, p)
		case p != nil && (p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Error(), c.refused)):
			t.Errorf("Expected 422 with %q, got %d %v", c.refused, p.Status, p)
		}
	}
}

// TestPages: however long the pages, together they are the list in its order, each item once.
func TestPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfDistinct(rapid.StringMatching(`[a-c]{1,4}`), rapid.ID[string]).Draw(t, "items")
		same := func(item string) string { return item }
		s := Selection{Limit: rapid.IntRange(1, 5).Draw(t, "limit")}
		var got []string
		for pages := 0; ; pages++ {
			page := Cut(s, items, same, same)
			got = append(got, page.Items...)
			if s.After = page.Next; s.After == "" {
				break
			}
			if len(page.Items) != s.Limit || pages > len(items) {
				t.Fatalf("Expected full pages before the last, got %v after %v", page.Items, got)
			}
		}
		if want := slices.Sorted(slices.Values(items)); !slices.Equal(got, want) {
			t.Errorf("Expected %v, got %v", want, got)
		}
	})
}
