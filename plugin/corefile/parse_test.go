package corefile

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy/caddyfile"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// parseOne parses a text that is one good stanza.
func parseOne(t *testing.T, env Env, text string) *config.Stanza {
	t.Helper()
	stanzas, problems := ParseText("Corefile", text, env)
	if len(problems.Errors()) > 0 || len(stanzas) != 1 {
		t.Fatalf("Expected one stanza and no error, got %d and\n%v", len(stanzas), problems)
	}
	return stanzas[0]
}

func TestParse(t *testing.T) {
	s := parseOne(t, env, `healthroute {
    ttl 1m
    nameserver ns1 192.0.2.53
    group www @ weighted {
        probe web
        record 192.0.2.1,2001:DB8::1 weight 10 site FRA
        record TXT "a b" ttl 5s {
            value "c d"
            id Text
            weight 0 probe none
        }
    }
    group *.apps multivalue {
        ttl 10s
        record 192.0.2.3 ttl 20s
    }
    probe Web http {
        interval 4s
    }
}`)
	web := config.DefaultProbe("web", config.ProbeHTTP, "")
	web.Interval, web.Timeout = 4*time.Second, 3*time.Second
	expected := &config.Stanza{
		Zones: []string{"example.org."}, TTL: time.Minute, OtherTypes: config.OtherTypesNext,
		Nameservers: []config.Nameserver{{Name: "ns1.example.org.", Addresses: []string{"192.0.2.53"}}},
		Probes:      []*config.Probe{web},
		Groups: []*config.Group{
			{Names: []string{"www.example.org.", "example.org."}, Policy: config.PolicyWeighted, TTL: time.Minute, LastResort: config.LastResortAll,
				Records: []*config.Record{
					{ID: "192.0.2.1", TTL: time.Minute, Weight: 10, Site: "fra", Probe: "web",
						Values: []config.Value{{Type: dns.TypeA, Data: "192.0.2.1"}, {Type: dns.TypeAAAA, Data: "2001:db8::1"}}},
					{ID: "Text", TTL: 5 * time.Second, Values: []config.Value{{Type: dns.TypeTXT, Data: "a b"}, {Type: dns.TypeTXT, Data: "c d"}}},
				}},
			{Names: []string{"*.apps.example.org."}, Policy: config.PolicyMultivalue, TTL: 10 * time.Second, LastResort: config.LastResortAll, Max: 8,
				Records: []*config.Record{{ID: "192.0.2.3", TTL: 20 * time.Second, Values: []config.Value{{Type: dns.TypeA, Data: "192.0.2.3"}}}}},
		},
	}
	if got := withoutPlaces(s); !reflect.DeepEqual(got, expected) {
		t.Errorf("Expected\n%sgot\n%s", Print(expected), Print(got))
	}
}

func TestParsePlaces(t *testing.T) {
	s := parseOne(t, env, `healthroute {
    probe web http {
        path /a
    }
    group www simple {
        record MX "10 a" {
            value "20 b"
        }
        record 192.0.2.1 probe web
    }
}`)
	g := s.Groups[0]
	for _, tt := range []struct {
		what string
		got  config.Position
		line int
	}{
		{"stanza", s.Places.Own, 1},
		{"probe", s.Probes[0].Places.Own, 2},
		{"path", s.Probes[0].Places.Of("path"), 3},
		{"option that is not written", s.Probes[0].Places.Of("port"), 2},
		{"group", g.Places.Own, 5},
		{"record", g.Records[0].Places.Own, 6},
		{"second value", g.Records[0].Places.Of("value 20 b"), 7},
		{"probe of the record", g.Records[1].Places.Of("probe"), 9},
	} {
		if expected := (config.Position{File: "Corefile", Line: tt.line}); tt.got != expected {
			t.Errorf("Expected the %s at %v, got %v", tt.what, expected, tt.got)
		}
	}
}

