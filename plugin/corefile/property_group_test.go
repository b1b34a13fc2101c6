package corefile

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// drawMinTTL draws the lower end of a range of TTLs, or none.
func drawMinTTL(t *rapid.T, ttl time.Duration) time.Duration {
	if ttl < 2*time.Second || rapid.Bool().Draw(t, "fixed ttl") {
		return 0
	}
	return time.Duration(rapid.Int64Range(1, int64(ttl/time.Second)-1).Draw(t, "low ttl")) * time.Second
}

func drawClients(t *rapid.T, s *config.Stanza) {
	s.GeoIP = []string{"/var/lib/city.mmdb", "as n.mmdb"}[:rapid.IntRange(0, 2).Draw(t, "geoip")]
	if len(s.GeoIP) == 0 {
		s.GeoIP = nil
	}
	s.Locations = rapid.SampledFrom([]string{"", "locations.txt"}).Draw(t, "locations")
	switch rapid.IntRange(0, 2).Draw(t, "ecs") {
	case 1:
		s.ECS.Off = true
	case 2:
		s.ECS.From = []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	}
}

func drawMinHealthy(t *rapid.T, showAll bool) config.MinHealthy {
	m := config.MinHealthy{IPv4: rapid.IntRange(0, 3).Draw(t, "min ipv4"), IPv6: rapid.IntRange(0, 3).Draw(t, "min ipv6")}
	m.Count = rapid.IntRange(0, 100).Draw(t, "min healthy")
	m.Percent = m.Count > 0 && rapid.Bool().Draw(t, "percent")
	m.ShowAll = showAll && m.Count > 0 && rapid.Bool().Draw(t, "show all")
	return m
}

func drawDelay(t *rapid.T, label string) time.Duration {
	return time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, label))
}

func drawGroup(t *rapid.T, s *config.Stanza, label string) *config.Group {
	g := &config.Group{
		Names:      []string{label + ".example.org.", "*." + label + ".example.org."}[:rapid.IntRange(1, 2).Draw(t, "names")],
		Policy:     rapid.SampledFrom(config.Policies()).Draw(t, "policy"),
		Preset:     rapid.SampledFrom([]config.Preset{"", config.PresetRoute53, config.PresetNLB, config.PresetTrafficManager}).Draw(t, "preset"),
		TTL:        rapid.OneOf(rapid.Just(s.TTL), drawTTL).Draw(t, "group ttl"),
		LastResort: rapid.SampledFrom(lastResorts[:5]).Draw(t, "last resort"),
		MinHealthy: drawMinHealthy(t, true),
		Hold:       drawDelay(t, "hold"),
		Hidden:     rapid.Bool().Draw(t, "hidden"),
		Disabled:   rapid.Bool().Draw(t, "disabled"),
	}
	if len(s.Zones) > 1 && rapid.Bool().Draw(t, "both zones") {
		g.Names = []string{label + ".example.org.", label + ".example.net."}
	}
	if g.TTL == s.TTL && rapid.Bool().Draw(t, "inherit low ttl") {
		g.MinTTL = s.MinTTL
	} else {
		g.MinTTL = drawMinTTL(t, g.TTL)
	}
	if targets := drawTarget(t, s); len(targets) > 0 && rapid.Bool().Draw(t, "sorry") {
		g.LastResort, g.Sorry = config.LastResortAlias, targets
	}
	most := map[config.Policy]int{config.PolicySimple: 1, config.PolicyFailover: 2}[g.Policy]
	if most == 0 {
		most = 3
	}
	for i := range rapid.IntRange(1, most).Draw(t, "records") {
		g.Records = append(g.Records, drawRecord(t, s, g, i))
	}
	drawPolicyOptions(t, g)
	if alias := drawPoolAlias(t, s); alias != nil && rapid.Bool().Draw(t, "pool") {
		makePoolAlias(t, g, alias)
	}
	g.FamiliesTogether = rapid.Bool().Draw(t, "families together")
	for i := range rapid.IntRange(0, 2).Draw(t, "overrides") {
		g.Overrides = append(g.Overrides, config.Override{
			From: []config.Source{prefix("198.51.100.%d/32", i), {From: address("203.0.113.%d", 10*i), To: address("203.0.113.%d", 10*i+7)}},
			Use:  rapid.SampledFrom(g.Records).Draw(t, "override").ID,
		})
	}
	return g
}

