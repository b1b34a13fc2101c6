package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// record checks one record of a group.
func (v *validator) record(g *Group, r *Record) {
	if r.TTL != g.TTL || r.MinTTL != g.MinTTL {
		v.ttl(r.Places, r.TTL, r.MinTTL)
	}
	v.siteName(r.Places.Of("site"), r.Site)
	v.admin(r)
	if r.Alias != nil {
		v.alias(g, r)
		v.recordID(r)
	} else if v.values(g, r) {
		v.recordID(r)
	}
	v.headers(r.Places, r.Headers)
	v.recordProbe(g, r)
}

// recordID checks the id of a record.
func (v *validator) recordID(r *Record) {
	usual := r.Alias == nil && r.ID == DefaultID(r.Values) || r.Alias != nil && r.Alias.isTarget(r.ID)
	v.id(r.Places.Of("id"), r.ID, usual)
}

// id checks an id. One that is not the default one is typed by people, and stands in lists and in GROUP/RECORD or POOL/TARGET.
func (v *validator) id(at Position, id string, usual bool) {
	switch {
	case strings.ContainsFunc(id, isControl):
		v.fault(at, fmt.Sprintf("id %q holds a control character", id), "an `id` without")
	case usual:
	case strings.ContainsAny(id, " ,/") || len(id) > maxID || id == "":
		v.fault(at, fmt.Sprintf("id %q cannot be used", id), fmt.Sprintf("at most %d characters without blanks, commas and slashes", maxID))
	}
}

// isTarget reports whether the id is the alias's target as it may be written: whole, or relative to a zone.
func (a *Alias) isTarget(id string) bool {
	switch {
	case a.Name != "":
		return strings.TrimSuffix(id, ".") == strings.TrimSuffix(a.Name, ".")
	case a.Pool != "" || a.Balancer != "":
		return id != "" && (id == a.Pool || id == a.Balancer)
	}
	return slices.ContainsFunc(a.Group, func(name string) bool { return strings.HasPrefix(name, strings.TrimSuffix(id, ".")+".") })
}

// maxID is the length limit of an id that is given.
const maxID = 100

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// values checks the data of a record: at each of the group's names it must become a resource record. It reports
// whether all does.
func (v *validator) values(g *Group, r *Record) bool {
	if len(r.Values) == 0 && !r.Places.Faulty {
		v.fault(r.Places.Own, "record without a value", "`record ADDRESS,...` or `record TYPE DATA`")
	}
	var earlier []dns.RR
	for _, value := range r.Values {
		at := r.Places.Of("value " + value.Data)
		if err := refusedType(value.Type); err != nil {
			v.fault(at, err.Error(), "")
			return false
		}
		if value.Type == dns.TypeDNAME {
			v.report(Problem{Position: at, Message: "a DNAME answers at its own name only: names below it are not redirected", Warning: true})
		}
		rr := v.value(g, r, value, at)
		if rr == nil {
			continue
		}
		if slices.ContainsFunc(earlier, func(other dns.RR) bool { return dns.IsDuplicate(rr, other) }) {
			v.fault(at, fmt.Sprintf("value %q is there twice in the record", value.Data), "each value once")
		} else if value.Type == dns.TypeCNAME && len(earlier) > 0 {
			v.fault(at, "a second CNAME in a record: a name has one at most", "one record for each CNAME, and policy weighted or failover")
		}
		earlier = append(earlier, rr)
	}
	return len(earlier) == len(r.Values)
}

// value checks one value at every name of the group, and returns it at the first one; nil if it is faulty.
func (v *validator) value(g *Group, r *Record, value Value, at Position) (first dns.RR) {
	for _, name := range g.Names {
		zone := v.stanza.ZoneOf(name)
		if zone == "" {
			continue // reported with the group
		}
		rr, err := value.RR(name, zone, uint32(max(0, min(r.TTL, maxTTL))/time.Second))
		if err != nil {
			expected := ""
			if value.IsAddress() && strings.Contains(value.Data, ",") {
				expected = "`record ADDRESS,...` without a type"
			}
			v.report(Problem{Position: at, Message: err.Error(), Expected: expected, Nearest: otherFamily(value)})
			return nil
		}
		if err := v.refusedAt(value.Type, name); err != nil {
			v.fault(at, err.Error(), "")
			return nil
		}
		if first == nil {
			first = rr
		}
	}
	return first
}

