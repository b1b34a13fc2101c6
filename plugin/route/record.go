package route

import (
	"fmt"
	"slices"
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

	alias    *alias                            // of a group, a pool or a balancer; nil otherwise
	member   *member                           // of a pool's target; nil otherwise
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
		for _, c := range g.balancedChecks() {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
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

// LongestTTL is the longest that an answer with the record may be kept; of an alias, one with what stands behind it.
func (r *Record) LongestTTL() time.Duration {
	if r.alias == nil {
		return r.Config.TTL
	}
	longest := time.Duration(0)
	for _, g := range r.alias.groups {
		if g.balancer != nil {
			longest = max(longest, g.balancer.longestTTL())
		}
		for _, member := range g.Records {
			longest = max(longest, member.LongestTTL())
		}
	}
	return longest
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
	Start()               // of checks that were asked for since
	Drop(c *health.Check) // of one that nothing needs any more
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
	return r, r.compileValues(userOf(g), p, prober, zone, checks)
}

// compileValues gives the record the values that are declared for it, each with its check; the prober is nil if they are not probed.
func (r *Record) compileValues(of user, p *config.Probe, prober *probe.Prober, zone string, checks Checker) error {
	for _, v := range r.Config.Values {
		rrs, err := parseValue(v, r.origins, uint32(r.Config.TTL.Seconds()))
		if err != nil {
			return fmt.Errorf("%s: record %q: %w", r.Config.Places.Own, r.ID, err)
		}
		compiled := value{rrType: v.Type, rrs: rrs}
		if p != nil && p.Type != config.ProbeCalculated { // those come in calculate
			compiled.check = checks.Check(specFor(of, r.Config, p, prober, zone, rrs[0]))
		}
		r.values = append(r.values, compiled)
	}
	slices.SortStableFunc(r.values, func(a, b value) int { return int(a.rrType) - int(b.rrType) })
	return nil
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

// ChecksFor returns the checks that watch what the record answers the type with, each once.
func (r *Record) ChecksFor(rrType uint16) []*health.Check {
	if r.alias != nil {
		return r.alias.checks()
	}
	return checksOf(r.answering(rrType))
}
