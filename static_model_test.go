package healthroute

import (
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// reply is what is compared of a message: everything but the additional section and the order within a section.
type reply struct {
	rcode       string
	aa          bool
	answer, soa []string // soa is the authority section
}

func replyOf(m *dns.Msg) reply {
	return reply{dns.RcodeToString[m.Rcode], m.Authoritative, texts(m.Answer), texts(m.Ns)}
}

func (r reply) equal(other reply) bool {
	return r.rcode == other.rcode && r.aa == other.aa && slices.Equal(r.answer, other.answer) && slices.Equal(r.soa, other.soa)
}

func texts(rrs []dns.RR) []string {
	var out []string
	for _, rr := range rrs {
		out = append(out, rr.String())
	}
	slices.Sort(out)
	return out
}

// exists reports whether the name has records or names below it.
func (z staticZone) exists(name string) bool {
	if z[name] != nil || name == staticOrigin {
		return true
	}
	for owner := range z {
		if dns.IsSubDomain(name, owner) {
			return true
		}
	}
	return false
}

// node is the owner whose records answer for the name: itself, or the wildcard below its closest encloser (RFC 4592 section 3.3.1). It
// is "" for an empty non-terminal; there says whether the name exists at all.
func (z staticZone) node(name string) (node string, there bool) {
	if z.exists(name) {
		if z[name] == nil {
			return "", true
		}
		return name, true
	}
	encloser := parent(name)
	for !z.exists(encloser) {
		encloser = parent(encloser)
	}
	switch wildcard := "*." + encloser; {
	case z[wildcard] != nil:
		return wildcard, true
	default:
		return "", z.exists(wildcard)
	}
}

// longestChain is how many names in a row an answer follows from the first.
const longestChain = 8

// answer is RFC 1034 section 4.3.2 for a zone without cuts, with our rules of authority: nothing beside an answer, and one SOA beside
// none, which lives as long as the group of the last name does at most.
func (z staticZone) answer(name string, qtype uint16, soa *dns.SOA, ns dns.RR) *dns.Msg {
	m := new(dns.Msg)
	m.Authoritative = true
	for range longestChain + 1 {
		lower := strings.ToLower(name)
		if !dns.IsSubDomain(staticOrigin, lower) || len(m.Answer) > 0 && owned(m.Answer, lower) {
			return m // a chain that has left the zone, or runs in a circle
		}
		if lower == staticOrigin && (qtype == dns.TypeSOA || qtype == dns.TypeNS) {
			rr := dns.Copy(map[uint16]dns.RR{dns.TypeSOA: soa, dns.TypeNS: ns}[qtype])
			rr.Header().Name = name
			m.Answer = append(m.Answer, rr)
			return m
		}
		node, there := z.node(lower)
		if node == "" || len(z.records(node, qtype, name)) == 0 && z.records(node, dns.TypeCNAME, name) == nil {
			negative := *soa
			if node != "" && z[node].ttl > 0 {
				negative.Minttl = min(soa.Minttl, z[node].ttl)
				negative.Hdr.Ttl = negative.Minttl
			}
			m.Ns = []dns.RR{&negative}
			if !there {
				m.Rcode = dns.RcodeNameError
			}
			return m
		}
		if rrs := z.records(node, qtype, name); rrs != nil {
			m.Answer = append(m.Answer, rrs...)
			return m
		}
		alias := z.records(node, dns.TypeCNAME, name)
		m.Answer = append(m.Answer, alias...)
		name = alias[0].(*dns.CNAME).Target
	}
	return m
}

func owned(rrs []dns.RR, name string) bool {
	return slices.ContainsFunc(rrs, func(rr dns.RR) bool { return strings.EqualFold(rr.Header().Name, name) })
}