// makePoolAlias makes the group's first record an alias of a pool or a balancer; in a multivalue group it is the only one.
func makePoolAlias(t *rapid.T, g *config.Group, alias *config.Alias) {
	r := g.Records[0]
	alias.Evaluate, alias.MinHealthy = r.Alias == nil, drawMinHealthy(t, false)
	r.Alias, r.Values, r.Probe, r.Headers, r.TTL, r.MinTTL = alias, nil, "", nil, g.TTL, g.MinTTL
	if r.ID = alias.Pool + alias.Balancer; rapid.Bool().Draw(t, "id") {
		r.ID = "Alias-pool"
	}
	if r.Admin == config.Always {
		r.Admin = ""
	}
	if alias.Balancer != "" {
		r.Site = alias.Site
	}
	g.Records = slices.DeleteFunc(g.Records, func(other *config.Record) bool { // it needs a type in common with those beside it
		return other.Alias == nil && !other.Values[0].IsAddress()
	})
	switch {
	case g.Policy == config.PolicyLatency && r.Site == "":
		r.Alias, r.Site = &config.Alias{Name: "lb.example.net."}, "a"
	case g.Policy == config.PolicyMultivalue && g.Preset == config.PresetRoute53:
		g.Preset = ""
		g.Records = g.Records[:1]
	case g.Policy == config.PolicyMultivalue:
		g.Records = g.Records[:1]
	case g.Policy != config.PolicyWeighted && r.Alias.Name == "":
		g.Max = rapid.IntRange(0, 100).Draw(t, "max")
	}
}

func prefix(format string, i int) config.Source {
	return config.SourceOf(netip.MustParsePrefix(fmt.Sprintf(format, i)))
}

func address(format string, i int) netip.Addr { return netip.MustParseAddr(fmt.Sprintf(format, i)) }

func drawPolicyOptions(t *rapid.T, g *config.Group) {
	switch g.Policy {
	case config.PolicyMultivalue:
		low, high := 1, 100
		switch g.Preset {
		case config.PresetRoute53:
			low, high = 8, 8
		case config.PresetTrafficManager:
			high = 10
		}
		g.Max = rapid.IntRange(low, high).Draw(t, "max")
	case config.PolicyWeighted:
		g.Ramp = drawDelay(t, "ramp")
	case config.PolicyFailover, config.PolicyPriority:
		g.FailbackManual = rapid.Bool().Draw(t, "failback")
	case config.PolicyGeo:
		g.Strict = rapid.Bool().Draw(t, "strict")
	}
	switch g.Policy {
	case config.PolicyWeighted, config.PolicyMultivalue, config.PolicyRoundRobin, config.PolicyLatency, config.PolicyProximity:
		if rapid.Bool().Draw(t, "sticky") {
			g.Sticky = &config.Sticky{IPv4: rapid.IntRange(1, 32).Draw(t, "ipv4"), IPv6: rapid.IntRange(1, 128).Draw(t, "ipv6")}
		}
	}
}

// drawTarget draws the names of an earlier group, if there is one: all groups have addresses.
func drawTarget(t *rapid.T, s *config.Stanza) []string {
	if len(s.Groups) == 0 {
		return nil
	}
	names := rapid.SampledFrom(s.Groups).Draw(t, "target").Names
	if len(names) == 2 && names[1][0] == 'g' && rapid.Bool().Draw(t, "relative") {
		return names
	}
	return names[:1]
}