// otherFamily is the type that an address of the wrong family would have.
func otherFamily(value Value) string {
	for _, t := range []uint16{dns.TypeA, dns.TypeAAAA} {
		if other := (Value{Type: t, Data: value.Data}); value.IsAddress() && other.Address().IsValid() {
			return TypeWord(t)
		}
	}
	return ""
}

// recordProbe checks that the record's probe exists and has something to test.
func (v *validator) recordProbe(g *Group, r *Record) {
	if r.Probe == "" {
		v.probeHeaders(r.Places, r.Headers, "a record", nil)
		return
	}
	v.used[r.Probe] = true
	at := r.Places.Of("probe")
	if !r.Places.Has("probe") && g.Places.Has("probe") {
		at = g.Places.Of("probe")
	}
	p := v.probeNamed(at, r.Probe, true)
	if p == nil {
		return
	}
	if !p.IsOne() && r.Alias != nil && r.Alias.Name == "" {
		v.fault(at, fmt.Sprintf("probe %q has no target, and an alias of a %s has no address to test", p.Name, r.Alias.kind()),
			"`target HOST` in the probe, or none: the alias takes its target's health")
	} else if r.Alias != nil && r.Alias.Name == "" {
		v.report(Problem{Position: at, Warning: true, Message: fmt.Sprintf(
			"probe %q on an alias of a %s: it decides besides the health of the target (spec 7.1, C-17)", p.Name, r.Alias.kind())})
	}
	if !p.IsOne() {
		v.testable(g, r, p)
	}
	v.probeHeaders(r.Places, r.Headers, "a record", p)
	for _, value := range r.Values {
		if address, err := netip.ParseAddr(value.Data); err == nil && value.IsAddress() {
			v.reachable(p, r.Places.Own, "the record's address", address)
		}
	}
	if r.hasAddress() { // where a name is resolved, it is verified by itself
		v.verifiable(g, p, at)
	}
}

// testable checks that each value of the record is an address, or leads to a host whose addresses can be tested.
func (v *validator) testable(g *Group, r *Record, p *Probe) {
	for _, value := range r.Values {
		if value.IsAddress() {
			continue
		}
		rr, err := value.RR(g.first(), v.stanza.ZoneOf(g.first()), 0)
		if err != nil {
			return // reported with the value
		}
		host, _ := HostOf(rr, g.first())
		_, wildcard := WildcardParent(host)
		switch {
		case host == "":
			v.fault(r.Places.Own, fmt.Sprintf("probe %q has no target, and the record of type %s has no address to test", p.Name, TypeWord(value.Type)),
				"`target HOST` in the probe, or `probe none` in the record")
		case wildcard:
			v.fault(r.Places.Own, fmt.Sprintf("probe %q has no target, and the record leads to the wildcard that has it", p.Name),
				"`target HOST` in the probe, or `probe none` in the record")
		case !isHostName(host):
			v.fault(r.Places.Own, fmt.Sprintf("probe %q has no target, and %q, which the record leads to, is not a host name", p.Name, host),
				"`target HOST` in the probe, or `probe none` in the record")
		}
	}
}

// verifiable checks that a certificate can be compared with a name: a wildcard is none (design, Probes).
func (v *validator) verifiable(g *Group, p *Probe, at Position) {
	if _, wildcard := WildcardParent(g.first()); wildcard {
		v.nameless(at, p, "a wildcard group")
	}
}

func (r *Record) hasAddress() bool { return slices.ContainsFunc(r.Values, Value.IsAddress) }

func (r *Record) has(t uint16) bool { return slices.Contains(r.types(), t) }

// types lists the types of the record's values, each once.
func (r *Record) types() []uint16 {
	var types []uint16
	for _, v := range r.Values {
		if !slices.Contains(types, v.Type) {
			types = append(types, v.Type)
		}
	}
	return types
}
