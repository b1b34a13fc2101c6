package config

import (
	"fmt"
	"net/netip"
	"slices"
)

// The rules here are about a probe and whoever names it.

// probeNamed returns the probe that an option names; nil, after a report, if there is none of the name, and if the probe itself has
// a fault. Behind most options none is a word too.
func (v *validator) probeNamed(at Position, name string, orNone bool) *Probe {
	p := v.stanza.Probe(name)
	if p == nil {
		var words []string
		for _, p := range v.stanza.Probes {
			words = append(words, p.Name)
		}
		expected := "a probe of the stanza"
		if orNone {
			words = append(words, "none")
		}
		if len(v.stanza.Probes) > 0 {
			expected = OneOf(words)
		}
		v.report(Problem{Position: at, Message: fmt.Sprintf("there is no probe %q", name), Expected: expected, Nearest: Nearest(name, words)})
		return nil
	}
	if p.Places.Faulty {
		return nil
	}
	return p
}

// testsAddresses checks that the probe tests the addresses of whoever names it: targets of a pool, or what a filter sees.
func (v *validator) testsAddresses(at Position, p *Probe, addresses string) bool {
	switch {
	case p.Target != "":
		v.fault(at, fmt.Sprintf("probe %q tests its own target %s, and not %s", p.Name, p.Target, addresses), "a probe without `target`")
	case p.IsOne():
		v.fault(at, fmt.Sprintf("probe %q is a %s probe, which does not test %s", p.Name, p.Type, addresses), "a probe that tests addresses, such as http or tcp")
	default:
		return true
	}
	return false
}

// verifiesName reports whether the probe compares certificates with a name that it does not have itself.
func (p *Probe) verifiesName() bool {
	return p.UsesTLS() && p.TLS.Verify && p.TLS.SNI == "" && p.HTTP.Host == "" && !isHostName(p.Target)
}

// nameless checks a probe of something that has addresses and no name (design, Probes).
func (v *validator) nameless(at Position, p *Probe, what string) {
	if p.verifiesName() {
		v.fault(at, fmt.Sprintf("probe %q verifies certificates, but %s has no name to verify", p.Name, what), "`host NAME`, `sni NAME` or `verify off` in the probe")
	}
}

// probeHeaders checks that headers of a record or a target have a probe that sends them; p is nil if none is named.
func (v *validator) probeHeaders(places Places, headers []Header, what string, p *Probe) {
	switch {
	case len(headers) == 0:
	case p == nil:
		v.fault(places.Of("header"), `"header" in `+what+" without a probe", "`probe NAME` of an http or https probe")
	case !p.Type.IsHTTP():
		v.fault(places.Of("header"), fmt.Sprintf("\"header\" in %s whose probe %q is a %s probe", what, p.Name, p.Type), "an http or https probe")
	}
}

// reachable checks that a probe's source can reach an address that it tests.
func (v *validator) reachable(p *Probe, at Position, what string, address netip.Addr) {
	source, err := ParseAddress(p.Source)
	if p.Source != "" && p.Target == "" && err == nil {
		v.sameFamily(p, source, address, at, what)
	}
}

// lacksPort reports whether attempts of the probe need a port that it does not say.
func (p *Probe) lacksPort() bool { return p.Type.NeedsPort() && p.Port == 0 && !p.Places.Has("port") }

// probePorts checks that probes have a port where nothing else has it: targets of pools may say it themselves.
func (v *validator) probePorts() {
	unread := slices.ContainsFunc(v.stanza.Pools, func(p *Pool) bool { return p.Places.Faulty }) // and it may name any probe
	for _, p := range v.stanza.Probes {
		if p.lacksPort() && (p.Target != "" || v.used[p.Name] || !v.pooled[p.Name] && !unread) {
			v.fault(p.Places.Own, fmt.Sprintf("the %s probe %q has no port", p.Type, p.Name), "`port N`")
		}
	}
}
