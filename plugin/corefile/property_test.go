package corefile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// TestPrintRoundTrip asserts for stanzas of every shape: what Print writes, Parse reads back.
func TestPrintRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStanza(t)
		if problems := s.Validate().Errors(); len(problems) > 0 {
			t.Fatalf("Expected a valid stanza to begin with, got\n%v\nof\n%s", problems, Print(s))
		}
		checkRoundTrip(t, s)
	})
}

var (
	drawText = rapid.StringMatching(`[ -Za-~ü€]{1,20}`) // all but a backslash, which blanks and quotes make unwritable
	drawWord = rapid.StringMatching(`[a-z0-9][a-z0-9_.-]{0,9}`)
	drawHost = rapid.SampledFrom([]string{"", "www.example.org", "192.0.2.80", "2001:db8::80", "localhost"})
	drawTTL  = rapid.Map(rapid.IntRange(0, 1<<31-1), func(n int) time.Duration { return time.Duration(n) * time.Second })
)

// text draws a text that the Corefile can hold: a lone brace is a block's.
func text(t *rapid.T, label string) string {
	return drawText.Filter(func(s string) bool { return s != "{" && s != "}" }).Draw(t, label)
}

func drawStanza(t *rapid.T) *config.Stanza {
	s := &config.Stanza{
		Zones:      []string{"example.org.", "example.net."}[:rapid.IntRange(1, 2).Draw(t, "zones")],
		TTL:        drawTTL.Draw(t, "ttl"),
		OtherTypes: rapid.SampledFrom([]config.OtherTypes{config.OtherTypesNext, config.OtherTypesNoData}).Draw(t, "other types"),
	}
	s.MinTTL = drawMinTTL(t, s.TTL)
	drawClients(t, s)
	s.MaxAttempts = rapid.SampledFrom([]int{0, 1, 1000, 1_000_000}).Draw(t, "max attempts")
	if rapid.Bool().Draw(t, "nameserver") {
		s.Nameservers = []config.Nameserver{
			{Name: "ns1.example.org.", Addresses: []string{"192.0.2.53", "2001:db8::53"}}, {Name: "ns.example.com."}}
	}
	s.Preset = drawPreset.Draw(t, "preset")
	s.State = rapid.SampledFrom([]string{"", "/var/lib/healthroute/state"}).Draw(t, "state")
	s.Status = drawStatus(t)
	for i := range rapid.IntRange(0, 3).Draw(t, "probes") {
		s.Probes = append(s.Probes, drawProbe(t, fmt.Sprintf("p%d", i)))
	}
	for _, p := range s.Probes {
		if p.Target != "" && p.IsAttempted() && rapid.Bool().Draw(t, "canary") {
			s.Canary = append(s.Canary, p.Name)
		}
	}
	drawPools(t, s)
	for i := range rapid.IntRange(0, 2).Draw(t, "filters") {
		if f := drawFilter(t, s, i); f != nil {
			s.Filters = append(s.Filters, f)
		}
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "groups") {
		s.Groups = append(s.Groups, drawGroup(t, s, fmt.Sprintf("g%d", i)))
	}
	for i := range rapid.IntRange(0, 1).Draw(t, "calculated probes") {
		drawCalculated(t, s, fmt.Sprintf("calculated%d", i))
	}
	return s
}

// drawStatus draws what everybody may have: nothing but a login that is needed.
func drawStatus(t *rapid.T) *config.Status {
	s := &config.Status{Address: rapid.SampledFrom([]string{"", "127.0.0.1:8053", "[::1]:0", "unix:/run/a b.sock", ":8053", "192.0.2.1:443"}).Draw(t, "status")}
	if s.Address == "" {
		return nil
	}
	address, err := config.ParseStatusAddress(s.Address)
	if err != nil {
		t.Fatalf("Expected an address, got %v", err)
	}
	if rapid.Bool().Draw(t, "tls") {
		s.TLS = config.StatusTLS{Cert: "cert.pem", Key: "key.pem", CA: rapid.SampledFrom([]string{"", "ca.pem"}).Draw(t, "ca")}
	}
	s.Insecure = s.TLS.Cert == "" && !address.IsLocal()
	if !address.IsLocal() && s.TLS.CA == "" || rapid.Bool().Draw(t, "token") {
		s.Token = "token"
	}
	s.Reads = s.HasLogin() && rapid.Bool().Draw(t, "reads")
	return s
}

var drawPreset = rapid.SampledFrom([]config.Preset{"", config.PresetRoute53, config.PresetNLB, config.PresetTrafficManager})

// drawCalculated adds a calculated probe, if there is something to calculate it from.
func drawCalculated(t *rapid.T, s *config.Stanza, name string) {
	p := config.DefaultProbe(name, config.ProbeCalculated, s.Preset)
	for _, child := range s.Probes {
		if child.IsOne() {
			p.Children.Probes = append(p.Children.Probes, child.Name)
		}
	}
	for _, g := range s.Groups {
		if r := g.Records[0]; r.Alias == nil && r.Values[0].IsAddress() { // others may have ids that stand in no list
			p.Children.Records = append(p.Children.Records, config.RecordRef{Group: g.Names[:1], Record: r.ID})
		}
	}
	p.Children.Healthy = rapid.IntRange(0, 100).Draw(t, "healthy")
	p.Children.Percent = rapid.Bool().Draw(t, "percent")
	p.Invert = rapid.Bool().Draw(t, "invert")
	if p.Children.Count() > 0 {
		s.Probes = append(s.Probes, p)
	}
}

