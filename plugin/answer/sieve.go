package answer

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// sieve is a filter at work on one reply of the next plugin (spec 4.14). It judges the records at the end of the chain of CNAMEs that begins at
// the name asked for and, of SRV records, the addresses of their targets in the additional section. Whatever else there is passes as it is.
type sieve struct {
	ttl    uint32                // the most seconds that what passes may live
	none   bool                  // an RRset in which nothing is usable goes; otherwise all of it stays
	usable func(netip.Addr) bool // asked once for each record or hint

	end     string // the name whose records answer
	sets    [len(kinds)]rrset
	targets map[string]*target // by lower-case name; nil without SRV records

	sifted
}

// sifted is what became of a reply.
type sifted struct {
	gone       []netip.Addr // addresses and address hints that were taken out
	signed     int          // records that are not usable and stay, as their RRset is signed
	lastResort bool         // there is an RRset in which nothing is usable
	emptied    string       // the name that has lost all of its records; "" for none
}

// fate is what becomes of a record.
type fate uint8

const (
	stands fate = iota // as it is
	passes             // with its TTL capped
	goes
)

// fates are those of the records of two sections, in their order.
type fates struct{ answer, extra []fate }

// kinds are the types whose RRsets are judged, each on its own.
var kinds = [...]uint16{dns.TypeA, dns.TypeAAAA, dns.TypeHTTPS, dns.TypeSVCB, dns.TypeSRV}

const serviceKind = len(kinds) - 1

func kindOf(rrType uint16) int { return slices.Index(kinds[:], rrType) }

// rrset is the records of one of kinds at the end of the chain.
type rrset struct {
	signed bool // a signature over the whole of it is there, so that none of it may change
	size   int
	dead   int // how many of them are not usable and not signed
}

// few is how many records of a section are judged without an allocation.
const few = 8

// reply returns the message as it may be passed on for the name asked for: the very one if nothing is to change, else a copy.
func (s *sieve) reply(msg *dns.Msg, name string) *dns.Msg {
	if msg.Rcode != dns.RcodeSuccess || len(msg.Answer) == 0 {
		return msg
	}
	var room [2][few]fate
	f := fates{
		answer: append(room[0][:0], make([]fate, len(msg.Answer))...),
		extra:  append(room[1][:0], make([]fate, len(msg.Extra))...),
	}
	s.follow(msg.Answer, name, f)
	s.signatures(msg.Answer, f)
	if !s.addresses(msg.Answer, f) {
		return msg
	}
	if s.sets[serviceKind].size > 0 {
		s.services(msg, f)
	}
	s.settle(msg.Answer, f)
	return s.rewrite(msg, f)
}

// maxAliases is how many CNAMEs in a row are followed; resolvers take no more.
const maxAliases = 16

// follow goes along the CNAMEs from a name to that whose records answer. They pass.
func (s *sieve) follow(rrs []dns.RR, name string, f fates) {
	s.end = name
	for range maxAliases {
		i := slices.IndexFunc(rrs, func(rr dns.RR) bool {
			_, alias := rr.(*dns.CNAME)
			return alias && isAt(rr, s.end)
		})
		if i < 0 || f.answer[i] == passes {
			return // the end, or a loop
		}
		f.answer[i] = passes
		s.end = rrs[i].(*dns.CNAME).Target
	}
}

// isAt reports whether a record is one of class IN at the name.
func isAt(rr dns.RR, name string) bool {
	return rr.Header().Class == dns.ClassINET && strings.EqualFold(rr.Header().Name, name)
}

// signatures notes which RRsets of the answer are signed.
func (s *sieve) signatures(rrs []dns.RR, f fates) {
	for _, rr := range rrs {
		sig, ok := rr.(*dns.RRSIG)
		if !ok {
			continue
		}
		if kind := kindOf(sig.TypeCovered); kind >= 0 && isAt(sig, s.end) {
			s.sets[kind].signed = true
		}
		if sig.TypeCovered != dns.TypeCNAME {
			continue
		}
		for i, covered := range rrs {
			if f.answer[i] == passes && isAt(covered, sig.Hdr.Name) {
				f.answer[i] = stands
			}
		}
	}
}

