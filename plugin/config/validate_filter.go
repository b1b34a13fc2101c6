package config

import (
	"fmt"
	"slices"
	"time"
)

// Ranges of the options of filters.
const (
	maxFilterLimit = 1_000_000
	maxIdle        = 24 * time.Hour
)

// filters checks the filters, and that each name has one.
func (v *validator) filters() {
	first := map[string]*Filter{}
	for _, f := range v.stanza.Filters {
		v.filter(f)
		for _, name := range f.Names {
			if other := first[name]; other != nil && other != f {
				v.fault(f.Places.Own, fmt.Sprintf("name %q has a filter on line %d already", name, other.Places.Own.Line), "one filter for each name")
			}
			first[name] = f
		}
	}
}

func (v *validator) filter(f *Filter) {
	v.filterNames(f)
	if f.TTL != v.stanza.TTL {
		v.ttl(f.Places, f.TTL, 0)
	}
	v.oneOf(f.Places.Of("last_resort"), "last_resort", string(f.LastResort), string(LastResortAll), string(LastResortNone))
	within(v, f.Places.Of("limit"), "limit", f.Limit, 1, maxFilterLimit)
	within(v, f.Places.Of("idle"), "idle", f.Idle, time.Second, maxIdle)
	if f.Probe == "" {
		if !f.Places.Faulty {
			v.fault(f.Places.Of("probe"), "filter without a probe", "`probe NAME`")
		}
		return
	}
	v.used[f.Probe] = true
	at := f.Places.Of("probe")
	if p := v.probeNamed(at, f.Probe, false); p != nil && v.testsAddresses(at, p, "the addresses that pass a filter") {
		v.nameless(at, p, "a filter")
	}
}

// filterNames checks that the filter has names, each once, and all in the stanza's zones.
func (v *validator) filterNames(f *Filter) {
	if len(v.stanza.Zones) > 0 && len(f.Names) == 0 && !f.Places.Faulty {
		v.fault(f.Places.Own, "filter without a name", "names in the stanza's zones")
	}
	v.names(f.Places.Own, f.Names)
	if slices.Equal(f.Names, v.stanza.FilterNames()) {
		return // whoever names none means what later plugins answer
	}
	for _, name := range f.Names {
		if _, below := WildcardParent(name); below {
			continue // the next plugin is asked before a wildcard group
		}
		if g := v.addressGroup(name); g != nil {
			v.warn(f.Places.Own, fmt.Sprintf("name %q of the filter has a group on line %d, which answers itself: nothing is filtered there", name, g.Places.Own.Line))
		}
	}
}

// FilterNames are the names of a filter that names none: the zones, and all names below them.
func (s *Stanza) FilterNames() []string {
	names := slices.Clone(s.Zones)
	for _, zone := range s.Zones {
		if zone == "." {
			zone = ""
		}
		names = append(names, "*."+zone)
	}
	return names
}
