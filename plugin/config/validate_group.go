package config

import (
	"fmt"
	"slices"
	"strings"
)

// group checks one group and its records.
func (v *validator) group(g *Group) {
	v.groupNames(g)
	if g.TTL != v.stanza.TTL || g.MinTTL != v.stanza.MinTTL {
		v.ttl(g.Places, g.TTL, g.MinTTL)
	}
	v.oneOf(g.Places.Of("last_resort"), "last_resort", string(g.LastResort), string(LastResortAll), string(LastResortNone),
		string(LastResortServfail), string(LastResortRefused), string(LastResortNXDomain), string(LastResortAlias))
	v.sorry(g)
	v.groupOptions(g)
	ids := map[string]*Record{}
	for _, r := range g.Records {
		v.record(g, r)
		v.uniqueID(ids, r)
	}
	v.overrides(g)
	if g.Places.Faulty {
		return // what is missing or too much may be what could not be read
	}
	if len(g.Records) == 0 {
		v.report(Problem{Position: g.Places.Own, Message: fmt.Sprintf("group %q has no record", g.first()),
			Expected: "`record ADDRESS,...` or `record TYPE DATA`", Warning: g.Preset == PresetTrafficManager}) // an empty profile is NXDOMAIN there (T-220)
		return
	}
	if g.FamiliesTogether && !v.hasAddress(g) && !v.lost(g) {
		v.fault(g.Places.Of("families"), `"families together" in a group without addresses`, "a group with A or AAAA records")
	}
	v.policy(g)
	v.endpoints(g)
	v.cname(g)
}

// lost reports whether an alias of the group leads nowhere, which is reported with it.
func (v *validator) lost(g *Group) bool {
	return slices.ContainsFunc(g.Records, func(r *Record) bool { return len(v.typesOf(r)) == 0 })
}

func (g *Group) first() string {
	if len(g.Names) == 0 {
		return ""
	}
	return g.Names[0]
}

// groupNames checks that the group has names.
func (v *validator) groupNames(g *Group) {
	if len(v.stanza.Zones) > 0 && len(g.Names) == 0 && !g.Places.Faulty {
		v.fault(g.Places.Own, "group without a name", "`group NAME... POLICY`")
	}
	v.names(g.Places.Own, g.Names)
}

// names checks the names of a group or a filter: each once, and all in the stanza's zones.
func (v *validator) names(at Position, names []string) {
	if len(v.stanza.Zones) == 0 {
		return // reported with the stanza
	}
	seen := map[string]bool{}
	for _, name := range names {
		if canonical, err := CanonicalName(name); err != nil || canonical != name {
			v.fault(at, fmt.Sprintf("name %q is not a normalized domain name", name), "")
			continue
		}
		if v.stanza.ZoneOf(name) == "" {
			v.fault(at, fmt.Sprintf("name %q lies outside of the stanza's zones", name), "a name in "+OneOf(v.stanza.Zones))
		}
		if seen[name] {
			v.fault(at, fmt.Sprintf("name %q is there twice", name), "each name once")
		}
		seen[name] = true
	}
}

// uniqueID checks that no record before has the id; letter case does not count, as people type ids.
func (v *validator) uniqueID(ids map[string]*Record, r *Record) {
	if r.ID == "" || r.Places.Faulty {
		return
	}
	id := strings.ToLower(r.ID)
	if other := ids[id]; other != nil {
		v.fault(r.Places.Of("id"), fmt.Sprintf("id %q is there twice in the group", r.ID),
			fmt.Sprintf("another `id` than that of the record on line %d", other.Places.Own.Line))
		return
	}
	ids[id] = r
}

// policy checks what the group's policy asks of its records.
func (v *validator) policy(g *Group) {
	rules := map[Policy]func(*Group){
		PolicySimple: v.simple, PolicyWeighted: v.weighted, PolicyFailover: v.failover, PolicyPriority: v.priority,
		PolicyMultivalue: v.multivalue, PolicyRoundRobin: func(*Group) {}, PolicyGeo: v.geo, PolicyProximity: v.proximity,
		PolicyLatency: v.latency, PolicySubnet: v.subnet,
	}
	if rule := rules[g.Policy]; rule != nil {
		rule(g)
		if g.Policy != PolicyMultivalue {
			v.maxOfPool(g)
		}
		return
	}
	words := make([]string, len(Policies()))
	for i, p := range Policies() {
		words[i] = string(p)
	}
	v.oneOf(g.Places.Own, "group", string(g.Policy), words...)
}

// weighted checks the weights (T-036).
func (v *validator) weighted(g *Group) {
	low, high := g.Preset.weightRange()
	for _, r := range g.Records {
		within(v, r.Places.Of("weight"), "weight", r.Weight, low, high)
	}
}

// multivalue checks the number of records in an answer (T-107).
func (v *validator) multivalue(g *Group) {
	low, high := g.Preset.maxRange()
	if low == high && g.Max != low {
		v.fault(g.Places.Of("max"), fmt.Sprintf("max %d, and preset %s has no other than %d", g.Max, g.Preset, low), fmt.Sprintf("`max %d` or none", low))
		return
	}
	within(v, g.Places.Of("max"), "max", g.Max, low, high)
}

// simple checks that there is nothing to choose among: at most one record answers a type.
func (v *validator) simple(g *Group) {
	first := map[uint16]*Record{}
	for _, r := range g.Records {
		for _, t := range v.answers(g, r) {
			if other := first[t]; other != nil {
				v.fault(r.Places.Own, fmt.Sprintf("a second record of type %s in a simple group, after that on line %d", TypeWord(t), other.Places.Own.Line),
					"all values in one record, or policy multivalue or weighted")
				break
			}
		}
		for _, t := range v.answers(g, r) {
			first[t] = r
		}
	}
}
