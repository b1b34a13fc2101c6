package config

import (
	"net/netip"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// TestValidatePools asserts what package corefile cannot write, or writes only in part, and the ends of ranges: its testdata has the
// rest.
func TestValidatePools(t *testing.T) {
	target := func(s *Stanza) *Target { return s.app().Targets[0] }
	addressed := func(s *Stanza) *Balancer {
		b := s.shop()
		b.Sites[0].Addresses = []netip.Addr{netip.MustParseAddr("203.0.113.1")}
		b.Sites[1].Addresses = []netip.Addr{netip.MustParseAddr("203.0.113.2")}
		return b
	}
	alias := func(s *Stanza) *Alias { return s.lb().Records[0].Alias }
	source := func(s *Stanza, d Discovery) { s.app().Sources = append(s.app().Sources, d) }
	many := func(n int) []*Target {
		targets := make([]*Target, n)
		for i := range targets {
			a := netip.AddrFrom4([4]byte{10, 0, 1, byte(i + 1)})
			targets[i] = &Target{ID: a.String(), Addresses: []netip.Addr{a}, Site: "a", Weight: DefaultWeight, Probe: "ping"}
		}
		targets[0].Site = "b"
		return targets
	}
	tests := []struct {
		name   string
		mutate func(s *Stanza)
		want   string // in one of the problems; "" for none
	}{
		{"pool without a name", func(s *Stanza) { s.app().Name = "" }, `pool name "" cannot be used`},
		{"unknown preset of a pool", func(s *Stanza) { s.app().Preset = "aws" }, `"aws" of "preset" is unknown`},
		{"unknown preset of a balancer", func(s *Stanza) { s.shop().Preset = "aws" }, `"aws" of "preset" is unknown`},
		{"unknown cross_site", func(s *Stanza) { s.app().CrossSite = "yes" }, `"yes" of "cross_site" is unknown`},
		{"unknown affinity", func(s *Stanza) { s.shop().Affinity = "" }, `"" of "affinity" is unknown`},
		{"drain at its ends", func(s *Stanza) {
			s.app().Drain, s.app().TTL, s.app().UnhealthyDrain = 0, 0, MaxUnhealthyDrain
			s.Pools[1].Drain = MaxDrain
		}, ""},
		{"negative drain", func(s *Stanza) { s.app().Drain = -1 }, "drain -1ns is out of range"},
		{"drain too long", func(s *Stanza) { s.app().Drain = MaxDrain + 1 }, "is out of range: expected 0s to 1h"},
		{"drain as long as the ttl", func(s *Stanza) { s.app().Drain = s.app().TTL }, ""},
		{"drain below the ttl (spec 6)", func(s *Stanza) { s.app().Drain = s.app().TTL - 1 }, "is shorter than the ttl 30s"},
		{"limit and rate at their ends", func(s *Stanza) {
			s.app().Limit, s.app().Rate, s.Pools[1].Limit, s.Pools[1].Rate = 1, 1, maxPoolLimit, maxPoolRate
		}, ""},
		{"limit beyond", func(s *Stanza) { s.app().Limit = maxPoolLimit + 1 }, "limit 1000001 is out of range"},
		{"rate of 0", func(s *Stanza) { s.app().Rate = 0 }, "rate 0 is out of range"},

		{"target without an address", func(s *Stanza) { target(s).Addresses = nil }, "target without an address"},
		{"invalid address", func(s *Stanza) { target(s).Addresses = []netip.Addr{{}} }, "is not an IP address"},
		{"target without an id", func(s *Stanza) { target(s).ID = "" }, `id "" cannot be used`},
		{"unknown admin state of a target", func(s *Stanza) { target(s).Admin = "down" }, `"down" of "target" is unknown`},
		{"both families", func(s *Stanza) { target(s).Addresses = append(target(s).Addresses, netip.MustParseAddr("2001:db8::1")) }, ""},
		{"the same address at two ports", func(s *Stanza) {
			second := *target(s)
			second.ID, second.Port = "second", 81
			s.app().Targets = append(s.app().Targets, &second)
		}, ""},
		{"the same address with two probes of two ports", func(s *Stanza) {
			second := *target(s)
			second.ID, second.Probe = "second", "db"
			s.app().Targets = append(s.app().Targets, &second)
		}, ""},
		{"the same target in two pools", func(s *Stanza) { s.Pools[1].Targets[0] = target(s) }, ""},
		{"port of the target for the probe", func(s *Stanza) {
			s.Probes = append(s.Probes, DefaultProbe("port", ProbeTCP, ""))
			target(s).Probe, target(s).Port, target(s).ID = "port", 80, "one"
		}, ""},
		{"port of neither", func(s *Stanza) {
			s.Probes = append(s.Probes, DefaultProbe("port", ProbeTCP, ""))
			target(s).Probe = "port"
		}, `target "192.0.2.31" has no port, and neither has the tcp probe "port"`},
		{"verified name of a pool with host", func(s *Stanza) { s.web().HTTP.Host, target(s).Probe = "www.example.org", "web" }, ""},
		{"verified name of a pool", func(s *Stanza) { target(s).Probe = "web" }, "but a pool has no name to verify"},

		{"thresholds of one kind that are equal", func(s *Stanza) {
			s.app().Targets = many(3)
			s.app().DNSFailover, s.app().FailOpen = Threshold{3, 40}, Threshold{3, 40}
		}, ""},
		{"T-185", func(s *Stanza) { s.app().DNSFailover.Percent, s.app().FailOpen.Percent = 80, 20 }, ""},
		{"T-187", func(s *Stanza) { s.app().DNSFailover.Percent, s.app().FailOpen.Percent = 30, 50 },
			"dns_failover percent 30% is below fail_open percent 50%"},
		{"count below", func(s *Stanza) { s.app().Targets, s.app().FailOpen.Count = many(2), 2 }, "dns_failover count 1 is below fail_open count 2"},
		{"thresholds of different kinds", func(s *Stanza) {
			s.app().Targets = many(3)
			s.app().DNSFailover, s.app().FailOpen = Threshold{Percent: 10}, Threshold{Count: 3}
		}, ""},
		{"T-184", func(s *Stanza) { s.app().DNSFailover = Threshold{} }, ""},
		{"fail_open off", func(s *Stanza) { s.app().FailOpen.Count = 0 }, "fail_open count off"},
		{"negative count", func(s *Stanza) { s.app().DNSFailover.Count = -1 }, "dns_failover count -1 is out of range"},
		{"percent at its end", func(s *Stanza) { s.app().DNSFailover.Percent = 100 }, ""},
		{"percent beyond", func(s *Stanza) { s.app().FailOpen.Percent = 101 }, "fail_open percent 101 is out of range"},
		{"count beyond the targets", func(s *Stanza) { s.app().DNSFailover.Count = 3 }, "dns_failover count 3 can never be met"},
		{"the same with a source", func(s *Stanza) {
			s.app().DNSFailover.Count = 3
			source(s, Discovery{Kind: DiscoverFile, Files: "a.json"})
		}, ""},

		{"unknown kind of source", func(s *Stanza) { source(s, Discovery{Kind: "consul"}) }, `"consul" of "discover" is unknown`},
		{"relative name of a source", func(s *Stanza) {
			source(s, Discovery{Kind: DiscoverDNS, Name: "app", Type: dns.TypeA, Site: "a"})
		}, "is not a normalized domain name"},
		{"source of another type", func(s *Stanza) {
			source(s, Discovery{Kind: DiscoverDNS, Name: "app.example.net.", Type: dns.TypeTXT})
		}, "type TXT of \"discover dns\" gives no targets"},
		{"one name at two ports", func(s *Stanza) {
			source(s, Discovery{Kind: DiscoverDNS, Name: "app.example.net.", Type: dns.TypeA, Site: "a"})
			source(s, Discovery{Kind: DiscoverDNS, Name: "app.example.net.", Type: dns.TypeA, Site: "a", Port: 81})
		}, ""},

		{"nlb pool of one family", func(s *Stanza) { s.app().Preset = PresetNLB }, ""},
		{"nlb pool of two families (spec 6)", func(s *Stanza) {
			s.app().Preset = PresetNLB
			s.app().Targets[1].Addresses[0], s.app().Targets[1].ID = netip.MustParseAddr("2001:db8::1"), "2001:db8::1"
		}, `IPv6 address 2001:db8::1 in the pool "app", which has IPv4`},
		{"nlb pool with a source of the other family", func(s *Stanza) {
			s.app().Preset = PresetNLB
			source(s, Discovery{Kind: DiscoverDNS, Name: "app.example.net.", Type: dns.TypeAAAA, Site: "a"})
		}, "a source of IPv6 addresses in the pool"},

		{"balancer with addresses", func(s *Stanza) { addressed(s) }, ""},
		{"one site without an address", func(s *Stanza) { addressed(s).Sites[0].Addresses = nil }, `site "a" has no address`},
		{"site whose probe has a target of its own", func(s *Stanza) {
			s.Probes = append(s.Probes, DefaultProbe("router", ProbePing, ""))
			s.Probes[3].Target, s.shop().Sites[0].Probe = "192.0.2.254", "router"
		}, ""},
		{"site with a push probe", func(s *Stanza) {
			s.Probes = append(s.Probes, DefaultProbe("told", ProbePush, ""))
			s.shop().Sites[0].Probe = "told"
		}, ""},
		{"site without a name", func(s *Stanza) { s.shop().Sites[0].Name = "" }, "site without a name"},
		{"affinity with locations", func(s *Stanza) { s.shop().Affinity, s.Locations = AffinityPartial, "sites.txt" }, ""},

		{"alias of a pool", func(s *Stanza) {
			s.lb().Records[0].ID, s.lb().Records[0].Alias = "app", &Alias{Pool: "app"}
			s.Balancers = nil
			s.Pools = s.Pools[:1]
		}, ""},
		{"alias of no pool", func(s *Stanza) { s.lb().Records[0].Alias = &Alias{Pool: "apq"} }, `there is no such pool: expected a pool of the stanza; did you mean "app"?`},
		{"alias of a site", func(s *Stanza) { alias(s).Site = "b" }, ""},
		{"alias of a site that targets alone have", func(s *Stanza) { s.shop().Sites, alias(s).Site = nil, "b" }, ""},
		{"alias of no site", func(s *Stanza) { alias(s).Site = "c" }, `balancer "shop" has no site "c": expected a or b`},
		{"alias of a site that a file may tell", func(s *Stanza) {
			s.shop().Sites, alias(s).Site = nil, "c"
			source(s, Discovery{Kind: DiscoverFile, Files: "a.json"})
		}, ""},
		{"alias in multivalue", func(s *Stanza) { s.lb().Policy, s.lb().Max = PolicyMultivalue, DefaultMax }, ""},
		{"alias in multivalue of route53 (T-091)", func(s *Stanza) {
			s.lb().Policy, s.lb().Max, s.lb().Preset = PolicyMultivalue, DefaultMax, PresetRoute53
		}, "an alias in a multivalue group, with preset route53"},
		{"max of a balancer", func(s *Stanza) { s.lb().Max = 100 }, ""},
		{"max of nothing", func(s *Stanza) { s.simple().Max = 1 }, `"max" in a simple group without an alias of a pool or a balancer`},
		{"max in a weighted group", func(s *Stanza) { s.weighted().Max = 1 }, `"max" in a weighted group`},
		{"negative max", func(s *Stanza) { s.lb().Max = -1 }, "max -1 is out of range: expected 1 to 100"},
		{"weight that is drawn", func(s *Stanza) { s.lb().Policy, s.lb().Records[0].Weight, target(s).Weight = PolicyWeighted, 1, 5 }, ""},
		{"weight that is not", func(s *Stanza) { target(s).Weight = 5 }, `weight 5 in the pool "app" changes nothing`},
		{"weight behind site addresses", func(s *Stanza) {
			addressed(s)
			s.lb().Policy, s.lb().Records[0].Weight, target(s).Weight = PolicyWeighted, 1, 5
		}, `weight 5 in the pool "app" changes nothing`},

		{"filter without a name", func(s *Stanza) { s.Filters[0].Names = nil }, "filter without a name"},
		{"filter of everything", func(s *Stanza) { s.Filters[0].Names = s.FilterNames() }, ""},
		{"filter of a group's name", func(s *Stanza) { s.Filters[0].Names = []string{"lb.example.org."} }, "which answers itself"},
		{"filter of a hidden group's name", func(s *Stanza) {
			s.Filters[0].Names, s.lb().Hidden = []string{"lb.example.org."}, true
			s.weighted().Records[0] = &Record{ID: "lb", TTL: DefaultTTL, Weight: 1, Alias: &Alias{Group: []string{"lb.example.org."}}}
		}, ""},
		{"filter that refuses", func(s *Stanza) { s.Filters[0].LastResort = LastResortServfail }, `"servfail" of "last_resort" is unknown: expected all or none`},
		{"idle at its end", func(s *Stanza) { s.Filters[0].Idle, s.Filters[0].Limit = maxIdle, maxFilterLimit }, ""},
		{"idle beyond", func(s *Stanza) { s.Filters[0].Idle = maxIdle + time.Second }, "idle 24h0m1s is out of range"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expectProblem(t, tt.mutate, tt.want) })
	}
}