// TestParseTokens gives Parse what CoreDNS gives it: the tokens of all occurrences in a server block, some of them
// imported from another file.
func TestParseTokens(t *testing.T) {
	token := func(file string, line int, words ...string) (tokens []caddyfile.Token) {
		for _, w := range words {
			tokens = append(tokens, caddyfile.Token{File: file, Line: line, Text: w})
		}
		return tokens
	}
	var tokens []caddyfile.Token
	for _, line := range [][]caddyfile.Token{
		token("", 3, "healthroute", "a.example.org", "{"),
		token("/etc/groups", 3, "group", "www", "simple", "{"),
		token("/etc/groups", 4, "record", "192.0.2.1"),
		token("/etc/groups", 5, "recrod", "192.0.2.2"),
		token("/etc/groups", 6, "}"),
		token("", 5, "}"),
		token("", 6, "healthroute", "b.example.org"),
		token("", 7, "healthroute", "c.example.org", "{"),
		token("", 8, "tll", "1m"),
		token("", 9, "}"),
	} {
		tokens = append(tokens, line...)
	}
	d := caddyfile.NewDispenserTokens("Corefile", tokens)
	stanzas, problems := Parse(&d, env)
	if len(stanzas) != 3 {
		t.Fatalf("Expected 3 stanzas, got %d", len(stanzas))
	}
	var at []string
	for _, p := range problems {
		at = append(at, p.Position.String())
	}
	if got, expected := strings.Join(at, " "), "/etc/groups:5 Corefile:8"; got != expected {
		t.Errorf("Expected problems at %s, got %s:\n%v", expected, got, problems)
	}
	if got := stanzas[0].Groups[0].Names[0]; got != "www.a.example.org." {
		t.Errorf("Expected the group's name www.a.example.org., got %s", got)
	}
}

func TestParseEnv(t *testing.T) {
	t.Run("zones of a prefix", func(t *testing.T) {
		env := Env{NormalizeZone: func(arg string) ([]string, error) {
			if arg != "192.0.2.0/23" {
				return nil, errors.New("another zone")
			}
			return []string{"2.0.192.in-addr.arpa.", "3.0.192.in-addr.arpa."}, nil
		}}
		s := parseOne(t, env, "healthroute 192.0.2.0/23 {\n group 1 simple {\n record PTR a.example.org.\n }\n}")
		if got := strings.Join(s.Groups[0].Names, " "); got != "1.2.0.192.in-addr.arpa. 1.3.0.192.in-addr.arpa." {
			t.Errorf("Expected the name in both zones, got %s", got)
		}
		if _, problems := ParseText("Corefile", "healthroute example.org", env); len(problems.Errors()) != 1 {
			t.Errorf("Expected the zone to be refused, got %v", problems)
		}
	})
	t.Run("files below the root", func(t *testing.T) {
		env := Env{ServerZones: []string{"example.org."}, Root: "/etc/coredns"}
		s := parseOne(t, env, "healthroute {\n probe web https {\n ca a.pem\n cert b.pem /c.pem\n }\n}")
		if got := s.Probes[0].TLS; got.CA != "/etc/coredns/a.pem" || got.Cert != "/etc/coredns/b.pem" || got.Key != "/c.pem" {
			t.Errorf("Expected relative files below the root, got %+v", got)
		}
	})
	t.Run("no zone", func(t *testing.T) {
		if _, problems := ParseText("Corefile", "healthroute", Env{}); len(problems.Errors()) != 1 {
			t.Errorf("Expected an error, got %v", problems)
		}
	})
	t.Run("root zone", func(t *testing.T) {
		s := parseOne(t, Env{}, "healthroute . {\n group www @ * simple {\n record 192.0.2.1\n }\n}")
		if got := strings.Join(s.Groups[0].Names, " "); got != "www. . *." {
			t.Errorf("Expected names in the root zone, got %s", got)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		if stanzas, problems := ParseText("Corefile", "", env); len(stanzas) > 0 || len(problems) > 0 {
			t.Errorf("Expected nothing, got %v and %v", stanzas, problems)
		}
	})
}

func TestEscape(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	if got, err := unescape(escape(string(all))); err != nil || got != string(all) {
		t.Errorf("Expected every byte back, got %q (%v)", got, err)
	}
	for text, expected := range map[string]string{`a\r\n\t\\b`: "a\r\n\t\\b", `\x00\xfF`: "\x00\xff", `ü`: "ü", ``: ""} {
		if got, err := unescape(text); err != nil || got != expected {
			t.Errorf("Expected %q from %q, got %q (%v)", expected, text, got, err)
		}
	}
	for _, text := range []string{`\`, `\a`, `\x`, `\x1`, `\xg0`, `\x+1`, `\N`} {
		if got, err := unescape(text); err == nil {
			t.Errorf("Expected an error from %q, got %q", text, got)
		}
	}
}
