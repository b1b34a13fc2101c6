package answer

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/route"
)

// SiteReason is how a site of a pool or a balancer stands, and why.
type SiteReason struct {
	Site    string       `json:"site"` // "" for targets without one
	Answers bool         `json:"answers"`
	Shifted bool         `json:"shifted,omitempty"` // an operator shifts clients away from it
	Why     string       `json:"why"`
	Pools   []PoolReason `json:"pools"`
}

// PoolReason is how a pool stands in the scope of its thresholds: a site, or with cross-site on all sites together.
type PoolReason struct {
	Pool        string    `json:"pool"`
	Usable      int       `json:"usable"`
	Registered  int       `json:"registered"`
	DNSFailover Threshold `json:"dns_failover"` // breached: the site leaves the answer
	FailOpen    Threshold `json:"fail_open"`    // breached: all the site's targets are used, healthy or not
	// NotUsable are the registered targets that are not, where sites' addresses are answered; where targets are, all are among the records.
	NotUsable []CandidateReason `json:"not_usable,omitempty"`
}

// Threshold is what is wanted, and whether it is missed.
type Threshold struct {
	Wanted   string `json:"wanted"`
	Breached bool   `json:"breached"`
}

// explainSites reads the sites off a set; none but a balancer's has any.
func explainSites(l Link) []SiteReason {
	b := l.Set.Balance
	if b == nil {
		return nil
	}
	var out []SiteReason
	for _, s := range b.Sites {
		r := SiteReason{Site: s.Site, Answers: s.Answers, Shifted: s.Shifted, Why: s.Why, Pools: []PoolReason{}}
		for _, p := range s.Pools {
			of := PoolReason{
				Pool: p.Pool.Name, Usable: p.Usable, Registered: p.Registered,
				DNSFailover: Threshold{p.Pool.Config.DNSFailover.String(), p.DNSFailover},
				FailOpen:    Threshold{p.Pool.Config.FailOpen.String(), p.FailOpen},
			}
			for _, c := range p.Targets() {
				if c.Standing == route.Unusable && len(l.Group.Fronts()) > 0 {
					of.NotUsable = append(of.NotUsable, explainCandidate(l, c, nil))
				}
			}
			r.Pools = append(r.Pools, of)
		}
		out = append(out, r)
	}
	return out
}

// text writes a site in one line.
func (s SiteReason) text(b *strings.Builder, margin string) {
	name, word := "site "+s.Site, "out"
	if s.Site == "" {
		name = "targets without a site"
	}
	if s.Answers {
		word = "in"
	}
	fmt.Fprintf(b, "%s  %s: %s, %s", margin, name, word, s.Why)
	for _, p := range s.Pools {
		fmt.Fprintf(b, "; pool %s: %d of %d usable", p.Pool, p.Usable, p.Registered)
		if p.FailOpen.Breached && p.Registered > 0 {
			fmt.Fprintf(b, ", below fail_open %s: all are used", p.FailOpen.Wanted)
		}
	}
	b.WriteString("\n")
	for _, p := range s.Pools {
		for i, c := range p.NotUsable {
			if i == mostNotUsable {
				fmt.Fprintf(b, "%s    and %d more\n", margin, len(p.NotUsable)-i)
				break
			}
			fmt.Fprintf(b, "%s    %s: %s\n", margin, c.Record, c.Why)
		}
	}
}

// mostNotUsable is how many targets of a site the text names.
const mostNotUsable = 10
