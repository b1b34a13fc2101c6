package route

import (
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func expectAnswer(t *testing.T, s *Set, want ...string) {
	t.Helper()
	slices.Sort(want)
	if s == nil {
		t.Fatalf("Expected %v, got no data", want)
	}
	if got := answered(s, seeded()); !slices.Equal(got, want) {
		t.Errorf("Expected %v, got %v", want, got)
	}
}

func TestSimple(t *testing.T) {
	t.Run("T-001", func(t *testing.T) {
		f := compile(t, "group www simple {\nrecord 192.0.2.1,192.0.2.2,192.0.2.3\n}", "")
		expectAnswer(t, f.set("www", dns.TypeA), "192.0.2.1", "192.0.2.2", "192.0.2.3")
	})
	t.Run("T-002", func(t *testing.T) {
		f := compile(t, "group www simple {\nprobe p\nrecord 192.0.2.1,192.0.2.2\n}", "192.0.2.1 U, 192.0.2.2 U")
		expectAnswer(t, f.set("www", dns.TypeA), "192.0.2.1", "192.0.2.2")
	})
}

// TestDualStack is spec 4.12: a1 is 192.0.2.1, a1' 192.0.2.11, a2 192.0.2.2; b1 and b2 are 2001:db8::1 and ::2.
func TestDualStack(t *testing.T) {
	const a1, a1x, a2, b1, b2 = "192.0.2.1", "192.0.2.11", "192.0.2.2", "2001:db8::1", "2001:db8::2"
	expand := strings.NewReplacer("a1'", a1x, "a1", a1, "a2", a2, "b1", b1, "b2", b2)
	for _, c := range []struct{ id, fra, ams, option, states, a, aaaa string }{
		{"T-257", "a1,b1", "a2,b2", "", "a1 H, b1 H, a2 H, b2 H", "a1", "b1"},
		{"T-258", "a1,b1", "a2,b2", "", "a1 H, b1 U, a2 H, b2 H", "a1", "b2"},
		{"T-259", "a1,b1", "a2,b2", "families together", "a1 H, b1 U, a2 H, b2 H", "a2", "b2"},
		{"T-260", "a1,b1", "a2,b2", "", "a1 H, b1 U, a2 H, b2 U", "a1", "b1"},
		{"T-261", "a1,b1", "a2,b2", "families together", "a1 H, b1 U, a2 U, b2 H", "a1", "b1"},
		{"T-262", "a1,b1", "a2", "", "a1 H, b1 U, a2 H", "a1", "b1"},
		{"T-263", "a1,a1',b1", "a2,b2", "", "a1 H, a1' U, b1 H, a2 H, b2 H", "a1", "b1"},
		{"T-264", "a1,a1',b1", "a2,b2", "", "a1 U, a1' U, b1 H, a2 U, b2 H", "a1 a1'", "b1"},
	} {
		t.Run(c.id, func(t *testing.T) {
			f := compile(t, expand.Replace("group www failover {\n"+c.option+"\nprobe p\nrecord "+c.fra+" id fra primary\nrecord "+
				c.ams+" id ams secondary\n}"), expand.Replace(c.states))
			expectAnswer(t, f.set("www", dns.TypeA), strings.Fields(expand.Replace(c.a))...)
			expectAnswer(t, f.set("www", dns.TypeAAAA), strings.Fields(expand.Replace(c.aaaa))...)
		})
	}
	t.Run("T-265", func(t *testing.T) {
		f := compile(t, `group www weighted {
			record 192.0.2.1 id x weight 1
			record 192.0.2.2,2001:db8::2 id y weight 3
		}`, "")
		if got := f.shares("www", dns.TypeA); got != "1/4 3/4" {
			t.Errorf("Expected A by weight 1/4 3/4, got %s", got)
		}
		expectAnswer(t, f.set("www", dns.TypeAAAA), "2001:db8::2")
	})
}

// TestLastResort is the part of spec 4.13 that choosing decides: nothing is left to choose unless the last resort is all.
func TestLastResort(t *testing.T) {
	for _, word := range []string{"none", "servfail", "refused", "nxdomain"} {
		for _, policy := range []string{"simple", "weighted", "multivalue"} {
			t.Run(policy+" "+word, func(t *testing.T) {
				f := compile(t, "group www "+policy+" {\nlast_resort "+word+"\nprobe p\nrecord 192.0.2.1\n}", "192.0.2.1 U")
				s := f.set("www", dns.TypeA)
				if choice := s.Choose(&Query{Rand: seeded()}); !s.LastResort || choice.Len() != 0 {
					t.Errorf("Expected an empty choice of a last resort, got %d records, last resort %v", choice.Len(), s.LastResort)
				}
				if shares := s.Shares(&Query{}); shares != nil {
					t.Errorf("Expected no shares, got %v", shares)
				}
			})
		}
	}
}

// TestCNAME is spec 4.15: a CNAME is a candidate for every type, and an answer holds one kind only.
func TestCNAME(t *testing.T) {
	f := compile(t, `group www weighted {
		record 192.0.2.1 weight 1
		record CNAME lb.example.net. weight 3
	}`, "")
	if got := f.shares("www", dns.TypeA); got != "1/4 3/4" {
		t.Errorf("Expected A to be drawn among both kinds, got %s", got)
	}
	for _, qtype := range []uint16{dns.TypeAAAA, dns.TypeTXT, dns.TypeCNAME} {
		expectAnswer(t, f.set("www", qtype), "lb.example.net.")
	}
}

// TestRelativeData reads relative names of data in the zone of the name that is answered.
func TestRelativeData(t *testing.T) {
	f := compile(t, "group mail simple {\nrecord MX \"10 mx1\"\n}", "")
	expectAnswer(t, f.set("mail", dns.TypeMX), "10 mx1.example.org.")
}
