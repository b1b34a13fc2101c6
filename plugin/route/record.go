package route

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// Record is one possible answer in a group. It is immutable but for its admin state and, of an alias of a name, its values; the health of
// its values is its checks'.
type Record struct {
	ID     string
	Index  int // place in the group, as declared; -1 for what a last resort stands for
	Weight int
	Rank   int // failover, priority: the lowest answers
	Site   string
	Config *config.Record // as it was declared

	alias    *alias                            // of a group; nil otherwise
	origins  []string                          // the group's
	values   []value                           // ordered by type
	resolved atomic.Pointer[resolution]        // of an alias of a name, instead of values; nil until it is resolved
	named    *namedValue                       // what makes such values; nil for other records
	admin    atomic.Pointer[health.AdminState] // nil: what the Corefile says
}

// Target returns the name of what an alias stands for, "" for a record with values.
func (r *Record) Target() string {
	switch {
	case r.alias != nil:
		return r.alias.groups[0].Name
	case r.named != nil:
		return r.named.name
	}
	return ""
}

// current returns the values of now.
func (r *Record) current() []value {
	if r.named == nil {
		return r.values
	}
	if known := r.resolved.Load(); known != nil {
		return known.values
	}
	return nil
}

// Admin returns the admin state that is in force for the record, its own or its group's.
func (r *Record) Admin() health.AdminState {
	if state := r.admin.Load(); state != nil {
		return *state
	}
	if r.Config.Admin != "" {
		return r.Config.Admin
	}
	return health.Enabled
}

// value is the data of one resource record of a record, and the check that watches it.
type value struct {
	rrType uint16
	rrs    []dns.RR      // one for each origin of the group, or one for all; owner empty, TTL settled
	check  *health.Check // nil if unmonitored
}

// rr returns the value for a name in the zone, by the origins of its group; if that has no name in the zone, for its first.
func (v value) rr(zone string, origins []string) dns.RR {
	if len(v.rrs) == 1 {
		return v.rrs[0]
	}
	return v.rrs[max(0, slices.Index(origins, zone))]
}

// Checks returns the checks that watch the record's values, each once.
func (r *Record) Checks() []*health.Check {
	if r.alias != nil {
		return r.alias.checks()
	}
	if r.named != nil {
		return r.named.checks()
	}
	return checksOf(r.values)
}

