package compare

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/scenario"
)

// reportOf compares two stanzas of example.org.
func reportOf(t *testing.T, before, after string) Report {
	t.Helper()
	var worlds []*scenario.World
	for _, stanza := range []string{before, after} {
		text := "example.org {\nhealthroute {\n" + stanza + "}\n}\n"
		w, problems := scenario.NewWorld(scenario.Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte(text)}})
		if w == nil {
			t.Fatalf("Expected a good Corefile, got: %v\n%s", problems.Errors(), text)
		}
		defer w.Close()
		worlds = append(worlds, w)
	}
	return Worlds(worlds[0], worlds[1])
}

func TestWorlds(t *testing.T) {
	const (
		web  = "probe web http\n"
		two  = "record 192.0.2.1\nrecord 192.0.2.2\n"
		www  = web + "group www weighted {\nprobe web\n" + two + "}\n"
		cold = "probe web http {\ninitial excluded\n}\n"
	)
	for name, c := range map[string]struct {
		before, after string
		want          []string // in the text
		not           []string
	}{
		"nothing":               {www, www, []string{"nothing changes: the same answers, and the same 2 checks"}, nil},
		"a probe is renamed":    {www, strings.ReplaceAll(www, "web", "site"), []string{"nothing changes"}, nil},
		"records change places": {www, web + "group www weighted {\nprobe web\nrecord 192.0.2.2\nrecord 192.0.2.1\n}\n", []string{"nothing changes"}, nil},
		"turns change places": {
			"group www roundrobin {\n" + two + "}\n", "group www roundrobin {\nrecord 192.0.2.2\nrecord 192.0.2.1\n}\n",
			[]string{"declared otherwise", "~ www.example.org. A\n      order record 192.0.2.2, record 192.0.2.1"}, []string{"answers that change"},
		},
		"last resort": {
			www, strings.Replace(www, "probe web\nrecord", "probe web\nlast_resort none\nrecord", 1), []string{"declared otherwise", "last_resort all -> none", "checks: 2 stay"},
			[]string{"answers that change"},
		},
		"behind an alias": {
			www + "group a simple {\nalias www\n}\n", strings.Replace(www, "192.0.2.2", "192.0.2.3", 1) + "group a simple {\nalias www\n}\n",
			[]string{"~ a.example.org. A\n", "192.0.2.3  - -> 1/2", "because group www.example.org.: record 192.0.2.3: added weight 1 probe web", "192.0.2.1  1/2\n"}, nil,
		},
		"behind a CNAME": {
			www + "group a simple {\nrecord CNAME www\n}\n", strings.Replace(www, "weighted {", "weighted {\nlast_resort none", 1) + "group a simple {\nrecord CNAME www\n}\n",
			[]string{"~ a.example.org. CNAME\n      group www.example.org.: last_resort all -> none"}, nil,
		},
		"a new name below a wildcard": {
			"group * simple {\nrecord 192.0.2.1\n}\n", "group * simple {\nrecord 192.0.2.1\n}\ngroup a.b simple {\nrecord 192.0.2.2\n}\n",
			[]string{"- b.example.org. A: 192.0.2.1", "- names below a.b.example.org., names below b.example.org. A: 192.0.2.1", "~ a.b.example.org. A\n      192.0.2.1 -> 192.0.2.2"}, nil,
		},
		"no verdict at first": {
			www, cold + "group www weighted {\nprobe web\n" + two + "}\ngroup b simple {\nprobe web\nrecord 192.0.2.9\n}\n",
			[]string{"! b.example.org. A, until its new checks have a verdict", "initial first -> excluded"}, []string{"! www"},
		},
		"assumed": {
			www, strings.Replace(www, "http\n", "http {\nassume unhealthy\n}\n", 1), []string{"! www.example.org. A: answers last_resort all\n      2 records assumed unhealthy"}, nil,
		},
		"sticky": {
			"group www weighted {\nsticky\n" + two + "}\n", "group www weighted {\nsticky\nrecord 192.0.2.1 weight 3\nrecord 192.0.2.2\n}\n",
			[]string{"192.0.2.1  1/2 -> 3/4"}, nil,
		},
		"a place": {
			"group www geo {\nrecord 192.0.2.1 continent EU\nrecord 192.0.2.2 default\n}\n",
			"group www geo {\nrecord 192.0.2.1 continent EU\nrecord 192.0.2.2 default\nrecord 192.0.2.3 country CH\n}\n",
			[]string{"for country CH: 192.0.2.1 -> 192.0.2.3"}, []string{"everybody else"},
		},
		"an alias of a name": {
			"group www simple {\nalias name a.example.net.\n}\n", "group www simple {\nalias name b.example.net.\n}\n",
			[]string{"addresses of a.example.net. -> addresses of b.example.net."}, nil,
		},
		"a site loses its target": {
			"pool app {\ntarget 192.0.2.1 site a\ntarget 192.0.2.2 site b\n}\ngroup www simple {\nalias pool app\n}\n",
			"pool app {\ntarget 192.0.2.1 site a\ntarget 192.0.2.2 site b disabled\n}\ngroup www simple {\nalias pool app\n}\n",
			[]string{"! pool app, site b A: answers nothing", "because pool app: target 192.0.2.2: disabled added"}, nil,
		},
		"a group denies another family": {
			"group www simple {\npreset traffic_manager\ndisabled\nrecord 192.0.2.1\n}\n", "group www simple {\npreset traffic_manager\nrecord 192.0.2.1\n}\n",
			[]string{"~ www.example.org. AAAA\n      NXDOMAIN -> no data"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := reportOf(t, c.before, c.after).Text()
			for _, text := range c.want {
				if !strings.Contains(got, text) {
					t.Errorf("Expected %q in\n%s", text, got)
				}
			}
			for _, text := range c.not {
				if strings.Contains(got, text) {
					t.Errorf("Expected no %q in\n%s", text, got)
				}
			}
		})
	}
}

