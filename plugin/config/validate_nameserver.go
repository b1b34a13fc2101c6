package config

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"
)

// nameservers checks the `nameserver` lines.
func (v *validator) nameservers() {
	seen := map[string]bool{}
	for _, ns := range v.stanza.Nameservers {
		if !isHostName(ns.Name) {
			v.fault(ns.Position, fmt.Sprintf("nameserver %q is not a host name", ns.Name), "a host name")
			continue
		}
		if seen[ns.Name] {
			v.fault(ns.Position, fmt.Sprintf("nameserver %q is there twice", ns.Name), "each name server once")
		}
		seen[ns.Name] = true
		v.nameserverAddresses(ns)
		v.nameserverName(ns)
	}
}

func (v *validator) nameserverAddresses(ns Nameserver) {
	for i, address := range ns.Addresses {
		if _, err := ParseAddress(address); err != nil {
			v.fault(ns.Position, err.Error(), "unicast addresses behind the name")
		}
		if slices.Contains(ns.Addresses[:i], address) {
			v.fault(ns.Position, fmt.Sprintf("address %q is there twice", address), "each address once")
		}
	}
}

// nameserverName checks who answers for the name server's own name.
func (v *validator) nameserverName(ns Nameserver) {
	inside := v.stanza.ZoneOf(ns.Name) != ""
	group := v.addressGroup(ns.Name)
	switch {
	case !inside && len(ns.Addresses) > 0 && len(v.stanza.Zones) > 0:
		v.fault(ns.Position, fmt.Sprintf("addresses for nameserver %q, whose name lies outside of the stanza's zones", ns.Name), "the name alone")
	case inside && len(ns.Addresses) > 0 && group != nil:
		v.fault(ns.Position, fmt.Sprintf("addresses for nameserver %q, whose name has a group on line %d", ns.Name, group.Places.Own.Line),
			"the addresses in one of the two")
	case inside && len(ns.Addresses) == 0 && group == nil && !v.underWildcard(ns.Name) && !v.stanza.Places.Faulty:
		v.report(Problem{Position: ns.Position, Warning: true,
			Message: fmt.Sprintf("nameserver %q has no address here: the next plugin must have one", ns.Name)})
	case group != nil && v.hasCNAME(group):
		v.fault(ns.Position, fmt.Sprintf("nameserver %q has a CNAME on line %d", ns.Name, group.Places.Own.Line), "addresses (RFC 2181, 10.3)")
	}
}

// addressGroup returns the group that answers A and AAAA queries for the very name, or nil.
func (v *validator) addressGroup(name string) *Group {
	for _, g := range v.stanza.Groups {
		if !g.Hidden && slices.Contains(g.Names, name) && slices.Contains(v.owned(g), dns.TypeA) {
			return g
		}
	}
	return nil
}

// underWildcard reports whether a wildcard group with addresses may answer for the name.
func (v *validator) underWildcard(name string) bool {
	for _, g := range v.stanza.Groups {
		for _, n := range g.Names {
			if parent, ok := WildcardParent(n); ok && !g.Hidden && IsBelow(name, parent) && slices.Contains(v.owned(g), dns.TypeA) {
				return true
			}
		}
	}
	return false
}
