package config

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// valid returns a stanza with nothing wrong: each case of a test breaks one thing of it.
func valid() *Stanza {
	web, db := DefaultProbe("web", ProbeHTTPS, ""), DefaultProbe("db", ProbeTCP, "")
	db.Port = 5432
	record := func(address string, probe string) *Record {
		return &Record{ID: address, Values: []Value{{Type: dns.TypeA, Data: address}}, TTL: DefaultTTL, Weight: DefaultWeight, Probe: probe}
	}
	primary, secondary := record("192.0.2.11", "db"), record("192.0.2.12", "")
	primary.Role, secondary.Role = RolePrimary, RoleSecondary
	return &Stanza{
		Zones: []string{"example.org."}, TTL: DefaultTTL, OtherTypes: OtherTypesNext,
		Nameservers: []Nameserver{{Name: "ns1.example.org.", Addresses: []string{"192.0.2.53"}}, {Name: "ns.example.net."}},
		Probes:      []*Probe{web, db, DefaultProbe("ping", ProbePing, "")},
		Groups: []*Group{
			{Names: []string{"www.example.org."}, Policy: PolicyWeighted, TTL: DefaultTTL, LastResort: LastResortAll,
				Records: []*Record{record("192.0.2.1", "web"), record("192.0.2.2", "web")}},
			{Names: []string{"db.example.org."}, Policy: PolicyFailover, TTL: DefaultTTL, LastResort: LastResortAll,
				Records: []*Record{primary, secondary}},
			{Names: []string{"all.example.org.", "*.all.example.org."}, Policy: PolicyMultivalue, TTL: DefaultTTL, LastResort: LastResortNone,
				Max: DefaultMax, Records: []*Record{record("192.0.2.21", ""), record("192.0.2.22", "")}},
			{Names: []string{"www.example.org."}, Policy: PolicySimple, TTL: DefaultTTL, LastResort: LastResortAll,
				Records: []*Record{{ID: "text", TTL: DefaultTTL, Values: []Value{{Type: dns.TypeTXT, Data: "a b"}}}}},
			{Names: []string{"lb.example.org."}, Policy: PolicySimple, TTL: DefaultTTL, LastResort: LastResortAll,
				Records: []*Record{{ID: "shop", TTL: DefaultTTL, Alias: &Alias{Balancer: "shop", Evaluate: true}}}},
		},
		Pools: []*Pool{validPool("app", "192.0.2.31", "192.0.2.32"), validPool("api", "192.0.2.41", "192.0.2.42")},
		Balancers: []*Balancer{{
			Name: "shop", Pools: []string{"app", "api"}, Sites: []*Site{{Name: "a"}, {Name: "b"}}, Affinity: AffinityAny, TTL: DefaultTTL,
		}},
		Filters: []*Filter{{Names: []string{"*.apps.example.org."}, Probe: "ping", TTL: DefaultTTL, LastResort: LastResortNone, Limit: 1, Idle: time.Second}},
	}
}

// validPool is a pool with a target in each of the sites a and b.
func validPool(name string, addresses ...string) *Pool {
	p := DefaultPool(name)
	p.Probe, p.TTL = "ping", DefaultTTL
	for i, address := range addresses {
		a := netip.MustParseAddr(address)
		p.Targets = append(p.Targets, &Target{ID: DefaultTargetID(a, 0), Addresses: []netip.Addr{a}, Site: string(rune('a' + i)), Weight: DefaultWeight, Probe: "ping"})
	}
	return p
}

// The parts of valid that the cases break.
func (s *Stanza) web() *Probe      { return s.Probes[0] }
func (s *Stanza) weighted() *Group { return s.Groups[0] }
func (s *Stanza) failover() *Group { return s.Groups[1] }
func (s *Stanza) multi() *Group    { return s.Groups[2] }
func (s *Stanza) simple() *Group   { return s.Groups[3] }
func (s *Stanza) lb() *Group       { return s.Groups[4] }
func (s *Stanza) app() *Pool       { return s.Pools[0] }
func (s *Stanza) shop() *Balancer  { return s.Balancers[0] }

