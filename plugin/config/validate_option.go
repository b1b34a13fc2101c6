package config

import (
	"fmt"
	"slices"
	"time"
)

// maxDelay bounds `hold` and `ramp`: longer ones are slips.
const maxDelay = 24 * time.Hour

// groupOptions checks what stands around the records of a group (spec 4.13).
func (v *validator) groupOptions(g *Group) {
	if g.Preset != "" && !slices.Contains(Presets(), g.Preset) {
		words := make([]string, len(Presets()))
		for i, p := range Presets() {
			words[i] = string(p)
		}
		v.oneOf(g.Places.Of("preset"), "preset", string(g.Preset), words...)
	}
	within(v, g.Places.Of("hold"), "hold", g.Hold, 0, maxDelay)
	within(v, g.Places.Of("ramp"), "ramp", g.Ramp, 0, maxDelay)
	if g.Sticky != nil {
		within(v, g.Places.Of("sticky"), "sticky ipv4", g.Sticky.IPv4, 1, 32)
		within(v, g.Places.Of("sticky"), "sticky ipv6", g.Sticky.IPv6, 1, 128)
	}
	v.minHealthy(g.Places, g.MinHealthy)
	v.attainable(g.Places, g.MinHealthy, []*Group{g})
}

// maxMinHealthy bounds numbers of records that nobody has.
const maxMinHealthy = 65535

// minHealthy checks the numbers of a group or of an alias.
func (v *validator) minHealthy(places Places, m MinHealthy) {
	at := places.Of("min_healthy")
	switch {
	case m.Percent && (m.Count < 1 || m.Count > 100):
		v.fault(at, fmt.Sprintf("min_healthy %d%% is out of range", m.Count), "1% to 100%")
	case m.ShowAll && m.Count == 0:
		v.fault(at, `"show_all" without the number that it belongs to`, "`min_healthy N show_all`")
	}
	if !m.Percent {
		within(v, at, "min_healthy", m.Count, 0, maxMinHealthy)
	}
	within(v, at, "min_healthy ipv4", m.IPv4, 0, maxMinHealthy)
	within(v, at, "min_healthy ipv6", m.IPv6, 0, maxMinHealthy)
}

// attainable warns of a number of records that the groups do not have together (T-246).
func (v *validator) attainable(places Places, m MinHealthy, groups []*Group) {
	members := 0
	for _, g := range groups {
		members = max(members, len(g.Records))
		if g.Places.Faulty {
			return
		}
	}
	if !m.Percent && m.Count > members && members > 0 {
		v.report(Problem{Position: places.Of("min_healthy"), Warning: true,
			Message: fmt.Sprintf("min_healthy %d can never be met: the group has no more than %d", m.Count, members)})
	}
}

// admin checks what the Corefile says of a record instead of its health.
func (v *validator) admin(r *Record) {
	if r.Admin == "" {
		return
	}
	v.oneOf(r.Places.Own, "record", string(r.Admin), string(Enabled), string(Disabled), string(Draining), string(Always))
}
