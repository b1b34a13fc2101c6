package scenario

import (
	"cmp"
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// Summary is what a Corefile amounts to. Field names are stable; lengths of time are seconds in JSON.
type Summary struct {
	Zones    []string       `json:"zones"`
	Groups   []GroupSummary `json:"groups"`
	Pools    []PoolSummary  `json:"pools"`
	Records  int            `json:"records"`
	Probes   int            `json:"probes"`
	Checks   int            `json:"checks"` // each once, whoever uses it
	Attempts AttemptRate    `json:"attempts"`
	Networks []NetworkRate  `json:"networks"` // the same by target network
}

// GroupSummary is one group of a Summary.
type GroupSummary struct {
	Group     string        `json:"group"`
	Policy    config.Policy `json:"policy"`
	Records   int           `json:"records"`
	Checks    int           `json:"checks"`
	Unchecked int           `json:"unchecked"` // records that no attempt watches: their death is never noticed
	// Detection is the longest that a dead target of the group may go unnoticed, and Failover that and the TTL: when the last
	// client that obeys it has moved. Nil if nothing of the group is attempted.
	Detection *Seconds `json:"detection"`
	TTL       Seconds  `json:"ttl"` // the largest of a watched record, or of the group
	Failover  *Seconds `json:"failover"`
}

// AttemptRate is how many attempts checks cause.
type AttemptRate struct {
	PerSecond float64 `json:"per_second"`
	AtMost    bool    `json:"at_most"` // some intervals count from the end of an attempt, so there are fewer
}

// String writes the attempts a second.
func (r AttemptRate) String() string {
	text := strconv.FormatFloat(r.PerSecond, 'g', 3, 64)
	if r.PerSecond >= 100 {
		text = strconv.FormatFloat(r.PerSecond, 'f', 0, 64)
	}
	if r.AtMost {
		text = "at most " + text
	}
	return text
}

// NetworkRate is what one network bears.
type NetworkRate struct {
	Network string `json:"network"` // an IPv4 /24, an IPv6 /64, or the name of a target
	Checks  int    `json:"checks"`
	AttemptRate
}

// Summary sums up the Corefile that the world runs.
func (w *World) Summary() Summary {
	checks := w.Checks()
	s := Summary{
		Zones: []string{}, Groups: []GroupSummary{}, Pools: []PoolSummary{}, Networks: []NetworkRate{},
		Checks: len(checks), Attempts: RateOf(checks),
	}
	for _, n := range w.servers {
		for _, stanza := range n.Stanzas {
			s.Zones = append(s.Zones, stanza.Zones...)
			s.Probes += len(stanza.Probes)
			for _, g := range stanza.Groups {
				s.Records += len(g.Records)
				s.Groups = append(s.Groups, summarizeGroup(n.table, g))
			}
			for _, p := range stanza.Pools {
				s.Pools = append(s.Pools, summarizePool(p))
			}
		}
	}
	for network, checks := range byNetwork(checks) {
		s.Networks = append(s.Networks, NetworkRate{network, len(checks), RateOf(checks)})
	}
	slices.SortFunc(s.Networks, func(a, b NetworkRate) int {
		return cmp.Or(cmp.Compare(b.PerSecond, a.PerSecond), cmp.Compare(a.Network, b.Network))
	})
	return s
}

// Checks returns the checks of the world, each once, in the order of declaration.
func (w *World) Checks() []*health.Check {
	var out []*health.Check
	seen := map[*health.Check]bool{}
	for _, n := range w.servers {
		for _, c := range n.lease.Checks() {
			if !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// summarizeGroup looks at a group as declared, and as compiled for its checks.
func summarizeGroup(t *route.Table, declared *config.Group) GroupSummary {
	s := GroupSummary{
		Group: declared.Names[0], Policy: declared.Policy, Records: len(declared.Records), TTL: Seconds(declared.TTL),
	}
	var ttl time.Duration
	seen := map[*health.Check]bool{}
	for _, r := range compiled(t, declared).Records {
		watched := false
		for _, c := range attempted(r.ChecksBehind()) {
			p := c.Probe()
			worst, never := worstDetection(p, p.Interval/variation)
			watched = watched || !never
			if !never && (s.Detection == nil || Seconds(worst) > *s.Detection) {
				s.Detection = new(Seconds(worst))
			}
			seen[c] = true
		}
		if watched {
			ttl = max(ttl, r.LongestTTL())
		} else {
			s.Unchecked++
		}
	}
	s.Checks = len(seen)
	if s.Detection != nil {
		s.TTL = Seconds(ttl)
		s.Failover = new(*s.Detection + s.TTL)
	}
	return s
}

// attempted returns the checks, but of calculated ones what they count: there somebody notices.
func attempted(checks []*health.Check) []*health.Check {
	var out []*health.Check
	for _, c := range checks {
		p := c.Probe()
		if p.Type != config.ProbeCalculated {
			out = append(out, c)
			continue
		}
		for _, child := range c.Children() {
			if p.Assume == "" {
				out = append(out, child...)
			}
		}
	}
	return out
}

// compiled finds the group of the table that came of the declaration.
func compiled(t *route.Table, declared *config.Group) *route.Group {
	for _, g := range t.Groups() {
		if g.Config == declared {
			return g
		}
	}
	panic(fmt.Sprintf("group %s was not compiled", declared.Names[0]))
}

// RateOf sums up what the checks cause: one attempt an interval each.
func RateOf(checks []*health.Check) AttemptRate {
	sum, r := new(big.Rat), AttemptRate{}
	for _, c := range checks {
		p := c.Probe()
		if !p.IsAttempted() {
			continue
		}
		sum.Add(sum, big.NewRat(int64(time.Second), int64(p.Interval)))
		r.AtMost = r.AtMost || p.FromEnd
	}
	r.PerSecond, _ = sum.Float64()
	return r
}

func byNetwork(checks []*health.Check) map[string][]*health.Check {
	out := map[string][]*health.Check{}
	for _, c := range checks {
		if !c.Probe().Type.MakesAttempts() {
			continue
		}
		t := c.Target()
		network := strings.ToLower(t.Name)
		if network == "" {
			bits := 24
			if t.Address.Is6() {
				bits = 64
			}
			network = netip.PrefixFrom(t.Address, bits).Masked().String()
		}
		out[network] = append(out[network], c)
	}
	return out
}