// TestTypesOf asserts which types an alias of a pool or a balancer can answer: those that its targets, sources or sites have.
func TestTypesOf(t *testing.T) {
	a4, a6 := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	in := func(site string, addresses ...netip.Addr) *Target { return &Target{Site: site, Addresses: addresses} }
	s := &Stanza{
		Pools: []*Pool{
			{Name: "four", Targets: []*Target{in("a", a4)}},
			{Name: "six", Targets: []*Target{in("b", a6)}},
			{Name: "empty"},
			{Name: "asked", Sources: []Discovery{{Kind: DiscoverDNS, Type: dns.TypeAAAA, Site: "a"}}},
			{Name: "told", Targets: []*Target{in("", a4)}, Sources: []Discovery{{Kind: DiscoverFile}}},
			{Name: "srv", Sources: []Discovery{{Kind: DiscoverDNS, Type: dns.TypeSRV}}},
		},
		Balancers: []*Balancer{
			{Name: "all", Pools: []string{"four", "six"}},
			{Name: "some", Pools: []string{"four", "six"}, Sites: []*Site{{Name: "b"}}},
			{Name: "front", Pools: []string{"four"}, Sites: []*Site{{Name: "a", Addresses: []netip.Addr{a4}}, {Name: "b", Addresses: []netip.Addr{a6, a4}}}},
		},
	}
	both := []uint16{dns.TypeA, dns.TypeAAAA}
	for _, tt := range []struct {
		alias Alias
		want  []uint16
	}{
		{Alias{Pool: "four"}, both[:1]}, {Alias{Pool: "six"}, both[1:]}, {Alias{Pool: "empty"}, both}, {Alias{Pool: "asked"}, both[1:]},
		{Alias{Pool: "told"}, both}, {Alias{Pool: "srv"}, both}, {Alias{Pool: "none"}, nil}, {Alias{}, nil},
		{Alias{Balancer: "all"}, both}, {Alias{Balancer: "all", Site: "a"}, both[:1]}, {Alias{Balancer: "some"}, both[1:]},
		{Alias{Balancer: "front"}, both}, {Alias{Balancer: "front", Site: "a"}, both[:1]}, {Alias{Balancer: "none"}, nil},
	} {
		got := s.TypesOf(&tt.alias)
		if len(got) != len(tt.want) || len(got) > 0 && (got[0] != tt.want[0] || got[len(got)-1] != tt.want[len(got)-1]) {
			t.Errorf("Expected types %v of %+v, got %v", tt.want, tt.alias, got)
		}
	}
}

