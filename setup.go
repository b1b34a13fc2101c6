// Package healthroute is a CoreDNS plugin that answers only with what works: it declares groups of records with a
// routing policy, probes their targets and chooses among the usable ones for every query.
//
// This package ties the parts below plugin/ to CoreDNS: setup.go reads the stanza, instance.go lives through start, reload and
// stop, handler.go answers, metrics.go and observer.go show what happens.
package healthroute

import (
	"fmt"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
	clog "github.com/coredns/coredns/plugin/pkg/log"

	"github.com/healthroute/healthroute/plugin/corefile"
	"github.com/healthroute/healthroute/plugin/locate"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// pluginName is the directive, and the name by which other plugins find us.
const pluginName = corefile.Directive

var log = clog.NewWithPlugin(pluginName)

func init() { plugin.Register(pluginName, setup) }

// setup reads the stanzas of one server block. It only reads: whatever runs begins in instance.start.
func setup(c *caddy.Controller) error {
	b, err := parse(c)
	if err != nil {
		return plugin.Error(pluginName, err)
	}
	config := dnsserver.GetConfig(c)
	b.hasView = func() bool { return len(config.FilterFuncs) > 0 }
	i := instanceOf(c)
	if errs := i.conflicts(b); errs != nil {
		return plugin.Error(pluginName, errs)
	}
	i.add(b, c.ServerBlockKeys)
	config.AddPlugin(func(next plugin.Handler) plugin.Handler {
		b.next = next
		return &Handler{Next: next, block: b}
	})
	b.meetNeighbours = func() {
		b.warnOfNeighbours(config)
		b.signing = newSigning(config.Handler("dnssec"), b.zones(), c.Key)
		if config.Handler("geoip") != nil {
			b.geoip, _ = config.Handler("metadata").(metadataCollector)
		}
	}
	return nil
}

// parse turns the directive's tokens into a block that can be started. Files that probes name are read here, so that
// a missing one refuses the Corefile.
func parse(c *caddy.Controller) (*block, error) {
	env := corefile.Env{
		ServerZones:   plugin.OriginsFromArgsOrServerBlock(nil, c.ServerBlockKeys),
		Root:          dnsserver.GetConfig(c).Root,
		NormalizeZone: normalizeZone,
	}
	stanzas, problems := corefile.Parse(&c.Dispenser, env)
	if errs := problems.Errors(); len(errs) > 0 {
		return nil, errs
	}
	for _, w := range problems.Warnings() {
		log.Warning(w.Error())
	}
	b := newBlock(stanzas)
	for _, s := range stanzas {
		if s.Status != nil {
			if err := status.CheckFiles(s.Status); err != nil {
				return nil, fmt.Errorf("%s: status: %w", s.Status.Places.Own, err)
			}
		}
		probers, err := route.Probers(s)
		if err != nil {
			return nil, err
		}
		for p, prober := range probers {
			b.probers[p] = prober
		}
		if len(s.GeoIP) > 0 || s.Locations != "" {
			if b.places[s], err = locate.Open(s.GeoIP, s.Locations); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// normalizeZone reads one zone argument as CoreDNS does; a prefix becomes reverse zones.
func normalizeZone(arg string) ([]string, error) {
	if zones := plugin.Host(arg).NormalizeExact(); len(zones) > 0 {
		return zones, nil
	}
	return nil, fmt.Errorf("%q is no zone", arg)
}

// warnOfNeighbours tells of an order of plugins that costs answers.
func (b *block) warnOfNeighbours(config *dnsserver.Config) {
	if belowCache() && config.Handler("cache") != nil {
		log.Warning("this build has cache above healthroute: answers for our zones bypass the cache; " +
			"put the line healthroute directly above cache in plugin.cfg")
	}
}

// belowCache reports whether this build calls cache before us, so that it would keep one client's answer for all.
func belowCache() bool {
	for _, directive := range dnsserver.Directives {
		switch directive {
		case pluginName:
			return false
		case "cache":
			return true
		}
	}
	return false
}
