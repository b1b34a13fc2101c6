package corefile

import (
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

func addrs(texts ...string) []netip.Addr {
	var all []netip.Addr
	for _, text := range texts {
		all = append(all, netip.MustParseAddr(text))
	}
	return all
}

// TestParsePools asserts the defaults, and what pools, balancers and filters take from the stanza, wherever it stands.
func TestParsePools(t *testing.T) {
	s := parseOne(t, Env{ServerZones: []string{"example.org."}, Root: "/etc/coredns"}, `healthroute {
    pool App {
        target 192.0.2.1 port 80
        target 192.0.2.2,2001:DB8::2 probe none site B weight 0
        target 192.0.2.3 id Three {
            header X-A b
            always
        }
        discover dns App.example.net SRV
        discover file targets/*.json site C port 81
        discover file /srv/a.json
        fail_open percent 20
        dns_failover percent 30 count off
        probe Web
    }
    pool api {
        preset nlb
        disabled
    }
    balancer Shop {
        pools APP,api
        site A address 203.0.113.1,2001:DB8::A probe Web
        site b address 203.0.113.2
    }
    balancer plain {
        pools app
        cross_site off
        preset nlb
    }
    filter {
        probe Web
    }
    group www roundrobin {
        max 4
        alias pool App site X
        alias balancer SHOP site B evaluate off min_healthy 2 id Own
    }
    ttl 5s-20s
    probe web http
}`)
	app := &config.Pool{
		Name: "app", Probe: "web", TTL: 20 * time.Second, MinTTL: 5 * time.Second,
		Targets: []*config.Target{
			{ID: "192.0.2.1:80", Addresses: addrs("192.0.2.1"), Port: 80, Weight: 1, Probe: "web"},
			{ID: "192.0.2.2", Addresses: addrs("192.0.2.2", "2001:db8::2"), Site: "b"},
			{ID: "Three", Addresses: addrs("192.0.2.3"), Weight: 1, Probe: "web", Admin: config.Always, Headers: []config.Header{{Name: "X-A", Value: "b"}}},
		},
		Sources: []config.Discovery{
			{Kind: config.DiscoverDNS, Name: "app.example.net.", Type: dns.TypeSRV},
			{Kind: config.DiscoverFile, Files: "/etc/coredns/targets/*.json", Port: 81, Site: "c"},
			{Kind: config.DiscoverFile, Files: "/srv/a.json"},
		},
		DNSFailover: config.Threshold{Percent: 30}, FailOpen: config.Threshold{Count: 1, Percent: 20},
		Drain: 300 * time.Second, Limit: 10_000, Rate: 1_000,
	}
	api := config.DefaultPool("api")
	api.Preset, api.TTL, api.Disabled = config.PresetNLB, time.Minute, true
	shop := &config.Balancer{
		Name: "shop", Pools: []string{"app", "api"}, Affinity: config.AffinityAny, TTL: 20 * time.Second, MinTTL: 5 * time.Second,
		Sites: []*config.Site{
			{Name: "a", Addresses: addrs("203.0.113.1", "2001:db8::a"), Probe: "web"},
			{Name: "b", Addresses: addrs("203.0.113.2")},
		},
	}
	plain := &config.Balancer{Name: "plain", Preset: config.PresetNLB, Pools: []string{"app"}, Affinity: config.AffinityAny, TTL: time.Minute}
	filter := &config.Filter{
		Names: []string{"example.org.", "*.example.org."}, Probe: "web", TTL: 20 * time.Second, LastResort: config.LastResortAll, Limit: 10_000, Idle: 10 * time.Minute,
	}
	group := &config.Group{
		Names: []string{"www.example.org."}, Policy: config.PolicyRoundRobin, Max: 4, LastResort: config.LastResortAll, TTL: 20 * time.Second, MinTTL: 5 * time.Second,
		Records: []*config.Record{
			{ID: "app", Site: "x", TTL: 20 * time.Second, MinTTL: 5 * time.Second, Alias: &config.Alias{Pool: "app", Evaluate: true}},
			{ID: "Own", Site: "b", TTL: 20 * time.Second, MinTTL: 5 * time.Second,
				Alias: &config.Alias{Balancer: "shop", Site: "b", MinHealthy: config.MinHealthy{Count: 2}}},
		},
	}
	expected := &config.Stanza{
		Zones: s.Zones, TTL: s.TTL, MinTTL: s.MinTTL, OtherTypes: s.OtherTypes, Probes: s.Probes,
		Groups: []*config.Group{group}, Pools: []*config.Pool{app, api}, Balancers: []*config.Balancer{shop, plain}, Filters: []*config.Filter{filter},
	}
	if got := withoutPlaces(s); !reflect.DeepEqual(got, expected) {
		t.Errorf("Expected\n%sgot\n%s", Print(expected), Print(got))
	}
}

// TestParsePoolPlaces asserts where faults that are found later will be said to stand.
func TestParsePoolPlaces(t *testing.T) {
	s := parseOne(t, env, `healthroute {
    pool app {
        target 192.0.2.1 port 80 {
            site a
        }
        discover file a.json
        drain 10m
    }
    balancer shop {
        pools app
        site a address 203.0.113.1
    }
    filter www {
        probe web
    }
    probe web http
}`)
	p, b := s.Pools[0], s.Balancers[0]
	for _, tt := range []struct {
		what string
		got  config.Position
		line int
	}{
		{"pool", p.Places.Own, 2},
		{"target", p.Targets[0].Places.Own, 3},
		{"port", p.Targets[0].Places.Of("port"), 3},
		{"site of the target", p.Targets[0].Places.Of("site"), 4},
		{"source", p.Sources[0].Position, 6},
		{"drain", p.Places.Of("drain"), 7},
		{"balancer", b.Places.Own, 9},
		{"pools", b.Places.Of("pools"), 10},
		{"site", b.Sites[0].Places.Own, 11},
		{"address", b.Sites[0].Places.Of("address"), 11},
		{"filter", s.Filters[0].Places.Own, 13},
		{"probe of the filter", s.Filters[0].Places.Of("probe"), 14},
	} {
		if expected := (config.Position{File: "Corefile", Line: tt.line}); tt.got != expected {
			t.Errorf("Expected the %s at %v, got %v", tt.what, expected, tt.got)
		}
	}
}

// TestFilterOfRoot asserts that a filter without names covers the root zone, and is written back without names.
func TestFilterOfRoot(t *testing.T) {
	s := parseOne(t, Env{}, "healthroute . {\n probe web http\n filter {\n probe web\n }\n}")
	if got := s.Filters[0].Names; len(got) != 2 || got[0] != "." || got[1] != "*." {
		t.Errorf("Expected the names . and *., got %v", got)
	}
	checkRoundTrip(t, s)
}