func drawProbe(t *rapid.T, name string) *config.Probe {
	p := config.DefaultProbe(name, drawType.Draw(t, "type"), drawPreset.Draw(t, "preset"))
	p.Invert = rapid.Bool().Draw(t, "invert")
	drawKind(t, p)
	p.Assume = rapid.SampledFrom([]config.Assume{"", config.AssumeHealthy, config.AssumeUnhealthy}).Draw(t, "assume")
	p.Quorum = rapid.SampledFrom([]config.Quorum{p.Quorum, {}, {Percent: 18, More: true}, {Percent: 100}}).Draw(t, "quorum")
	if !p.Type.MakesAttempts() {
		p.Quorum = config.Quorum{}
		return p
	}
	if p.Preset != "" { // its own rules leave little room
		if p.Port == 0 && p.Type.NeedsPort() {
			p.Port = 80
		}
		p.Fall = rapid.IntRange(2, 10).Draw(t, "fall")
		if p.Preset == config.PresetRoute53 {
			p.Rise = p.Fall
		}
		p.Interval = 10 * time.Second
		p.FitTimeout()
		if p.FromEnd && p.Type.IsHTTP() {
			p.FromEnd = rapid.Bool().Draw(t, "from end")
		}
		return p
	}
	if p.Type != config.ProbePrometheus {
		p.Target = drawHost.Draw(t, "target")
	}
	drawNetwork(t, p)
	if p.Type != config.ProbePrometheus && p.Type != config.ProbePing {
		p.Port = rapid.Uint16Range(1, 65535).Draw(t, "port")
	}
	p.Interval = time.Duration(rapid.Int64Range(int64(time.Second), int64(time.Hour)).Draw(t, "interval"))
	p.FromEnd = rapid.Bool().Draw(t, "from end")
	if rapid.Bool().Draw(t, "default timeout") {
		p.FitTimeout()
	} else {
		p.Timeout = min(p.Interval-1, 120*time.Second)
	}
	if p.Type.IsHTTP() && rapid.Bool().Draw(t, "two timeouts") {
		p.ConnectTimeout = p.Timeout / 3
		p.ResponseTimeout = p.Timeout - p.ConnectTimeout
	}
	p.Fall = rapid.IntRange(1, 10).Draw(t, "fall")
	p.Rise = rapid.IntRange(1, 10).Draw(t, "rise")
	p.Initial = rapid.SampledFrom([]config.Initial{config.InitialFirst, config.InitialIncluded, config.InitialExcluded}).Draw(t, "initial")
	if p.Type.IsHTTP() {
		drawHTTP(t, p)
	}
	return p
}

func drawHTTP(t *rapid.T, p *config.Probe) {
	p.HTTP.Method = rapid.SampledFrom([]string{"GET", "POST", "X-ANY"}).Draw(t, "method")
	p.HTTP.Path = "/" + rapid.StringMatching(`[a-z#?="/ü]{0,9}`).Draw(t, "path")
	p.HTTP.Host = drawHost.Draw(t, "host")
	p.HTTP.Headers = drawHeaders(t)
	p.HTTP.Redirects = rapid.SampledFrom([]config.Redirects{config.RedirectsJudge, config.RedirectsFollow}).Draw(t, "redirects")
	if rapid.Bool().Draw(t, "user agent") {
		p.HTTP.UserAgent = text(t, "agent")
	}
	if rapid.Bool().Draw(t, "expect") {
		p.HTTP.Expect = []config.CodeRange{{From: 200, To: 200}, {From: 300, To: rapid.IntRange(300, 599).Draw(t, "to")}}
	}
	switch rapid.IntRange(0, 2).Draw(t, "body") {
	case 1:
		p.HTTP.Body = text(t, "text")
	case 2:
		p.HTTP.BodyMatch = `^"a b"#\s`
	}
}

// drawNetwork draws how the probe reaches its target. Only one with a target has a source: records may be of both families.
func drawNetwork(t *rapid.T, p *config.Probe) {
	can := func(word string) bool {
		return slices.ContainsFunc(networkOptions(), func(o option[*config.Probe]) bool { return o.word == word && o.fits(p) })
	}
	if can("resolver") {
		p.Resolver = rapid.SampledFrom([]string{"", "192.0.2.53", "192.0.2.53:5353", "2001:db8::53", "[2001:db8::53]:5353"}).Draw(t, "resolver")
	}
	if can("proxy_protocol") {
		p.ProxyProtocol = rapid.Bool().Draw(t, "proxy_protocol")
	}
	if !can("source") {
		return
	}
	switch p.Target {
	case "":
	case "2001:db8::80":
		p.Source = rapid.SampledFrom([]string{"", "2001:db8::1"}).Draw(t, "source")
	default:
		p.Source = rapid.SampledFrom([]string{"", "192.0.2.1"}).Draw(t, "source")
	}
}

func drawHeaders(t *rapid.T) []config.Header {
	var headers []config.Header
	for i := range rapid.IntRange(0, 8).Draw(t, "headers") {
		headers = append(headers, config.Header{Name: fmt.Sprintf("X-%d", i), Value: text(t, "value")})
	}
	return headers
}

func drawValues(t *rapid.T, i int) []config.Value {
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		first := fmt.Sprintf("%02d", i) + text(t, "txt")
		return []config.Value{{Type: dns.TypeTXT, Data: first}, {Type: dns.TypeTXT, Data: first + strings.Repeat("x", 300)}}
	case 1:
		return []config.Value{{Type: dns.TypeMX, Data: fmt.Sprintf("%d mx1", 10+i)}}
	case 2:
		return []config.Value{{Type: 65280, Data: fmt.Sprintf(`\# 1 %02x`, i)}}
	}
	return []config.Value{{Type: dns.TypeA, Data: fmt.Sprintf("192.0.2.%d", i+1)}, {Type: dns.TypeAAAA, Data: "2001:db8::1"}}
}