// addresses judges the addresses at the end of the chain, and reports whether anything there may have to change.
func (s *sieve) addresses(rrs []dns.RR, f fates) bool {
	found := false
	for i, rr := range rrs {
		kind := kindOf(rr.Header().Rrtype)
		if kind < 0 || !isAt(rr, s.end) {
			continue
		}
		found = true
		set := &s.sets[kind]
		set.size++
		if !set.signed {
			f.answer[i] = passes
		}
		if a, ok := addressIn(rr); ok && !s.usable(a) {
			s.condemn(&f.answer[i], set.signed, &set.dead)
		}
	}
	return found
}

// condemn settles the fate of a record that is not usable: a signed one stands.
func (s *sieve) condemn(f *fate, signed bool, dead *int) {
	if signed {
		s.signed++
		return
	}
	*f = goes
	*dead++
}

// settle lets the last resort speak for each RRset in which nothing is usable.
func (s *sieve) settle(rrs []dns.RR, f fates) {
	for kind := range s.sets {
		set := &s.sets[kind]
		if set.dead == 0 || set.dead < set.size {
			continue
		}
		s.lastResort = true
		if s.none {
			continue
		}
		for i, rr := range rrs {
			if f.answer[i] == goes && rr.Header().Rrtype == kinds[kind] {
				f.answer[i] = passes
			}
		}
		if kind == serviceKind {
			f.spare()
		}
	}
	if !s.lastResort || !s.none {
		return
	}
	for i, rr := range rrs {
		if f.answer[i] != goes && isAt(rr, s.end) {
			return
		}
	}
	s.emptied = s.end
}

// rewrite makes the message of what is left.
func (s *sieve) rewrite(msg *dns.Msg, f fates) *dns.Msg {
	answer, shorter := s.section(msg.Answer, f.answer)
	extra, less := s.section(msg.Extra, f.extra)
	if !shorter && !less {
		return msg
	}
	out := *msg
	out.Answer, out.Extra = answer, extra
	if len(s.gone) > 0 {
		out.AuthenticatedData = false // nobody vouches for a part of an RRset (RFC 4035 section 3.2.3)
	}
	return &out
}

// section returns what is left of a section, and whether that differs.
func (s *sieve) section(rrs []dns.RR, of []fate) ([]dns.RR, bool) {
	var out []dns.RR
	differs := false
	for i, rr := range rrs {
		left := s.left(rr, of[i])
		if left != rr && !differs {
			differs = true
			out = append(make([]dns.RR, 0, len(rrs)), rrs[:i]...)
		}
		if differs && left != nil {
			out = append(out, left)
		}
	}
	if !differs {
		return rrs, false
	}
	return out, true
}

// left returns what is left of a record: the very one, a copy, or nil.
func (s *sieve) left(rr dns.RR, f fate) dns.RR {
	switch f {
	case goes:
		if a, ok := addressIn(rr); ok {
			s.gone = append(s.gone, a)
		}
		return nil
	case passes:
		return s.capped(s.hinted(rr))
	}
	return rr
}

// capped returns the record with a TTL that the filter allows, whose other data are shared if they are addresses.
func (s *sieve) capped(rr dns.RR) dns.RR {
	if rr.Header().Ttl <= s.ttl {
		return rr
	}
	out := withName(rr, rr.Header().Name)
	out.Header().Ttl = s.ttl
	return out
}

// addressIn returns the address of an A or AAAA record; false for other records, and for data that are no address.
func addressIn(rr dns.RR) (netip.Addr, bool) {
	var a netip.Addr
	ok := false
	switch rr := rr.(type) {
	case *dns.A:
		a, ok = netip.AddrFromSlice(rr.A)
	case *dns.AAAA:
		a, ok = netip.AddrFromSlice(rr.AAAA)
	}
	return a.Unmap(), ok
}