func drawRecord(t *rapid.T, s *config.Stanza, g *config.Group, i int) *config.Record {
	r := &config.Record{TTL: g.TTL, MinTTL: g.MinTTL}
	target := drawTarget(t, s)
	if g.Policy != config.PolicyMultivalue && i > 0 && rapid.Bool().Draw(t, "alias") {
		r.Alias = &config.Alias{Evaluate: rapid.Bool().Draw(t, "evaluate"), MinHealthy: drawMinHealthy(t, false)}
		r.ID = fmt.Sprintf("Alias-%d", i)
		if r.Alias.Group = target; len(target) == 0 || rapid.Bool().Draw(t, "alias name") {
			r.Alias.Group, r.Alias.Name = nil, "lb.example.net."
		}
		r.Admin = rapid.SampledFrom([]config.AdminState{"", config.Disabled, config.Draining}).Draw(t, "admin")
	} else {
		drawData(t, s, g, r, i)
	}
	if g.Policy == config.PolicyLatency || rapid.Bool().Draw(t, "site") {
		r.Site = drawWord.Draw(t, "site name")
	}
	drawAttributes(t, g, r, i)
	return r
}

func drawData(t *rapid.T, s *config.Stanza, g *config.Group, r *config.Record, i int) {
	if r.Values = drawValues(t, i); i == 0 || g.Preset == config.PresetTrafficManager { // each group has an address
		r.Values = []config.Value{{Type: dns.TypeA, Data: fmt.Sprintf("192.0.2.%d", i+1)}}
	}
	if r.TTL = rapid.OneOf(rapid.Just(g.TTL), drawTTL).Draw(t, "record ttl"); r.TTL != g.TTL {
		r.MinTTL = drawMinTTL(t, r.TTL)
	}
	r.ID = config.DefaultID(r.Values)
	if rapid.Bool().Draw(t, "id") {
		r.ID = fmt.Sprintf("Record-%d", i)
	}
	r.Admin = rapid.SampledFrom([]config.AdminState{"", config.Disabled, config.Draining, config.Always}).Draw(t, "admin")
	if len(s.Probes) > 0 && r.Values[0].IsAddress() {
		p := rapid.SampledFrom(s.Probes).Draw(t, "probe")
		r.Probe = p.Name
		if p.Type.IsHTTP() {
			r.Headers = drawHeaders(t)
		}
	}
}

// drawAttributes draws what the policy wants of the record number i; the default is the first one's.
func drawAttributes(t *rapid.T, g *config.Group, r *config.Record, i int) {
	switch g.Policy {
	case config.PolicyWeighted:
		r.Weight = rapid.IntRange(1, 255).Draw(t, "weight")
	case config.PolicyFailover:
		r.Role = []config.Role{config.RolePrimary, config.RoleSecondary}[i]
	case config.PolicyPriority:
		r.Priority = 300*i + rapid.IntRange(1, 300).Draw(t, "priority")
	case config.PolicyGeo:
		r.Default = i == 0
		r.Locations = config.Locations{ASNs: []uint32{uint32(64496 + i), uint32(65536 + i)}, Subdivisions: []string{fmt.Sprintf("US-%d", i)}}
		if rapid.Bool().Draw(t, "countries") {
			r.Locations.Countries = [][]string{{"CH", "AT"}, {"US"}, {"BR"}}[i]
			r.Locations.Continents = [][]string{{"EU"}, {"NA", "SA"}, {"AF"}}[i]
		}
	case config.PolicyProximity:
		r.Coordinates = &config.Coordinates{Lat: rapid.Float64Range(-90, 90).Draw(t, "lat"), Lon: rapid.Float64Range(-180, 180).Draw(t, "lon")}
		r.Bias = rapid.IntRange(-99, 99).Draw(t, "bias")
	case config.PolicySubnet:
		r.Default = i == 0
		if i > 0 || rapid.Bool().Draw(t, "from") {
			r.From = []config.Source{prefix("10.%d.0.0/16", i), prefix("2001:db8:%d::/48", i), {From: address("192.0.2.%d", 50*i), To: address("192.0.2.%d", 50*i+9)}}
		}
	}
}
