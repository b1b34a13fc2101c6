package config

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"
)

// refusedType says why no record may have the type, or nil.
func refusedType(t uint16) error {
	word := TypeWord(t)
	switch t {
	case dns.TypeSOA:
		return fmt.Errorf("a record cannot have type %s: `nameserver` makes the zone's SOA", word)
	case dns.TypeRRSIG, dns.TypeSIG, dns.TypeNSEC, dns.TypeNSEC3, dns.TypeNSEC3PARAM, dns.TypeNXT, dns.TypeDNSKEY:
		return fmt.Errorf("a record cannot have type %s: signing is done by the dnssec plugin", word)
	case dns.TypeOPT, dns.TypeNULL, dns.TypeNone, dns.TypeReserved:
		return fmt.Errorf("a record cannot have type %s", word)
	}
	if t >= 128 && t <= 255 {
		return fmt.Errorf("a record cannot have type %s: it stands in queries only (RFC 6895, 3.1)", word)
	}
	return nil
}

// refusedAt says why a record at the name may not have the type, or nil.
func (v *validator) refusedAt(t uint16, name string) error {
	if _, wildcard := WildcardParent(name); wildcard && t == dns.TypeNS {
		return fmt.Errorf("type NS at the wildcard %q: no zone is delegated so (RFC 4592, 4.2)", name)
	}
	if !slices.Contains(v.stanza.Zones, name) {
		return nil
	}
	switch {
	case t == dns.TypeNS && len(v.stanza.Nameservers) > 0:
		return fmt.Errorf("type NS at the zone apex %q, which `nameserver` answers", name)
	case t == dns.TypeDS:
		return fmt.Errorf("type DS at the zone apex %q: it belongs in the parent zone", name)
	}
	return nil
}
