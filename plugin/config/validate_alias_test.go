package config

import (
	"math"
	"net/netip"
	"testing"

	"github.com/miekg/dns"
)

// TestValidateGroups asserts what package corefile cannot write, or writes only in part: its testdata has the rest.
func TestValidateGroups(t *testing.T) {
	aliased := func(s *Stanza) *Record {
		r := s.weighted().Records[0]
		r.ID, r.Values, r.Probe, r.Alias = "all", nil, "", &Alias{Group: []string{"all.example.org."}, Evaluate: true}
		return r
	}
	first := func(s *Stanza) *Record { return s.multi().Records[0] }
	tests := []struct {
		name   string
		mutate func(s *Stanza)
		want   string // in one of the problems; "" for none
	}{
		{"alias", func(s *Stanza) { aliased(s) }, ""},
		{"alias with values", func(s *Stanza) { aliased(s).Values = []Value{{dns.TypeA, "192.0.2.99"}} }, "an alias with values"},
		{"alias that is always usable (T-231)", func(s *Stanza) { aliased(s).Admin = Always }, `"always" in an alias`},
		{"alias that drains", func(s *Stanza) { aliased(s).Admin = Draining }, ""},
		{"alias of a name", func(s *Stanza) { aliased(s).Alias = &Alias{Name: "lb.example.net."} }, ""},
		{"alias of a relative name", func(s *Stanza) { aliased(s).Alias = &Alias{Name: "lb.example.net"} }, "is not a host name"},
		{"alias of a name in upper case", func(s *Stanza) { aliased(s).Alias = &Alias{Name: "LB.example.net."} }, "is not a host name"},
		{"alias of a name with a probe without target", func(s *Stanza) {
			r := aliased(s)
			r.Alias, r.Probe = &Alias{Name: "lb.example.net."}, "web"
		}, ""},
		{"alias of a group with a calculated probe", func(s *Stanza) {
			s.web().Type, s.weighted().Records[1].Probe = ProbeCalculated, ""
			aliased(s).Probe = "web"
		}, "on an alias of a group: it decides besides"},
		{"unknown admin state", func(s *Stanza) { first(s).Admin = "down" }, `"down" of "record" is unknown`},
		{"unknown preset", func(s *Stanza) { s.multi().Preset = "azure" }, `"azure" of "preset" is unknown`},
		{"unknown policy", func(s *Stanza) { s.multi().Policy = "random" }, `"random" of "group" is unknown: expected simple, weighted, failover, priority`},
		{"last resort without its group", func(s *Stanza) { s.multi().LastResort = LastResortAlias }, "go together"},
		{"group of a last resort without the word", func(s *Stanza) { s.multi().Sorry = s.weighted().Names }, "go together"},
		{"min_healthy above 100 %", func(s *Stanza) { s.multi().MinHealthy = MinHealthy{Count: 101, Percent: true} }, "min_healthy 101% is out of range"},
		{"negative min_healthy", func(s *Stanza) { s.multi().MinHealthy = MinHealthy{IPv6: -1} }, "min_healthy ipv6 -1 is out of range"},
		{"coordinates that are no number", func(s *Stanza) {
			s.multi().Policy, s.multi().Records = PolicyProximity, s.multi().Records[:1]
			first(s).Coordinates = &Coordinates{Lat: math.NaN()}
		}, "latitude NaN is out of range"},
		{"zones of an address", func(s *Stanza) {
			s.multi().Policy, s.multi().Records = PolicySubnet, s.multi().Records[:1]
			from := netip.MustParseAddr("fe80::1%eth0")
			first(s).From = []Source{{from, from}}
		}, "is no range of addresses"},
		{"override for nobody", func(s *Stanza) { s.multi().Overrides = []Override{{Use: "192.0.2.21"}} }, "override for nobody"},
		{"ecs off with askers", func(s *Stanza) { s.ECS = ECS{true, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}} }, "one of them"},
		{"ecs with host bits", func(s *Stanza) { s.ECS.From = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/8")} }, "10.0.0.1/8 is no prefix"},
		{"name server of a hidden group", func(s *Stanza) {
			s.multi().Hidden, s.Nameservers[0] = true, Nameserver{Name: "all.example.org."}
			aliased(s)
		}, `nameserver "all.example.org." has no address here`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expectProblem(t, tt.mutate, tt.want) })
	}
}
