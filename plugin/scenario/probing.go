package scenario

import (
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/probe"
	"github.com/healthroute/healthroute/plugin/route"
)

// Probing is one probe of a Corefile, ready to make real attempts.
type Probing struct {
	Probe  *config.Probe
	Prober *probe.Prober
	Zone   string // the first of its stanza

	world  *World
	stanza *config.Stanza
}

// Probing finds a probe by its name, in the stanza of the zone if one is named.
func (w *World) Probing(name, zone string) (*Probing, error) {
	var found []*Probing
	var names, zones []string
	for _, n := range w.servers {
		for _, s := range n.Stanzas {
			zones = append(zones, s.Zones...)
			if zone != "" && !slices.ContainsFunc(s.Zones, func(z string) bool { return sameName(z, zone) }) {
				continue
			}
			for _, p := range s.Probes {
				names = append(names, p.Name)
				if strings.EqualFold(p.Name, name) {
					found = append(found, &Probing{Probe: p, Prober: n.Probers[p], Zone: s.Zones[0], world: w, stanza: s})
				}
			}
		}
	}
	switch {
	case zone != "" && !slices.ContainsFunc(zones, func(z string) bool { return sameName(z, zone) }):
		return nil, fmt.Errorf("the Corefile has no zone %q%s", zone, nearestOf(zone, zones))
	case len(found) == 0:
		return nil, fmt.Errorf("the Corefile has no probe %q%s", name, nearestOf(name, names))
	case len(found) > 1:
		var where []string
		for _, f := range found {
			where = append(where, f.Zone)
		}
		return nil, fmt.Errorf("probe %q is there in the stanzas of %s: say which with -zone", name, strings.Join(where, ", "))
	case found[0].Probe.Type == config.ProbeCalculated, found[0].Probe.Type == config.ProbePush:
		return nil, fmt.Errorf("probe %q is %s: it makes no attempts", name, found[0].Probe.Type)
	}
	return found[0], nil
}

func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, "."), strings.TrimSuffix(b, "."))
}

func nearestOf(word string, words []string) string {
	if nearest := config.Nearest(word, words); nearest != "" {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
}

// Targets returns what the word means: ADDRESS[:PORT], NAME[:PORT], GROUP/RECORD or POOL/TARGET. Without a word it is the probe's own
// target, or else that of every record and every target of a pool that uses the probe, each once.
func (p *Probing) Targets(word string) ([]probe.Target, error) {
	if word == "" {
		if targets := p.own(); len(targets) > 0 {
			return targets, nil
		}
		return nil, fmt.Errorf("probe %q has no target, and no record or pool uses it: say what to test", p.Probe.Name)
	}
	if g, r := p.record(word); r != nil {
		if targets := p.of(g, r); len(targets) > 0 {
			return targets, nil
		}
		return nil, fmt.Errorf("record %q has no address to test", word)
	}
	if pool, t := p.poolTarget(word); t != nil {
		return p.ofTarget(pool, t), nil
	}
	if strings.Contains(word, "/") {
		return nil, p.world.unknown(word)
	}
	host, port, err := hostAndPort(word)
	if err != nil {
		return nil, err
	}
	return p.at(host, port)
}

// own is what the probe tests by itself.
func (p *Probing) own() (targets []probe.Target) {
	if p.Probe.Target != "" {
		return p.of(nowhere, &config.Record{})
	}
	add := func(more []probe.Target) {
		for _, t := range more {
			if !slices.ContainsFunc(targets, func(other probe.Target) bool { return reflect.DeepEqual(t, other) }) {
				targets = append(targets, t)
			}
		}
	}
	for _, g := range p.stanza.Groups {
		for _, r := range g.Records {
			if strings.EqualFold(r.Probe, p.Probe.Name) {
				add(p.of(g, r))
			}
		}
	}
	for _, pool := range p.stanza.Pools {
		for _, t := range pool.Targets {
			if strings.EqualFold(t.Probe, p.Probe.Name) {
				add(p.ofTarget(pool, t))
			}
		}
	}
	return targets
}

// poolTarget returns the target of the stanza that POOL/TARGET names, of those that the Corefile declares, and its pool.
func (p *Probing) poolTarget(word string) (*config.Pool, *config.Target) {
	_, found := p.world.poolTarget(word)
	if found == nil {
		return nil, nil
	}
	name, _, _ := strings.Cut(word, "/")
	for _, pool := range p.stanza.Pools {
		for _, t := range pool.Targets {
			if strings.EqualFold(pool.Name, name) && t.ID == found.ID {
				return pool, t
			}
		}
	}
	return nil, nil
}

// ofTarget is what the probe tests for a target of a pool, whatever probe that has.
func (p *Probing) ofTarget(pool *config.Pool, t *config.Target) (targets []probe.Target) {
	for _, address := range t.Addresses {
		targets = append(targets, route.PoolTargetOf(pool, t, p.Probe, address))
	}
	return targets
}

// nowhere is a group that gives its targets no name.
var nowhere = &config.Group{Names: []string{"*."}}

// of is what the probe tests for a record, whatever probe that has.
func (p *Probing) of(g *config.Group, r *config.Record) (targets []probe.Target) {
	if p.Probe.Target != "" || r.Alias != nil && r.Alias.Name != "" {
		return []probe.Target{route.TargetOf(g, r, p.Probe, netip.Addr{})}
	}
	for _, v := range r.Values {
		if address, err := netip.ParseAddr(v.Data); err == nil && v.IsAddress() {
			targets = append(targets, route.TargetOf(g, r, p.Probe, address))
		}
	}
	return targets
}

// record returns the record of the stanza that GROUP/RECORD names, and its group.
func (p *Probing) record(word string) (*config.Group, *config.Record) {
	_, found := p.world.record(word)
	if found == nil {
		return nil, nil
	}
	for _, g := range p.stanza.Groups {
		if slices.Contains(g.Records, found.Config) {
			return g, found.Config
		}
	}
	return nil, nil
}

// at is a target at a host that the Corefile may not have yet. If all that it has go by one name, so does this one.
func (p *Probing) at(host string, port uint16) ([]probe.Target, error) {
	known := p.own()
	for _, t := range known {
		there := t.Address.IsValid() && t.Address.String() == host || sameName(t.Name, host)
		if there && (port == 0 || port == t.Port) {
			return []probe.Target{t}, nil
		}
	}
	here := *p.Probe
	here.Target = host
	if port != 0 {
		here.Port = port
	}
	t := route.TargetOf(nowhere, &config.Record{}, &here, netip.Addr{})
	if t.Address.IsValid() && len(known) > 0 && !slices.ContainsFunc(known, func(other probe.Target) bool {
		return other.Host != known[0].Host || other.SNI != known[0].SNI || !reflect.DeepEqual(other.Headers, known[0].Headers)
	}) {
		t.Host, t.SNI, t.Headers = known[0].Host, known[0].SNI, known[0].Headers
	}
	return []probe.Target{t}, nil
}

// hostAndPort reads ADDRESS[:PORT] or NAME[:PORT]; the port is 0 if there is none.
func hostAndPort(word string) (string, uint16, error) {
	if address, err := netip.ParseAddr(word); err == nil {
		return address.Unmap().String(), 0, nil
	}
	host, text, err := net.SplitHostPort(word)
	if err != nil {
		return strings.ToLower(strings.TrimSuffix(word, ".")), 0, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return "", 0, fmt.Errorf("%q is no port: expected a number from 1 to 65535", text)
	}
	if address, err := netip.ParseAddr(host); err == nil {
		host = address.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(host, ".")), uint16(port), nil
}
