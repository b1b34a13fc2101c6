package config

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"
)

// delegation is a name below an apex with name servers of its own: whoever asks for it, or for what is below it, is referred to them.
type delegation struct {
	name    string
	group   *Group
	servers []string // canonical; what an alias stands for is not among them
}

// delegations warns of groups at and below delegations, which nobody can get, and of name servers there whose addresses nobody can find. Addresses
// of the name servers themselves are glue.
func (v *validator) delegations() {
	var all []delegation
	for _, g := range v.stanza.Groups {
		if g.Hidden || !slices.Contains(v.types(g), dns.TypeNS) {
			continue
		}
		for _, name := range g.Names {
			if !slices.Contains(v.stanza.Zones, name) {
				all = append(all, delegation{name, g, v.nameServersOf(g, name)})
			}
		}
	}
	for _, d := range all {
		v.occluded(d)
		v.glue(d)
	}
}

// nameServersOf lists the name servers of a group at one of its names.
func (v *validator) nameServersOf(g *Group, name string) []string {
	var servers []string
	for _, r := range g.Records {
		for _, value := range r.Values {
			if rr, err := value.RR(name, v.stanza.ZoneOf(name), 0); err == nil {
				host, _ := HostOf(rr, name)
				if canonical, err := CanonicalName(host); err == nil {
					servers = append(servers, canonical)
				}
			}
		}
	}
	return servers
}

// occluded warns of what the delegation hides.
func (v *validator) occluded(d delegation) {
	for _, g := range v.stanza.Groups {
		if g == d.group || g.Hidden {
			continue
		}
		for _, name := range g.Names {
			if v.stanza.ZoneOf(name) != v.stanza.ZoneOf(d.name) || !IsBelow(name, d.name) || v.belongsTo(d, g, name) {
				continue
			}
			v.report(Problem{Position: g.Places.Own, Warning: true, Message: fmt.Sprintf(
				"name %q is never answered: the group on line %d delegates %q", name, d.group.Places.Own.Line, d.name)})
		}
	}
}

// belongsTo reports whether a group at or below a delegation is part of it: its DS, or glue.
func (v *validator) belongsTo(d delegation, g *Group, name string) bool {
	types := v.types(g)
	if name == d.name && slices.Equal(types, []uint16{dns.TypeDS}) {
		return true
	}
	aliased := slices.ContainsFunc(d.group.Records, func(r *Record) bool { return r.Alias != nil })
	return v.hasAddress(g) && (aliased || slices.Contains(d.servers, name))
}

// glue warns of name servers that lie in what they are to lead to, without an address.
func (v *validator) glue(d delegation) {
	for _, server := range d.servers {
		if IsBelow(server, d.name) && v.addressGroup(server) == nil {
			v.report(Problem{Position: d.group.Places.Own, Warning: true, Message: fmt.Sprintf(
				"name server %q lies in %q, which it is to lead to, and has no address here: nobody finds it", server, d.name)})
		}
	}
}
