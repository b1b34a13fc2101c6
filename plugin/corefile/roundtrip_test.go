package corefile

import (
	"reflect"
	"testing"

	"github.com/healthroute/healthroute/plugin/config"
)

// withoutPlaces removes all positions, the only thing that may differ when a stanza is printed and parsed.
func withoutPlaces(s *config.Stanza) *config.Stanza {
	s.Places = config.Places{}
	if s.Status != nil {
		s.Status.Places = config.Places{}
	}
	for i := range s.Nameservers {
		s.Nameservers[i].Position = config.Position{}
	}
	for _, p := range s.Probes {
		p.Places = config.Places{}
	}
	for _, g := range s.Groups {
		g.Places = config.Places{}
		for i := range g.Overrides {
			g.Overrides[i].Position = config.Position{}
		}
		for _, r := range g.Records {
			r.Places = config.Places{}
		}
	}
	for _, p := range s.Pools {
		p.Places = config.Places{}
		for _, t := range p.Targets {
			t.Places = config.Places{}
		}
		for i := range p.Sources {
			p.Sources[i].Position = config.Position{}
		}
	}
	for _, b := range s.Balancers {
		b.Places = config.Places{}
		for _, site := range b.Sites {
			site.Places = config.Places{}
		}
	}
	for _, f := range s.Filters {
		f.Places = config.Places{}
	}
	return s
}

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkRoundTrip prints a stanza, parses the text and expects the same stanza.
func checkRoundTrip(t failer, s *config.Stanza) {
	t.Helper()
	text := Print(s)
	again, problems := ParseText("printed", text, Env{})
	if errs := problems.Errors(); len(errs) > 0 || len(again) != 1 {
		t.Fatalf("Expected one stanza from\n%sgot %d and\n%v", text, len(again), errs)
	}
	if got, expected := withoutPlaces(again[0]), withoutPlaces(s); !reflect.DeepEqual(got, expected) {
		t.Fatalf("Expected from\n%sthe stanza\n%sgot\n%s(%+v and %+v)", text, Print(expected), Print(got), expected, got)
	}
}

func TestGoodFiles(t *testing.T) {
	eachFile(t, "good", func(t *testing.T, path, text string) {
		stanzas, problems := ParseText("Corefile", text, env)
		if len(problems) > 0 || len(stanzas) == 0 {
			t.Fatalf("Expected stanzas and no problem, got %d and\n%v", len(stanzas), problems)
		}
		for _, s := range stanzas {
			checkRoundTrip(t, s)
		}
	})
}