func TestValidateOfValid(t *testing.T) {
	if ps := valid().Validate(); len(ps) > 0 {
		t.Errorf("Expected no problem, got\n%v", ps)
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		mutate func(s *Stanza)
		want   string // in one of the problems; "" for none
	}{
		{"no zone", func(s *Stanza) { s.Zones = nil }, "no zone to answer for"},
		{"zone twice", func(s *Stanza) { s.Zones = append(s.Zones, s.Zones[0]) }, `zone "example.org." is there twice`},
		{"zone in upper case", func(s *Stanza) { s.Zones = append(s.Zones, "Example.net.") }, "not a normalized domain name"},
		{"ttl below a second", func(s *Stanza) { s.TTL += time.Millisecond }, "no whole number of seconds"},
		{"ttl of 0", func(s *Stanza) { s.TTL = 0 }, ""},
		{"ttl at its end", func(s *Stanza) { s.TTL = maxTTL }, ""},
		{"ttl beyond", func(s *Stanza) { s.TTL = maxTTL + time.Second }, "ttl 596523h14m8s is out of range"},
		{"negative ttl of a record", func(s *Stanza) { s.simple().Records[0].TTL = -time.Second }, "ttl -1s is out of range"},
		{"other types", func(s *Stanza) { s.OtherTypes = "none" }, `"none" of "other_types" is unknown`},

		{"interval at its ends", func(s *Stanza) {
			s.web().Interval, s.web().Timeout = time.Second, 999*time.Millisecond
			s.Probes[1].Interval = time.Hour
		}, ""},
		{"interval too short", func(s *Stanza) { s.web().Interval = 999 * time.Millisecond }, "interval 999ms is out of range: expected 1s to 1h"},
		{"interval too long", func(s *Stanza) { s.web().Interval = time.Hour + 1 }, "interval 1h0m0.000000001s is out of range"},
		{"timeout too short", func(s *Stanza) { s.web().Timeout = 99 * time.Millisecond }, "timeout 99ms is out of range"},
		{"timeout too long", func(s *Stanza) { s.web().Interval, s.web().Timeout = time.Hour, 121*time.Second }, "timeout 2m1s is out of range"},
		{"timeout equal to the interval", func(s *Stanza) { s.web().Timeout = s.web().Interval }, "is not shorter than the interval"},
		{"the same from the end", func(s *Stanza) { s.web().Timeout, s.web().FromEnd = s.web().Interval, true }, ""},
		{"half of two timeouts", func(s *Stanza) { s.web().ConnectTimeout = time.Second }, "go together"},
		{"fall of 0", func(s *Stanza) { s.web().Fall = 0 }, "fall 0 is out of range"},
		{"rise of 11", func(s *Stanza) { s.web().Rise = 11 }, "rise 11 is out of range"},
		{"unknown initial", func(s *Stanza) { s.web().Initial = "" }, `"" of "initial" is unknown`},
		{"unknown assume", func(s *Stanza) { s.web().Assume = "up" }, `"up" of "assume" is unknown`},
		{"unknown type", func(s *Stanza) { s.web().Type = "pong" }, `"pong" of "probe" is unknown`},
		{"tcp without port", func(s *Stanza) { s.Probes[1].Port = 0 }, `the tcp probe "db" has no port`},
		{"probe twice", func(s *Stanza) { s.Probes[1].Name = "WEB" }, `probe "WEB" is there twice`},
		{"probe none", func(s *Stanza) { s.web().Name = "none" }, "`probe none` means no probe"},
		{"loopback target", func(s *Stanza) { s.web().Target = "127.0.0.1" }, ""},
		{"multicast target", func(s *Stanza) { s.web().Target = "224.0.0.1" }, "is multicast"},
		{"target that is no host", func(s *Stanza) { s.web().Target = "a b" }, "neither a host name nor an address"},

		{"method", func(s *Stanza) { s.web().HTTP.Method = "GET it" }, "no HTTP method"},
		{"HEAD with body", func(s *Stanza) { s.web().HTTP.Method, s.web().HTTP.BodyMatch = "HEAD", "a" }, "has no body"},
		{"path without slash", func(s *Stanza) { s.web().HTTP.Path = "a" }, "no path of a URL"},
		{"path with blank", func(s *Stanza) { s.web().HTTP.Path = "/a b" }, "holds a blank"},
		{"path with URL in its query", func(s *Stanza) { s.web().HTTP.Path = "/?to=http://example.org/" }, ""},
		{"8 ranges", func(s *Stanza) { s.web().HTTP.Expect = make8(CodeRange{200, 599}) }, ""},
		{"9 ranges (H-06)", func(s *Stanza) { s.web().HTTP.Expect = append(make8(CodeRange{200, 200}), CodeRange{300, 300}) }, "9 codes and ranges"},
		{"no range", func(s *Stanza) { s.web().HTTP.Expect = nil }, `no code in "expect"`},
		{"code 199", func(s *Stanza) { s.web().HTTP.Expect = []CodeRange{{199, 200}} }, "expect 199-200 is out of range"},
		{"code 600", func(s *Stanza) { s.web().HTTP.Expect = []CodeRange{{600, 600}} }, "expect 600 is out of range"},
		{"range backwards", func(s *Stanza) { s.web().HTTP.Expect = []CodeRange{{300, 200}} }, "wrong way round: expected 200-300"},
		{"8 headers", func(s *Stanza) { s.web().HTTP.Headers = make8(Header{"A", "b"}) }, ""},
		{"9 headers (H-07)", func(s *Stanza) { s.web().HTTP.Headers = append(make8(Header{"A", "b"}), Header{"C", "d"}) }, "9 headers: expected at most 8"},
		{"8 headers more", func(s *Stanza) {
			s.web().HTTP.Headers, s.weighted().Records[0].Headers = make8(Header{"A", "b"}), make8(Header{"C", "d"})
		}, ""},
		{"header name", func(s *Stanza) { s.web().HTTP.Headers = []Header{{"A:", "b"}} }, `header name "A:" is not valid`},
		{"header value", func(s *Stanza) { s.web().HTTP.Headers = []Header{{"A", "b\r\nC: d"}} }, "holds a control character"},
		{"header set by the probe", func(s *Stanza) { s.web().HTTP.Headers = []Header{{"transfer-Encoding", "chunked"}} }, "is set by the probe itself"},
		{"255 bytes of body", func(s *Stanza) { s.web().HTTP.Body = strings.Repeat("x", 255) }, ""},
		{"256 bytes of body (H-18)", func(s *Stanza) { s.web().HTTP.Body = strings.Repeat("x", 256) }, "has 256 bytes: expected at most 255"},
		{"body and body_match", func(s *Stanza) { s.web().HTTP.Body, s.web().HTTP.BodyMatch = "a", "b" }, "are there both"},
		{"regular expression", func(s *Stanza) { s.Probes[1].Exchange.ExpectReply = "(" }, "no regular expression"},
		{"certificate without key", func(s *Stanza) { s.web().TLS.Cert = "a.pem" }, "go together"},

		{"group without name", func(s *Stanza) { s.multi().Names = nil }, "group without a name"},
		{"name outside", func(s *Stanza) { s.multi().Names[0] = "www.example.net." }, "lies outside"},
		{"name not normalized", func(s *Stanza) { s.multi().Names[0] = "WWW.example.org." }, "not a normalized domain name"},
		{"name twice", func(s *Stanza) { s.multi().Names[1] = s.multi().Names[0] }, "is there twice"},
		{"empty group", func(s *Stanza) { s.multi().Records = nil }, "has no record"},
		{"unknown policy", func(s *Stanza) { s.multi().Policy = "multi" }, `"multi" of "group" is unknown`},
		{"unknown last resort", func(s *Stanza) { s.multi().LastResort = "" }, `"" of "last_resort" is unknown`},
		{"max of 0", func(s *Stanza) { s.multi().Max = 0 }, "max 0 is out of range"},
		{"max of 101", func(s *Stanza) { s.multi().Max = 101 }, "max 101 is out of range"},
		{"weight below 0", func(s *Stanza) { s.weighted().Records[0].Weight = -1 }, "weight -1 is out of range"},
		{"weight of 65535", func(s *Stanza) { s.weighted().Records[0].Weight = 65535 }, ""},
		{"weight of 65536", func(s *Stanza) { s.weighted().Records[0].Weight = 65536 }, "weight 65536 is out of range"},
		{"two primaries (T-057)", func(s *Stanza) { s.failover().Records[1].Role = RolePrimary }, "a second primary"},
		{"no primary", func(s *Stanza) { s.failover().Records = s.failover().Records[1:] }, "has no primary"},
		{"only a primary (T-046)", func(s *Stanza) { s.failover().Records = s.failover().Records[:1] }, ""},
		{"no role", func(s *Stanza) { s.failover().Records[1].Role = "" }, "neither primary nor secondary"},
		{"two simple records of a type", func(s *Stanza) {
			s.simple().Records = append(s.simple().Records, &Record{ID: "b", TTL: DefaultTTL, Values: []Value{{dns.TypeTXT, "c"}}})
		}, "a second record of type TXT in a simple group"},
		{"two simple records of two types", func(s *Stanza) {
			s.simple().Records = append(s.simple().Records, &Record{ID: "b", TTL: DefaultTTL, Values: []Value{{dns.TypeMX, "1 a"}}})
		}, ""},
		{"families together", func(s *Stanza) { s.weighted().FamiliesTogether = true }, ""},
		{"families together without addresses", func(s *Stanza) { s.simple().FamiliesTogether = true }, "in a group without addresses"},
		{"two groups of one type", func(s *Stanza) { s.multi().Names[0] = "www.example.org." }, "has a group of type A, AAAA or CNAME"},
		{"A and AAAA in two groups", func(s *Stanza) {
			s.multi().Names = s.weighted().Names
			for i, r := range s.multi().Records {
				r.Values[0], r.ID = Value{dns.TypeAAAA, "2001:db8::" + string(rune('1'+i))}, string(rune('a'+i))
			}
		}, "has a group of type A, AAAA or CNAME"},
		{"CNAME beside another group", func(s *Stanza) {
			for _, r := range s.weighted().Records {
				r.Values, r.Probe, r.ID = []Value{{dns.TypeCNAME, r.ID}}, "", r.ID+"x"
			}
		}, "one of the two has a CNAME"},

		{"id twice", func(s *Stanza) { s.multi().Records[0].ID, s.multi().Records[1].ID = "A", "a" }, `id "a" is there twice`},
		{"id with comma", func(s *Stanza) { s.multi().Records[0].ID = "a,b" }, `id "a,b" cannot be used`},
		{"no id", func(s *Stanza) { s.multi().Records[0].ID = "" }, `id "" cannot be used`},
		{"site with slash", func(s *Stanza) { s.multi().Records[0].Site = "a/b" }, `site "a/b" cannot be used`},
		{"no value", func(s *Stanza) { s.multi().Records[0].Values, s.multi().Records[0].ID = nil, "a" }, "record without a value"},
		{"value twice", func(s *Stanza) { r := s.multi().Records[0]; r.Values = append(r.Values, r.Values[0]) }, "is there twice in the record"},
		{"unknown probe", func(s *Stanza) { s.multi().Records[0].Probe = "wbe" }, `there is no probe "wbe": expected web, db, ping or none; did you mean "web"?`},
		{"probe without target for a text", func(s *Stanza) { s.simple().Records[0].Probe = "db" }, `probe "db" has no target`},
		{"the same with target", func(s *Stanza) { s.simple().Records[0].Probe, s.Probes[1].Target = "db", "localhost" }, ""},
		{"header without probe", func(s *Stanza) { s.multi().Records[0].Headers = make8(Header{"A", "b"}) }, "in a record without a probe"},
		{"header with tcp probe", func(s *Stanza) { s.failover().Records[0].Headers = make8(Header{"A", "b"}) }, `whose probe "db" is a tcp probe`},
		{"certificate of a wildcard", func(s *Stanza) { s.weighted().Names[0] = "*.w.example.org." }, "a wildcard group has no name to verify"},
		{"the same with a name", func(s *Stanza) {
			s.weighted().Names = []string{"w.example.org.", "*.w.example.org."}
		}, ""},
		{"the same with sni", func(s *Stanza) { s.weighted().Names[0], s.web().TLS.SNI = "*.w.example.org.", "w.example.org" }, ""},
		{"the same with target", func(s *Stanza) { s.weighted().Names[0], s.web().Target = "*.w.example.org.", "w.example.org" }, ""},
		{"the same with an address as target", func(s *Stanza) { s.weighted().Names[0], s.web().Target = "*.w.example.org.", "192.0.2.1" }, "no name to verify"},
		{"the same unverified", func(s *Stanza) { s.weighted().Names[0], s.web().TLS.Verify = "*.w.example.org.", false }, ""},

		{"nameserver twice", func(s *Stanza) { s.Nameservers[1] = s.Nameservers[0] }, "is there twice"},
		{"nameserver outside with address", func(s *Stanza) { s.Nameservers[1].Addresses = []string{"192.0.2.1"} }, "lies outside"},
		{"nameserver with a group's name", func(s *Stanza) { s.Nameservers[0].Name = "www.example.org." }, "whose name has a group"},
		{"nameserver of a group", func(s *Stanza) { s.Nameservers[0] = Nameserver{Name: "www.example.org."} }, ""},
		{"nameserver of a wildcard", func(s *Stanza) { s.Nameservers[0] = Nameserver{Name: "ns.all.example.org."} }, ""},
		{"nameserver without address", func(s *Stanza) { s.Nameservers[0].Addresses = nil }, "has no address here"},
		{"nameserver with multicast", func(s *Stanza) { s.Nameservers[0].Addresses[0] = "224.0.0.1" }, "is multicast"},
		{"max_attempts of 1", func(s *Stanza) { s.MaxAttempts = 1 }, ""},
		{"max_attempts below 0", func(s *Stanza) { s.MaxAttempts = -1 }, "max_attempts -1 is out of range"},
		{"max_attempts beyond", func(s *Stanza) { s.MaxAttempts = MaxMaxAttempts + 1 }, "max_attempts 1000001 is out of range"},
		{"canary that is quick", func(s *Stanza) {
			s.Canary, s.Probes[1].Target, s.Probes[1].Fall = []string{"db"}, "192.0.2.254", 1
		}, ""},
		{"canary that is slow", func(s *Stanza) { s.Canary, s.Probes[1].Target = []string{"db"}, "192.0.2.254" }, "may fail after the checks"},
		{"canary without target", func(s *Stanza) { s.Canary = []string{"db"} }, `"db" of "canary" has no target`},
		{"unused probe", func(s *Stanza) { s.failover().Records[0].Probe = "" }, `probe "db" is used by no record, pool, site or filter`},
		{"probe of a pool alone", func(s *Stanza) { s.Filters = nil }, ""},
		{"NS at the apex", func(s *Stanza) {
			s.simple().Names[0], s.simple().Records[0].Values = "example.org.", []Value{{dns.TypeNS, "ns1"}}
		}, "type NS at the zone apex"},
		{"NS at the apex without nameserver", func(s *Stanza) {
			s.simple().Names[0], s.simple().Records[0].Values, s.Nameservers = "example.org.", []Value{{dns.TypeNS, "ns1"}}, nil
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expectProblem(t, tt.mutate, tt.want) })
	}
}

