package answer

import (
	"strings"

	"github.com/miekg/dns"
)

// target is a name that SRV records point to, with its addresses in the additional section.
type target struct {
	signed [len(kinds)]bool
	size   int
	dead   int // how many of the addresses are not usable and not signed
}

// services judges the SRV records at the end of the chain by the addresses of their targets, as far as the additional section has any.
func (s *sieve) services(msg *dns.Msg, f fates) {
	s.targets = map[string]*target{}
	for _, rr := range msg.Answer {
		if srv := s.service(rr); srv != nil {
			s.targets[strings.ToLower(srv.Target)] = &target{}
		}
	}
	for _, rr := range msg.Extra {
		if sig, ok := rr.(*dns.RRSIG); ok && s.targetAt(sig) != nil && kindOf(sig.TypeCovered) >= 0 {
			s.targetAt(sig).signed[kindOf(sig.TypeCovered)] = true
		}
	}
	for i, rr := range msg.Extra {
		a, ok := addressIn(rr)
		t := s.targetAt(rr)
		if !ok || t == nil {
			continue
		}
		t.size++
		signed := t.signed[kindOf(rr.Header().Rrtype)]
		if !signed {
			f.extra[i] = passes
		}
		if !s.usable(a) {
			s.condemn(&f.extra[i], signed, &t.dead)
		}
	}
	set := &s.sets[serviceKind]
	for i, rr := range msg.Answer {
		if srv := s.service(rr); srv != nil {
			if t := s.targets[strings.ToLower(srv.Target)]; t.size > 0 && t.dead == t.size {
				s.condemn(&f.answer[i], set.signed, &set.dead)
			}
		}
	}
	if set.signed {
		f.spare()
	}
}

// service returns the SRV record, or nil if it is none at the end of the chain.
func (s *sieve) service(rr dns.RR) *dns.SRV {
	if srv, ok := rr.(*dns.SRV); ok && isAt(rr, s.end) {
		return srv
	}
	return nil
}

// targetAt returns the target whose name the record stands at, or nil.
func (s *sieve) targetAt(rr dns.RR) *target {
	if rr.Header().Class != dns.ClassINET {
		return nil
	}
	return s.targets[strings.ToLower(rr.Header().Name)]
}

// spare leaves the addresses of services in that stay though nothing of them is usable.
func (f fates) spare() {
	for i, of := range f.extra {
		if of == goes {
			f.extra[i] = passes
		}
	}
}