// TestPoolTTL asserts that a pool has the stanza's TTL, but with preset nlb that of the system (spec, section 0).
func TestPoolTTL(t *testing.T) {
	s := &Stanza{TTL: 20 * time.Second, MinTTL: 5 * time.Second}
	for preset, want := range map[Preset][2]time.Duration{
		"": {20 * time.Second, 5 * time.Second}, PresetRoute53: {20 * time.Second, 5 * time.Second}, PresetNLB: {time.Minute, 0},
	} {
		if ttl, low := s.PoolTTL(preset); ttl != want[0] || low != want[1] {
			t.Errorf("Expected %v with preset %q, got %v and %v", want, preset, ttl, low)
		}
	}
}

// TestFilterNames asserts what a filter without names covers.
func TestFilterNames(t *testing.T) {
	for _, tt := range []struct{ zones, want []string }{
		{[]string{"example.org.", "a.example.net."}, []string{"example.org.", "a.example.net.", "*.example.org.", "*.a.example.net."}},
		{[]string{"."}, []string{".", "*."}},
	} {
		s := &Stanza{Zones: tt.zones}
		got := s.FilterNames()
		for i, want := range tt.want {
			if len(got) != len(tt.want) || got[i] != want {
				t.Fatalf("Expected names %v in %v, got %v", tt.want, tt.zones, got)
			}
		}
	}
}
