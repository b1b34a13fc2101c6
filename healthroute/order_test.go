package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
)

func TestOrder(t *testing.T) {
	order := dnsserver.Directives
	at := slices.Index(order, own)
	if at < 0 || at+1 == len(order) || order[at+1] != above {
		t.Fatalf("Expected %s directly above %s, got %v", own, above, order)
	}
	if again := slices.Index(order[at+1:], own); again >= 0 {
		t.Errorf("Expected %s once, got %v", own, order)
	}
}

func TestWithOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		given []string
		want  []string // nil is an error
	}{
		"in the middle":   {[]string{"acl", "cache", "file"}, []string{"acl", "healthroute", "cache", "file"}},
		"alone":           {[]string{"cache"}, []string{"healthroute", "cache"}},
		"nowhere":         {[]string{"acl", "file"}, nil},
		"an empty list":   {nil, nil},
		"last of the row": {[]string{"acl", "cache"}, []string{"acl", "healthroute", "cache"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(tc.given)
			got, err := withOwn(tc.given)
			if (err != nil) != (tc.want == nil) || !slices.Equal(got, tc.want) {
				t.Errorf("Expected %v, got %v, %v", tc.want, got, err)
			}
			if !slices.Equal(tc.given, before) {
				t.Errorf("Expected the list untouched, got %v", tc.given)
			}
		})
	}
}

// Everything that is compiled in has its place in the order: a plugin without one would be refused as unknown.
func TestNothingCompiledInIsLost(t *testing.T) {
	for _, name := range caddy.ListPlugins()["others"] {
		name = strings.TrimPrefix(name, "dns.")
		if !slices.Contains(dnsserver.Directives, name) {
			t.Errorf("Expected directive %q in the order", name)
		}
	}
}

func TestMissingDirective(t *testing.T) {
	if fullBuild {
		if len(absent) > 0 {
			t.Errorf("Expected nothing missing from the full build, got %v", absent)
		}
		return
	}
	for _, name := range []string{"kubernetes", "route53", "azure", "clouddns"} {
		if !slices.Contains(absent, name) {
			t.Errorf("Expected no %s in the default build", name)
		}
	}
	registerMissing()
	for _, name := range absent {
		t.Run(name, func(t *testing.T) {
			input := caddy.CaddyfileInput{
				Filepath: "Corefile", ServerTypeName: "dns",
				Contents: []byte(".:0 {\n    whoami\n    " + name + " example.org {\n        option\n    }\n}\n"),
			}
			_, err := caddy.Start(input)
			want := `Corefile:3: directive "` + name + `" is not in this build: build with -tags full`
			if err == nil || err.Error() != want {
				t.Errorf("Expected %s, got %v", want, err)
			}
		})
	}
}
