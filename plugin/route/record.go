package route

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// Record is one possible answer in a group. It is immutable but for its admin state; the health of its values is its checks'.
type Record struct {
	ID     string
	Index  int // place in the group, as declared
	Weight int
	Rank   int // failover: 0 is the primary
	Site   string

	values []value                           // ordered by type
	admin  atomic.Pointer[health.AdminState] // nil: enabled
}

// Admin returns the admin state that is in force for the record, its own or its group's.
func (r *Record) Admin() health.AdminState {
	if state := r.admin.Load(); state != nil {
		return *state
	}
	return health.Enabled
}

// value is the data of one resource record of a record, and the check that watches it.
type value struct {
	rrType uint16
	rrs    []dns.RR      // one for each origin of the group, or one for all; owner empty, TTL settled
	check  *health.Check // nil if unmonitored
}

func (v value) usable() bool { return v.check == nil || v.check.Usable() }

// rr returns the value for a name of the group's origin with that index.
func (v value) rr(origin int) dns.RR {
	if len(v.rrs) == 1 {
		return v.rrs[0]
	}
	return v.rrs[origin]
}

// Checks returns the checks that watch the record's values, each once.
func (r *Record) Checks() []*health.Check { return checksOf(r.values) }

func checksOf(values []value) []*health.Check {
	var out []*health.Check
	for _, v := range values {
		if v.check != nil && !slices.Contains(out, v.check) {
			out = append(out, v.check)
		}
	}
	return out
}

// of returns the values of the type; values are kept in the order of their types.
func (r *Record) of(rrType uint16) []value {
	from := 0
	for from < len(r.values) && r.values[from].rrType < rrType {
		from++
	}
	to := from
	for to < len(r.values) && r.values[to].rrType == rrType {
		to++
	}
	return r.values[from:to:to]
}

// usableAmong returns the usable values; the very slice, if all are.
func usableAmong(values []value) []value {
	for i, v := range values {
		if v.usable() {
			continue
		}
		out := append([]value(nil), values[:i]...)
		for _, v := range values[i+1:] {
			if v.usable() {
				out = append(out, v)
			}
		}
		return out
	}
	return values
}

// usableForEveryFamily is the rule of `families together` (spec 4.12).
func (r *Record) usableForEveryFamily() bool {
	for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
		if values := r.of(family); len(values) > 0 && len(usableAmong(values)) == 0 {
			return false
		}
	}
	return true
}

// Checker gives the check for a spec; a health.Lease is one.
type Checker interface {
	Check(health.Spec) *health.Check
	Want(c *health.Check, wanted bool)
}

// compileRecord makes the record of a group. The prober is nil if the record is not probed.
func compileRecord(g *config.Group, index int, origins []string, p *config.Probe, prober *probe.Prober, zone string, checks Checker) (*Record, error) {
	declared := g.Records[index]
	r := &Record{ID: declared.ID, Index: index, Weight: declared.Weight, Site: declared.Site}
	if declared.Role == config.RoleSecondary {
		r.Rank = 1
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

// specFor says what the probe tests for one value of a record: the probe's own target, else the value's address.
// Host and SNI are the probe's, else the target's name, else the group's first name; a wildcard has no name
// (design, Probes).
func specFor(g *config.Group, r *config.Record, p *config.Probe, prober *probe.Prober, zone string, rr dns.RR) health.Spec {
	t := probe.Target{Port: p.Port, Headers: r.Headers}
	user := g.Names[0]
	name := strings.TrimSuffix(user, ".")
	if _, wild := config.WildcardParent(user); wild {
		name = ""
	}
	if p.Target != "" {
		user, name = zone, ""
		if address, err := netip.ParseAddr(p.Target); err == nil {
			t.Address = address
		} else {
			t.Name = strings.TrimSuffix(p.Target, ".")
			name = t.Name
		}
	} else {
		t.Address = addressOf(rr)
	}
	t.Host, t.SNI = firstOf(p.HTTP.Host, name), firstOf(p.TLS.SNI, p.HTTP.Host, name)
	switch p.Type { // what a type does not send must not tell its checks apart
	case config.ProbeHTTP:
		t.SNI = ""
	case config.ProbeTCP:
		t.Host, t.SNI, t.Headers = "", "", nil
	}
	return health.Spec{Probe: p, Prober: prober, Target: t, User: user}
}

// addressOf returns the address in an A or AAAA record; validation lets no other get here.
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

// ChecksFor returns the checks that watch the record's values of the type (or its CNAME, which answers every type), each once.
func (r *Record) ChecksFor(rrType uint16) []*health.Check {
	values := r.of(rrType)
	if len(values) == 0 {
		values = r.of(dns.TypeCNAME)
	}
	return checksOf(values)
}

// Health is the health of the record for the type (spec 4.12: one usable address is enough).
func (r *Record) Health(rrType uint16) health.Status { return health.Best(r.ChecksFor(rrType)) }
