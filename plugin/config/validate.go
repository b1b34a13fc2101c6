package config

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// Validate returns everything that is wrong with the stanza, in the order of its declarations. The rules of one object
// are in the file named after it: validate_probe.go, validate_group.go and so on. Only a few rules are not here but
// in package corefile: those about what is written, such as an option that stands twice or in the wrong place.
func (s *Stanza) Validate() Problems {
	v := &validator{stanza: s, used: map[string]bool{}, pooled: map[string]bool{}, reported: map[Problem]bool{},
		groupsByName: map[string][]*Group{}, typesByGroup: map[*Group][]uint16{}, typesByAlias: map[*Alias][]uint16{}}
	for _, g := range s.Groups {
		for _, name := range g.Names {
			v.groupsByName[name] = append(v.groupsByName[name], g)
		}
	}
	v.zones()
	v.preset(s.Places, s.Preset)
	v.ttl(s.Places, s.TTL, s.MinTTL)
	v.clients()
	v.process()
	v.oneOf(s.Places.Of("other_types"), "other_types", string(s.OtherTypes), string(OtherTypesNext), string(OtherTypesNoData))
	for i, p := range s.Probes {
		v.probe(p, s.Probes[:i])
	}
	v.pools()
	v.balancers()
	for _, g := range s.Groups {
		v.group(g)
	}
	v.filters()
	v.probePorts()
	v.nesting()
	v.owners()
	v.nameservers()
	v.delegations()
	v.aliasedHosts()
	v.unused()
	return v.problems
}

// validator collects the problems of one stanza.
type validator struct {
	stanza   *Stanza
	used     map[string]bool  // probes that records, sites and filters name
	pooled   map[string]bool  // probes that pools and their targets name
	reported map[Problem]bool // one slip that shows in several records is one problem
	problems Problems

	groupsByName map[string][]*Group
	typesByGroup map[*Group][]uint16 // what types has found
	typesByAlias map[*Alias][]uint16 // and what pools and balancers have
}

// fault reports an error. The message has no position; expected may be empty.
func (v *validator) fault(at Position, message, expected string) {
	v.report(Problem{Position: at, Message: message, Expected: expected})
}

// warn reports what leaves the stanza usable.
func (v *validator) warn(at Position, message string) {
	v.report(Problem{Position: at, Message: message, Warning: true})
}

func (v *validator) report(p Problem) {
	if v.reported[p] {
		return
	}
	v.reported[p] = true
	v.problems = append(v.problems, p)
}

// within reports a value outside of its range, both ends included.
func within[T cmp.Ordered](v *validator, at Position, option string, value, low, high T) {
	if !(value >= low && value <= high) { // so that no number (NaN) is out of range too
		v.fault(at, fmt.Sprintf("%s %s is out of range", option, format(value)), format(low)+" to "+format(high))
	}
}

func format(value any) string {
	if d, ok := value.(time.Duration); ok {
		return FormatDuration(d)
	}
	return fmt.Sprint(value)
}

func (v *validator) oneOf(at Position, option, value string, words ...string) {
	for _, word := range words {
		if value == word {
			return
		}
	}
	v.report(Problem{Position: at, Message: fmt.Sprintf("%q of %q is unknown", value, option),
		Expected: OneOf(words), Nearest: Nearest(value, words)})
}

// maxTTL is the largest TTL (RFC 2181, 8).
const maxTTL = math.MaxInt32 * time.Second

// ttl checks the `ttl` of a stanza, a group or a record; low is the lower end of `ttl A-B` (spec 4.13), or 0.
func (v *validator) ttl(places Places, ttl, low time.Duration) {
	at := places.Of("ttl")
	if ttl%time.Second != 0 || low%time.Second != 0 {
		v.fault(at, "ttl "+ttlText(ttl, low)+" is no whole number of seconds", "whole seconds")
		return
	}
	if ttl < 0 || ttl > maxTTL {
		v.fault(at, "ttl "+FormatDuration(ttl)+" is out of range", "0s to 2147483647s")
		return
	}
	if low != 0 && (low < 0 || low >= ttl) {
		v.fault(at, "ttl "+ttlText(ttl, low)+" is no range", "`ttl A-B` with A from 1s and B above it")
	}
}

func ttlText(ttl, low time.Duration) string {
	if low == 0 {
		return FormatDuration(ttl)
	}
	return FormatDuration(low) + "-" + FormatDuration(ttl)
}

// zones checks what the stanza answers for.
func (v *validator) zones() {
	if len(v.stanza.Zones) == 0 && !v.stanza.Places.Faulty {
		v.fault(v.stanza.Places.Own, "no zone to answer for", "zones behind the directive or in front of the server block")
	}
	seen := map[string]bool{}
	for _, zone := range v.stanza.Zones {
		if canonical, err := CanonicalName(zone); err != nil || canonical != zone {
			v.fault(v.stanza.Places.Own, fmt.Sprintf("zone %q is not a normalized domain name", zone), "")
		}
		if seen[zone] {
			v.fault(v.stanza.Places.Own, fmt.Sprintf("zone %q is there twice", zone), "each zone once")
		}
		seen[zone] = true
	}
}
