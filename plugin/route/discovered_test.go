package route

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestDiscovered hands a pool lists of targets, one after the other, and looks at what it has then: ids, and the number of checks that it had to make.
func TestDiscovered(t *testing.T) {
	const pool = "pool app {\nprobe p\nlimit 4\ntarget 10.0.0.1 site a\ndiscover file one.json\ndiscover file two.json site b\n}\ngroup www simple {\nalias pool app\n}"
	type list struct {
		source int
		found  string // ADDRESS[:PORT][/SITE] separated by blanks
	}
	tests := []struct {
		name  string
		lists []list
		want  string // ID/SITE of those that answer
		fault string // of the last list
	}{
		{"found", []list{{0, "10.0.0.2 10.0.0.3:81"}}, "10.0.0.1/a 10.0.0.2/ 10.0.0.3:81/", ""},
		{"the source's site", []list{{1, "10.0.0.2 10.0.0.3/c"}}, "10.0.0.1/a 10.0.0.2/b 10.0.0.3/c", ""},
		{"the Corefile stands", []list{{0, "10.0.0.1/x 10.0.0.2"}}, "10.0.0.1/a 10.0.0.2/", ""},
		{"the probe's port is no other port", []list{{0, "10.0.0.1:80 10.0.0.1:81"}}, "10.0.0.1/a 10.0.0.1:81/", ""},
		{"the first source stands", []list{{1, "10.0.0.2"}, {0, "10.0.0.2/x"}}, "10.0.0.1/a 10.0.0.2/x", ""},
		{"gone", []list{{0, "10.0.0.2 10.0.0.3"}, {0, "10.0.0.3"}}, "10.0.0.1/a 10.0.0.3/", ""},
		{"gone from one of two", []list{{0, "10.0.0.2"}, {1, "10.0.0.2"}, {0, "10.0.0.3"}}, "10.0.0.1/a 10.0.0.2/b 10.0.0.3/", ""},
		{"back", []list{{0, "10.0.0.2"}, {0, "10.0.0.3"}, {0, "10.0.0.2"}}, "10.0.0.1/a 10.0.0.2/", ""},
		{"another site", []list{{0, "10.0.0.2/c"}, {0, "10.0.0.2/d"}}, "10.0.0.1/a 10.0.0.2/d", ""},
		{"too many", []list{{0, "10.0.0.2"}, {0, "10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6 10.0.0.7"}}, "10.0.0.1/a 10.0.0.2/", "5 targets, and pool app has a limit of 4"},
		{"too many together", []list{{0, "10.0.0.2 10.0.0.3"}, {1, "10.0.0.4 10.0.0.5 10.0.0.6"}}, "10.0.0.1/a 10.0.0.2/ 10.0.0.3/", "5 targets, and pool app has a limit of 4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := compile(t, pool, "").table
			p := table.Pools()[0]
			var err error
			for _, l := range test.lists {
				err = table.Discovered(p, l.source, foundIn(l.found))
			}
			if got := errorText(err); got != test.fault {
				t.Errorf("Expected the fault %q, got %q", test.fault, got)
			}
			var got []string
			for _, r := range p.Targets() {
				if !takesOut(r.Admin()) {
					got = append(got, r.ID+"/"+r.Site)
				}
			}
			slices.Sort(got)
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("Expected %s, got %s", test.want, text)
			}
		})
	}
}

// TestDiscoveredAtOnce: what is known before the table begins, from before a reload or a restart, does not wait for the pool's rate; what is new does.
func TestDiscoveredAtOnce(t *testing.T) {
	table := compile(t, "pool app {\nprobe p\nrate 2\ndiscover file one.json\n}\ngroup www simple {\nalias pool app\n}", "").table
	p := table.Pools()[0]
	for _, want := range []struct {
		found string
		n     int
	}{{"10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4", 4}, {"10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6 10.0.0.7", 6}} {
		if err := table.Discovered(p, 0, foundIn(want.found)); err != nil {
			t.Fatal(err)
		}
		if n := len(p.Targets()); n != want.n {
			t.Errorf("Expected %d targets, got %d", want.n, n)
		}
		table.Begin()
	}
}

// TestDiscoveredFamilies refuses a list with another family under preset nlb.
func TestDiscoveredFamilies(t *testing.T) {
	table := compile(t, "pool app {\npreset nlb\nprobe p\ntarget 10.0.0.1\ndiscover file one.json\n}\ngroup www simple {\nalias pool app\n}", "").table
	err := table.Discovered(table.Pools()[0], 0, foundIn("10.0.0.2 2001:db8::1"))
	const want = "target 2001:db8::1 is of another family than the pool's others, and pool app follows preset nlb, which has one"
	if got := errorText(err); got != want {
		t.Errorf("Expected the fault %q, got %q", want, got)
	}
	if n := len(table.Pools()[0].Targets()); n != 1 {
		t.Errorf("Expected the pool's one target to stay alone, got %d", n)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// foundIn reads a list of ADDRESS[:PORT][/SITE].
func foundIn(text string) (out []config.Found) {
	for word := range strings.FieldsSeq(text) {
		target, site, _ := strings.Cut(word, "/")
		f := config.Found{Site: site, Weight: 1}
		if ap, err := netip.ParseAddrPort(target); err == nil {
			f.Address, f.Port = ap.Addr(), ap.Port()
		} else {
			f.Address = netip.MustParseAddr(target)
		}
		out = append(out, f)
	}
	return out
}