// expectProblem changes a good stanza and expects a problem with the text, or none for "".
func expectProblem(t *testing.T, mutate func(*Stanza), want string) {
	t.Helper()
	s := valid()
	mutate(s)
	ps := s.Validate()
	switch {
	case want == "" && len(ps) > 0:
		t.Errorf("Expected no problem, got\n%v", ps)
	case !strings.Contains(ps.Error(), want):
		t.Errorf("Expected a problem with %q, got\n%v", want, ps)
	}
}

func make8[T any](one T) []T {
	all := make([]T, 8)
	for i := range all {
		all[i] = one
	}
	return all
}

// TestRefusedTypes asserts that no record can have a type that is not data, or that signing makes.
func TestRefusedTypes(t *testing.T) {
	for _, word := range []string{"SOA", "OPT", "TSIG", "TKEY", "ANY", "AXFR", "IXFR", "MAILA", "MAILB", "RRSIG", "NSEC", "NSEC3",
		"NSEC3PARAM", "DNSKEY", "NULL", "TYPE0", "TYPE41", "TYPE255", "TYPE128", "TYPE65535"} {
		s := valid()
		typ, _ := ParseType(word)
		s.simple().Records[0].Values = []Value{{Type: typ, Data: `\# 1 00`}}
		if errs := s.Validate().Errors(); !strings.Contains(errs.Error(), "a record cannot have type ") {
			t.Errorf("Expected type %s to be refused, got %v", word, errs)
		}
	}
}