func TestDifference(t *testing.T) {
	lines := func(texts ...string) (out []corefile.Line) {
		for _, text := range texts {
			out = append(out, strings.Fields(text))
		}
		return out
	}
	for name, c := range map[string]struct {
		before, after []corefile.Line
		want          string
	}{
		"an option":       {lines("interval 10s from start"), lines("interval 5s from start"), "interval 10s -> 5s"},
		"of a record":     {lines("record id a 192.0.2.1 weight 1"), lines("record id a 192.0.2.1 weight 2"), "record a: weight 1 -> 2"},
		"several":         {lines("record id a 192.0.2.1 ttl 5s weight 1"), lines("record id a 192.0.2.1 weight 2 probe web"), "record a: weight 1 -> 2, probe web added, ttl 5s dropped"},
		"its value":       {lines("record id a 192.0.2.1"), lines("record id a 192.0.2.2"), "record a: 192.0.2.1 -> 192.0.2.2"},
		"its role":        {lines("record id a 192.0.2.1 primary"), lines("record id a 192.0.2.1 secondary"), "record a: primary -> secondary"},
		"several records": {lines("record id a 1 weight 1", "record id b 2 weight 1"), lines("record id a 1 weight 2", "record id b 2 weight 2"), "records a, b: weight 1 -> 2"},
		"a probe's":       {lines("target one"), lines("target two"), "target one -> two"},
		"a file":          {lines("ca /here/ca.pem"), lines("ca /here/ca.pem"), ""},
	} {
		if got := strings.Join(difference(keys(c.before, "/here"), keys(c.after, "/here"), false), "; "); got != c.want {
			t.Errorf("Expected of %s %q, got %q", name, c.want, got)
		}
	}
}

func TestClients(t *testing.T) {
	source := func(texts ...string) (out []config.Source) {
		stanza, problems := stanzaOf("group a subnet {\nrecord 192.0.2.1 from " + strings.Join(texts, ",") + "\n}\n")
		if problems.Errors() != nil {
			t.Fatal(problems)
		}
		return stanza.Groups[0].Records[0].From
	}
	for name, c := range map[string]struct {
		of   clients
		want string
	}{
		"nobody":  {clients{}, `"" 127.0.0.1`},
		"ranges":  {clients{sources: source("10.0.0.0/8", "10.0.0.0/9")}, `"" 127.0.0.1; "IPv6" ::1; "10.0.0.0/8 without 10.0.0.0/9" 10.128.0.0; "10.0.0.0/9" 10.0.0.0`},
		"all":     {clients{sources: source("0.0.0.0/0")}, `"IPv6" ::1; "0.0.0.0/0" 0.0.0.0`},
		"halves":  {clients{sources: source("10.0.0.0/8", "10.0.0.0/9", "10.128.0.0/9")}, `"" 127.0.0.1; "IPv6" ::1; "10.0.0.0/9" 10.0.0.0; "10.128.0.0/9" 10.128.0.0`},
		"sites":   {clients{sites: []string{"b", "a", "b"}}, `"" 127.0.0.1; "site a" 127.0.0.1 site=a; "site b" 127.0.0.1 site=b`},
		"systems": {clients{asns: []uint32{64500}, sites: []string{"a"}}, `"" 127.0.0.1; "site a" 127.0.0.1 site=a; "AS64500" 127.0.0.1 asn=64500; "AS64500, site a" 127.0.0.1 asn=64500 site=a`},
	} {
		everybody, complete := c.of.each()
		var got []string
		for _, who := range everybody {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%q %s %s", who.label, who.from, who.facts)))
		}
		if text := strings.Join(got, "; "); text != c.want || !complete {
			t.Errorf("Expected of %s\n%s\ngot\n%s", name, c.want, text)
		}
	}
}

func stanzaOf(text string) (*config.Stanza, config.Problems) {
	blocks, problems := scenario.Load(scenario.Source{Name: "Corefile", Files: map[string][]byte{"Corefile": []byte("example.org {\nhealthroute {\n" + text + "}\n}\n")}})
	if len(blocks) == 0 {
		return nil, problems
	}
	return blocks[0].Stanzas[0], problems
}

func TestContinents(t *testing.T) {
	for country, want := range map[string]string{
		"CH": "EU", "US": "NA", "MX": "NA", "BR": "SA", "ZA": "AF", "JP": "AS", "TW": "AS", "AU": "OC", "AQ": "AN", "RU": "EU", "NA": "AF", "SA": "AS", "AF": "AS",
	} {
		if got := continent(country); got != " continent="+want {
			t.Errorf("Expected %s of %s, got %q", want, country, got)
		}
	}
}

// TestManyRanges keeps a comparison finite.
func TestManyRanges(t *testing.T) {
	var c clients
	for i := range 3 * mostClients {
		address := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		c.sources = append(c.sources, config.Source{From: address, To: address})
	}
	everybody, complete := c.each()
	if complete || len(everybody) > mostClients+2 {
		t.Errorf("Expected at most %d clients, and to be told that it is not all, got %d, %v", mostClients+2, len(everybody), complete)
	}
	if !slices.ContainsFunc(everybody, func(who client) bool { return who.label == "" }) {
		t.Error("Expected somebody of whom nothing is known")
	}
}