// ChecksBehind returns the checks that the record's health follows: its own and, of an alias that evaluates its target, those of the target's
// records, each once.
func (r *Record) ChecksBehind() []*health.Check {
	out := slices.Clone(r.Checks())
	if r.alias == nil || !r.alias.evaluate {
		return out
	}
	for _, g := range r.alias.groups {
		for _, member := range g.Records {
			for _, c := range member.ChecksBehind() {
				if !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

func checksOf(values []value) []*health.Check {
	var out []*health.Check
	for _, v := range values {
		if v.check != nil && !slices.Contains(out, v.check) {
			out = append(out, v.check)
		}
	}
	return out
}

// of returns the values of the type.
func (r *Record) of(rrType uint16) []value { return ofType(r.current(), rrType) }

// ofType returns the values of the type; values are kept in the order of their types.
func ofType(values []value, rrType uint16) []value {
	from := 0
	for from < len(values) && values[from].rrType < rrType {
		from++
	}
	to := from
	for to < len(values) && values[to].rrType == rrType {
		to++
	}
	return values[from:to:to]
}

// Checker gives the check for a spec, plans what is to be judged again, and remembers latches; a health.Lease is one.
type Checker interface {
	Check(health.Spec) *health.Check
	Want(c *health.Check, wanted bool)
	Now() time.Time
	After(d time.Duration, f func()) (stop func())
	latch
}

// compileRecord makes the record of a group. The prober is nil if the record is not probed.
func compileRecord(g *config.Group, index int, origins []string, p *config.Probe, prober *probe.Prober, zone string, checks Checker) (*Record, error) {
	declared := g.Records[index]
	r := &Record{
		ID: declared.ID, Index: index, Weight: declared.Weight, Rank: rankOf(g, declared), Site: declared.Site,
		Config: declared, origins: origins,
	}
	if declared.Alias != nil {
		return r, r.compileAlias(g, p, prober, zone, checks)
	}
	for _, v := range declared.Values {
		rrs, err := parseValue(v, origins, uint32(declared.TTL.Seconds()))
		if err != nil {
			return nil, fmt.Errorf("%s: record %q: %w", declared.Places.Own, declared.ID, err)
		}
		compiled := value{rrType: v.Type, rrs: rrs}
		if p != nil && p.Type != config.ProbeCalculated { // those come in calculate
			compiled.check = checks.Check(specFor(g, declared, p, prober, zone, rrs[0]))
		}
		r.values = append(r.values, compiled)
	}
	slices.SortStableFunc(r.values, func(a, b value) int { return int(a.rrType) - int(b.rrType) })
	return r, nil
}

// rankOf is a record's place in the order of policies failover and priority.
func rankOf(g *config.Group, r *config.Record) int {
	switch {
	case g.Policy == config.PolicyPriority:
		return r.Priority
	case r.Role == config.RoleSecondary:
		return 1
	}
	return 0
}

// parseValue reads the data for each origin; data that reads the same for all is kept once.
func parseValue(v config.Value, origins []string, ttl uint32) ([]dns.RR, error) {
	rrs := make([]dns.RR, 0, len(origins))
	differs := false
	for _, origin := range origins {
		rr, err := v.RR(origin, origin, ttl)
		if err != nil {
			return nil, err
		}
		rr.Header().Name = ""
		differs = differs || len(rrs) > 0 && rr.String() != rrs[0].String()
		rrs = append(rrs, rr)
	}
	if !differs {
		rrs = rrs[:1]
	}
	return rrs, nil
}

// specFor says what the probe tests for one value of a record: the probe's own target, else the value's address or the host that it leads to; for an alias
// of a name, that name.
// Host and SNI are the probe's, else the target's name, else the group's first name, which is whom clients of its addresses ask for; a wildcard has no
// name (design, Probes). Clients of mail servers, services and name servers ask for those by their own names, and Traffic Manager asks for all endpoints so
// (spec 2.2).
func specFor(g *config.Group, r *config.Record, p *config.Probe, prober *probe.Prober, zone string, rr dns.RR) health.Spec {
	t := probe.Target{Port: p.Port, Headers: r.Headers}
	user := g.Names[0]
	name := strings.TrimSuffix(user, ".")
	if _, wild := config.WildcardParent(user); wild {
		name = ""
	}
	target := p.Target
	if p.Type == config.ProbePrometheus {
		target, t.Port = p.Prometheus.Address()
	}
	switch {
	case p.Type == config.ProbePush:
		user, t.Name = zone, health.PushTarget
	case target != "":
		user, name = zone, ""
		if address, err := netip.ParseAddr(target); err == nil {
			t.Address = address
		} else {
			t.Name = strings.TrimSuffix(target, ".")
		}
	case r.Alias != nil:
		t.Name = strings.TrimSuffix(r.Alias.Name, ".")
	default:
		t.Address = addressOf(rr)
		if !t.Address.IsValid() {
			host, port := config.HostOf(rr, user)
			t.Name = strings.ToLower(strings.TrimSuffix(host, "."))
			if port != 0 && p.Type != config.ProbePing { // which has no port
				t.Port = port
			}
			if !isWeb(rr) || p.Preset == config.PresetTrafficManager {
				name = ""
			}
		}
	}
	name = firstOf(name, t.Name)
	t.Host, t.SNI = firstOf(p.HTTP.Host, name), firstOf(p.TLS.SNI, p.HTTP.Host, name)
	// What a type does not send must not tell its checks apart.
	if !p.Type.IsHTTP() {
		t.Headers = nil
	}
	if !p.Type.IsHTTP() && p.Type != config.ProbeGRPC {
		t.Host = ""
	}
	if !p.UsesTLS() {
		t.SNI = ""
	}
	return health.Spec{Probe: p, Prober: prober, Target: t, User: user}
}

// isWeb reports whether clients who follow the record ask the host for the record's own name: an alias and a service binding (RFC 9460 section 2.4.2) do
// not change whom they want.
func isWeb(rr dns.RR) bool {
	switch rr.(type) {
	case *dns.CNAME, *dns.SVCB, *dns.HTTPS:
		return true
	}
	return false
}

// addressOf returns the address in an A or AAAA record; it is not valid for other types.
func addressOf(rr dns.RR) netip.Addr {
	var address netip.Addr
	switch rr := rr.(type) {
	case *dns.A:
		address, _ = netip.AddrFromSlice(rr.A)
	case *dns.AAAA:
		address, _ = netip.AddrFromSlice(rr.AAAA)
	}
	return address.Unmap()
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// ChecksFor returns the checks that watch what the record answers the type with, each once.
func (r *Record) ChecksFor(rrType uint16) []*health.Check {
	if r.alias != nil {
		return r.alias.checks()
	}
	return checksOf(r.answering(rrType))
}
