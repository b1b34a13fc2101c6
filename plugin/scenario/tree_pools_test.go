package scenario

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// poolProbe is the probe of a pool's targets. Each pool has one of its own, so that a target of several has one state in each.
func poolProbe(pool string) string { return "of-" + pool }

// ofPools reports whether the group has an alias of a pool or a balancer.
func ofPools(g *config.Group) bool {
	return slices.ContainsFunc(g.Records, func(r *config.Record) bool { return r.Alias != nil && r.Alias.Pool+r.Alias.Balancer != "" })
}

// writePools writes pools and balancers with their probes.
func (t *tree) writePools(b *strings.Builder) {
	for _, p := range t.pools {
		fmt.Fprintf(b, "probe %s http {\npath /%s\n}\npool %s {\npreset none\n", poolProbe(p.Name), p.Name, p.Name)
		fmt.Fprintf(b, "dns_failover %s\nfail_open %s\n", thresholdWords(p.DNSFailover), thresholdWords(p.FailOpen))
		fmt.Fprintf(b, "drain %s\n", p.Drain)
		if p.CrossSite != "" {
			fmt.Fprintf(b, "cross_site %s\n", p.CrossSite)
		}
		if p.Disabled {
			b.WriteString("disabled\n")
		}
		for _, target := range p.Targets {
			fmt.Fprintln(b, targetWords(target))
		}
		b.WriteString("}\n")
	}
	for _, x := range t.balancers {
		t.writeBalancer(b, x)
	}
}

func targetWords(t *config.Target) string {
	words := []string{"target", addressList(t.Addresses), "id", t.ID, "weight", fmt.Sprint(t.Weight), "probe", cmp.Or(t.Probe, "none")}
	if t.Port != 0 {
		words = append(words, "port", fmt.Sprint(t.Port))
	}
	if t.Site != "" {
		words = append(words, "site", t.Site)
	}
	return strings.Join(append(words, string(t.Admin)), " ")
}

func addressList(addresses []netip.Addr) string {
	var out []string
	for _, a := range addresses {
		out = append(out, a.String())
	}
	return strings.Join(out, ",")
}

func thresholdWords(t config.Threshold) string {
	number := func(n int) string {
		if n == 0 {
			return "off"
		}
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("count %s percent %s", number(t.Count), number(t.Percent))
}

func (t *tree) writeBalancer(b *strings.Builder, x *config.Balancer) {
	for _, s := range x.Sites {
		if s.Probe == "" {
			continue
		}
		fmt.Fprintf(b, "probe %s http {\npath /%s\n", s.Probe, s.Probe)
		if target := t.ownTargets[s.Probe]; target.IsValid() {
			fmt.Fprintf(b, "target %s\n", target)
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(b, "balancer %s {\npreset none\npools %s\naffinity %s\n", x.Name, strings.Join(x.Pools, ","), cmp.Or(x.Affinity, config.AffinityAny))
	if x.CrossSite != "" {
		fmt.Fprintf(b, "cross_site %s\n", x.CrossSite)
	}
	for _, s := range x.Sites {
		fmt.Fprintf(b, "site %s", s.Name)
		if len(s.Addresses) > 0 {
			fmt.Fprintf(b, " address %s", addressList(s.Addresses))
		}
		if s.Probe != "" {
			fmt.Fprintf(b, " probe %s", s.Probe)
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
}
