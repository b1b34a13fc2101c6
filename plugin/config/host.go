package config

import (
	"strings"

	"github.com/miekg/dns"
)

// HostOf returns the name of the host that a resource record leads to, in the letter case of the data, and the port there that the record names, 0 if
// it names none. owner is the record's owner, which a service binding may mean (RFC 9460 section 2.5). The name is "" for types whose data is
// no host, and where the data says that there is none.
func HostOf(rr dns.RR, owner string) (name string, port uint16) {
	switch rr := rr.(type) {
	case *dns.CNAME:
		name = rr.Target
	case *dns.NS:
		name = rr.Ns
	case *dns.PTR:
		name = rr.Ptr
	case *dns.MX:
		name = rr.Mx // the root is "no mail" (RFC 7505)
	case *dns.SRV:
		name, port = rr.Target, rr.Port // the root is "no such service" (RFC 2782)
	case *dns.NAPTR:
		if strings.EqualFold(rr.Flags, "A") { // other flags lead to more records
			name = rr.Replacement
		}
	case *dns.SVCB:
		return bindingHost(rr, owner)
	case *dns.HTTPS:
		return bindingHost(&rr.SVCB, owner)
	}
	if name == "." {
		return "", 0
	}
	return name, port
}

// bindingHost is HostOf for a service binding.
func bindingHost(rr *dns.SVCB, owner string) (name string, port uint16) {
	for _, parameter := range rr.Value {
		if p, ok := parameter.(*dns.SVCBPort); ok {
			port = p.Port
		}
	}
	switch {
	case rr.Target != ".":
		return rr.Target, port
	case rr.Priority == 0: // "no such service" (RFC 9460 section 2.5.1)
		return "", 0
	}
	return owner, port
}
