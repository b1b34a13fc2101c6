package corefile

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// pool writes a pool; what it does not say is the default of its preset.
func (w *printer) pool(s *config.Stanza, p *config.Pool) {
	d := config.DefaultPool(p.Name)
	d.TTL, d.MinTTL = s.PoolTTL(p.Preset)
	w.open("pool", p.Name)
	w.preset(p.Preset, s.Preset)
	w.differs("probe", p.Probe, "")
	w.differs("ttl", ttlWord(p.TTL, p.MinTTL), ttlWord(d.TTL, d.MinTTL))
	for _, t := range p.Targets {
		w.target(p, t)
	}
	for _, source := range p.Sources {
		w.discover(source)
	}
	w.threshold("dns_failover", p.DNSFailover, d.DNSFailover)
	w.threshold("fail_open", p.FailOpen, d.FailOpen)
	w.differs("cross_site", string(p.CrossSite), "")
	w.differs("drain", config.FormatDuration(p.Drain), config.FormatDuration(d.Drain))
	w.differs("unhealthy_drain", config.FormatDuration(p.UnhealthyDrain), config.FormatDuration(d.UnhealthyDrain))
	w.differs("limit", fmt.Sprint(p.Limit), fmt.Sprint(d.Limit))
	w.differs("rate", fmt.Sprint(p.Rate), fmt.Sprint(d.Rate))
	w.flag("disabled", p.Disabled)
	w.close()
}

// target writes a target on one line, and a block only for headers.
func (w *printer) target(p *config.Pool, t *config.Target) {
	words := []string{"target", addressesWord(t.Addresses)}
	if t.Port != 0 {
		words = append(words, "port", fmt.Sprint(t.Port))
	}
	if t.Site != "" {
		words = append(words, "site", t.Site)
	}
	if t.Weight != config.DefaultWeight || w.whole {
		words = append(words, "weight", fmt.Sprint(t.Weight))
	}
	if !w.whole && (len(t.Addresses) == 0 || t.ID != config.DefaultTargetID(t.Addresses[0], t.Port)) {
		words = append(words, "id", t.ID)
	}
	switch {
	case t.Probe == p.Probe:
	case t.Probe == "":
		words = append(words, "probe", noProbe)
	default:
		words = append(words, "probe", t.Probe)
	}
	if t.Admin != "" && t.Admin != config.Enabled {
		words = append(words, string(t.Admin))
	}
	if w.whole {
		words = slices.Insert(words, 1, "id", t.ID)
	}
	if len(t.Headers) == 0 {
		w.line(words...)
		return
	}
	w.open(words...)
	for _, h := range t.Headers {
		w.line("header", h.Name, h.Value)
	}
	w.close()
}

// discover writes a source of targets.
func (w *printer) discover(d config.Discovery) {
	words := []string{"discover", string(d.Kind)}
	if d.Kind == config.DiscoverFile {
		words = append(words, d.Files)
	} else {
		words = append(words, nameWord(d.Name), config.TypeWord(d.Type))
	}
	if d.Port != 0 {
		words = append(words, "port", fmt.Sprint(d.Port))
	}
	if d.Site != "" {
		words = append(words, "site", d.Site)
	}
	w.line(words...)
}

// balancer writes a balancer.
func (w *printer) balancer(s *config.Stanza, b *config.Balancer) {
	ttl, low := s.PoolTTL(b.Preset)
	w.open("balancer", b.Name)
	w.preset(b.Preset, s.Preset)
	w.differs("pools", strings.Join(b.Pools, ","), "")
	for _, site := range b.Sites {
		words := []string{"site", site.Name}
		if len(site.Addresses) > 0 {
			words = append(words, "address", addressesWord(site.Addresses))
		}
		if site.Probe != "" {
			words = append(words, "probe", site.Probe)
		}
		w.line(words...)
	}
	w.differs("cross_site", string(b.CrossSite), "")
	w.differs("affinity", string(b.Affinity), string(config.AffinityAny))
	w.differs("ttl", ttlWord(b.TTL, b.MinTTL), ttlWord(ttl, low))
	w.close()
}

// addressesWord writes addresses as one word.
func addressesWord(addresses []netip.Addr) string {
	texts := make([]string, len(addresses))
	for i, a := range addresses {
		texts[i] = a.String()
	}
	return strings.Join(texts, ",")
}
