package config

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/miekg/dns"
)

// targets checks the targets that a pool names.
func (v *validator) targets(p *Pool) {
	ids, places := map[string]*Target{}, map[netip.AddrPort]*Target{}
	for _, t := range p.Targets {
		v.target(p, t)
		v.uniqueTargetID(ids, t)
		v.uniqueTarget(p, places, t)
	}
}

// target checks one target.
func (v *validator) target(p *Pool, t *Target) {
	if len(t.Addresses) == 0 && !t.Places.Faulty {
		v.fault(t.Places.Own, "target without an address", "`target ADDRESS[,ADDRESS]`")
	}
	v.addresses(t.Places.Own, t.Addresses, "a target", "a target for each: health counts targets")
	if t.ID != "" || !t.Places.Faulty {
		v.id(t.Places.Of("id"), t.ID, len(t.Addresses) > 0 && t.ID == DefaultTargetID(t.Addresses[0], t.Port))
	}
	v.siteName(t.Places.Of("site"), t.Site)
	within(v, t.Places.Of("weight"), "weight", t.Weight, 0, 65535)
	if t.Admin != "" {
		v.oneOf(t.Places.Own, "target", string(t.Admin), string(Enabled), string(Disabled), string(Draining), string(Always))
	}
	v.headers(t.Places, t.Headers)
	v.targetProbe(p, t)
}

// addresses checks literal addresses, at most one of each family, which stand together in one object.
func (v *validator) addresses(at Position, addresses []netip.Addr, what, expected string) {
	of := map[uint16]netip.Addr{}
	for _, a := range addresses {
		if _, err := ParseAddress(a.String()); err != nil {
			v.fault(at, err.Error(), "a unicast address")
			continue
		}
		family := familyOf(a)
		if other, taken := of[family]; taken && other == a {
			v.fault(at, fmt.Sprintf("address %s is there twice", a), "each address once")
		} else if taken {
			v.fault(at, fmt.Sprintf("two %s addresses in %s, %s and %s", familyWord(family), what, other, a), expected)
		}
		of[family] = a
	}
}

// siteName checks the name of a site; "" is none.
func (v *validator) siteName(at Position, name string) {
	if name != "" && !isWord(name) {
		v.fault(at, fmt.Sprintf("site %q cannot be used", name), "at most 63 letters, digits, hyphens, underscores and dots")
	}
}

// uniqueTargetID checks that no target before has the id; letter case does not count, as people type ids.
func (v *validator) uniqueTargetID(ids map[string]*Target, t *Target) {
	if t.ID == "" || t.Places.Faulty {
		return
	}
	id := strings.ToLower(t.ID)
	other := ids[id]
	switch {
	case other == nil:
		ids[id] = t
	case t.Places.Has("id") || other.Places.Has("id"): // otherwise they are the same place, which is reported as such
		v.fault(t.Places.Of("id"), fmt.Sprintf("id %q is there twice in the pool", t.ID),
			fmt.Sprintf("another `id` than that of the target on line %d", other.Places.Own.Line))
	}
}

// uniqueTarget checks that no target before is the same address and port.
func (v *validator) uniqueTarget(p *Pool, places map[netip.AddrPort]*Target, t *Target) {
	for _, a := range t.Addresses {
		place := netip.AddrPortFrom(a, v.portOf(t))
		switch other := places[place]; {
		case other == nil:
			places[place] = t
		case other != t:
			v.fault(t.Places.Own, fmt.Sprintf("target %s is in the pool %q already, on line %d", placeWord(place), p.Name, other.Places.Own.Line),
				"each address and port once")
			return
		}
	}
}

// portOf is the port of a target: its own, else its probe's; 0 if neither says one.
func (v *validator) portOf(t *Target) uint16 {
	if t.Port != 0 || t.Probe == "" {
		return t.Port
	}
	if p := v.stanza.Probe(t.Probe); p != nil {
		return p.Port
	}
	return 0
}

func placeWord(place netip.AddrPort) string { return DefaultTargetID(place.Addr(), place.Port()) }

// poolProbe checks the probe that a pool names for its targets and for those that its sources find.
func (v *validator) poolProbe(p *Pool) {
	if p.Probe == "" {
		return
	}
	v.pooled[p.Probe] = true
	at := p.Places.Of("probe")
	probe := v.probeNamed(at, p.Probe, true)
	if probe == nil || !v.testsAddresses(at, probe, "the targets of a pool") {
		return
	}
	v.nameless(at, probe, "a pool")
	taken := len(p.Sources) > 0 || len(p.Targets) == 0
	for _, t := range p.Targets {
		taken = taken || t.Probe == p.Probe
	}
	if !taken && !p.Places.Faulty {
		v.warn(at, fmt.Sprintf("probe %q of the pool is taken by no target: each names its own", p.Probe))
	}
	for _, d := range p.Sources {
		if probe.lacksPort() && d.Port == 0 && d.Kind == DiscoverDNS && d.Type != dns.TypeSRV {
			v.fault(d.Position, fmt.Sprintf("the targets of this source have no port, and neither has the %s probe %q", probe.Type, probe.Name), "`port N` in either")
		}
	}
}

// targetProbe checks that a target's probe can test it.
func (v *validator) targetProbe(p *Pool, t *Target) {
	if t.Probe == "" {
		v.probeHeaders(t.Places, t.Headers, "a target", nil)
		return
	}
	v.pooled[t.Probe] = true
	at := p.Places.Of("probe")
	if t.Places.Has("probe") || t.Probe != p.Probe {
		at = t.Places.Of("probe")
	}
	probe := v.probeNamed(at, t.Probe, true)
	if probe == nil || !v.testsAddresses(at, probe, "the targets of a pool") {
		return
	}
	v.nameless(at, probe, "a pool")
	v.probeHeaders(t.Places, t.Headers, "a target", probe)
	if probe.lacksPort() && t.Port == 0 && !t.Places.Faulty {
		v.fault(t.Places.Own, fmt.Sprintf("target %q has no port, and neither has the %s probe %q", t.ID, probe.Type, probe.Name), "`port N` in either")
	}
	for _, a := range t.Addresses {
		v.reachable(probe, t.Places.Own, "the target", a)
	}
}
