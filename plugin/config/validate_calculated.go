package config

import (
	"fmt"
	"slices"
	"strings"
)

// maxChildren is the largest number of children of a calculated probe (spec 2.7, C-3).
const maxChildren = 255

// calculated checks a calculated probe (spec 2.7).
func (v *validator) calculated(p *Probe) {
	c, at := p.Children, p.Places.Of("of")
	for i, name := range c.Probes {
		v.childProbe(p, name, slices.Index(c.Probes, name) < i)
	}
	for i, ref := range c.Records {
		v.childRecord(p, ref, slices.IndexFunc(c.Records, ref.same) < i)
	}
	if p.Places.Faulty {
		return // what is missing may be what could not be read
	}
	n := c.Count()
	switch {
	case n == 0:
		v.fault(at, fmt.Sprintf("the calculated probe %q has nothing to count", p.Name), "`of PROBE|GROUP/RECORD,...`")
		return
	case n > maxChildren:
		v.fault(at, fmt.Sprintf("%d probes and records in \"of\"", n), fmt.Sprintf("at most %d", maxChildren))
	}
	at = p.Places.Of("healthy")
	needed := c.Needed(n)
	switch {
	case c.Healthy < 0 || c.Percent && c.Healthy > 100:
		v.fault(at, fmt.Sprintf("healthy %s is out of range", c.HealthyWord()), "0 or more, 0% to 100%, all or any")
	case needed == 0:
		v.report(Problem{Position: at, Warning: true, Message: fmt.Sprintf("healthy %s: the probe %q is always healthy", c.HealthyWord(), p.Name)})
	case needed > n:
		v.report(Problem{Position: at, Warning: true, Message: fmt.Sprintf("healthy %s of %d: the probe %q is never healthy", c.HealthyWord(), n, p.Name)})
	}
}

// childProbe checks a child that is a probe.
func (v *validator) childProbe(p *Probe, name string, again bool) {
	v.used[name] = true
	at := p.Places.Of("of")
	child := v.stanza.Probe(name)
	switch {
	case child == nil:
		var names []string
		for _, other := range v.stanza.Probes {
			if other.IsOne() && other.Type != ProbeCalculated {
				names = append(names, other.Name)
			}
		}
		v.report(Problem{Position: at, Message: fmt.Sprintf("%q of \"of\": there is no such probe", name),
			Expected: "probes with a target, and records as GROUP/RECORD", Nearest: Nearest(name, names)})
	case child.Places.Faulty:
	case child.Type == ProbeCalculated:
		v.fault(at, fmt.Sprintf("%q of \"of\" is a calculated probe", name), "probes with a target, and records with other probes")
	case !child.IsOne():
		v.fault(at, fmt.Sprintf("%q of \"of\" has no target: it is a check for each record", name), "`target HOST` in that probe, or the records as GROUP/RECORD")
	case again:
		v.fault(at, fmt.Sprintf("%q is there twice in \"of\"", name), "each child once")
	}
}

// childRecord checks a child that is a record. One whose probe is calculated would be a calculated child, or a circle.
func (v *validator) childRecord(p *Probe, ref RecordRef, again bool) {
	if len(v.stanza.Zones) == 0 || len(ref.Group) == 0 {
		return // reported where the names come from
	}
	at := p.Places.Of("of")
	word := v.relative(ref.Group[0]) + "/" + ref.Record
	g, r := v.stanza.Child(ref)
	switch {
	case r == nil:
		v.report(Problem{Position: at, Message: fmt.Sprintf("%q of \"of\": there is no such record", word),
			Expected: "GROUP/RECORD with the name of a group of the stanza and the id of a record of it", Nearest: v.nearestRecord(word)})
	case g.Places.Faulty || r.Places.Faulty:
	case r.Alias != nil && r.Alias.isPool():
		v.fault(at, fmt.Sprintf("%q of \"of\" is an alias of a %s", word, r.Alias.kind()), "records with values, and probes with a target")
	case r.Alias != nil:
		v.fault(at, fmt.Sprintf("%q of \"of\" is an alias", word), "the records that it leads to")
	case r.Probe == p.Name:
		v.fault(at, fmt.Sprintf("%q of \"of\" has the very probe %q: a circle", word, p.Name), "a record with another probe")
	case r.Probe != "" && v.isCalculated(r.Probe):
		v.fault(at, fmt.Sprintf("%q of \"of\" has a calculated probe, %q", word, r.Probe), "probes with a target, and records with other probes")
	case again:
		v.fault(at, fmt.Sprintf("%q is there twice in \"of\"", word), "each child once")
	}
}

func (v *validator) isCalculated(name string) bool {
	p := v.stanza.Probe(name)
	return p != nil && p.Type == ProbeCalculated
}

// same reports whether both name one record in the same words.
func (ref RecordRef) same(other RecordRef) bool {
	return slices.Equal(ref.Group, other.Group) && strings.EqualFold(ref.Record, other.Record)
}

// relative is a name of the stanza as people write it.
func (v *validator) relative(name string) string {
	switch zone := v.stanza.ZoneOf(name); zone {
	case "", ".":
		return name
	case name:
		return "@"
	default:
		return strings.TrimSuffix(name, "."+zone)
	}
}

// nearestRecord is the GROUP/RECORD that the word is nearest to.
func (v *validator) nearestRecord(word string) string {
	var names []string
	for _, g := range v.stanza.Groups {
		for _, r := range g.Records {
			for _, name := range g.Names {
				names = append(names, v.relative(name)+"/"+r.ID)
			}
		}
	}
	if nearest := Nearest(word, names); nearest != word {
		return nearest
	}
	return ""
}
