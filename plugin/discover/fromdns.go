package discover

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// Bounds of how long a reply is believed.
const (
	minKeep = time.Second
	maxKeep = time.Hour
)

// ErrNoAnswer says that nobody answered a question, or only with a failure.
var ErrNoAnswer = errors.New("no answer")

// Reply is what a reply says of targets.
type Reply struct {
	Found   []config.Found // in the order of Compare; each address and port once
	Missing []Service      // hosts of an SRV answer whose addresses are not in the reply
	Keep    time.Duration  // the smallest TTL, 1 s to 1 h
}

// Service is a host of an SRV answer.
type Service struct {
	Host   string // lower case
	Port   uint16
	Weight int
}

// FromDNS reads the reply to a question for the targets of a name, of type A, AAAA or SRV. CNAMEs are followed as they stand in it. Of an
// SRV answer all priorities are taken, the host "." is none (RFC 2782), a weight of 0 counts as 1, and of two services on one address and
// port the heavier one stands.
//
// The error is ErrNoAnswer, with the code, for a failure or no reply, ErrEmpty where there is nothing, and another one if the reply
// is cut short or has an address that no target can have: half of a list would remove the other half.
func FromDNS(reply *dns.Msg, name string, qtype uint16) (Reply, error) {
	switch {
	case reply == nil:
		return Reply{}, ErrNoAnswer
	case reply.Rcode != dns.RcodeSuccess && reply.Rcode != dns.RcodeNameError:
		return Reply{}, fmt.Errorf("%w: %s", ErrNoAnswer, rcodeWord(reply.Rcode))
	case reply.Truncated:
		return Reply{}, errors.New("the answer is truncated")
	}
	r := &replyReader{keep: maxKeep, found: map[netip.AddrPort]config.Found{}}
	if qtype == dns.TypeSRV {
		r.services(name, reply)
	} else {
		for _, a := range r.addresses(byOwner(reply.Answer), name, qtype) {
			r.add(a, 0, config.DefaultWeight)
		}
	}
	switch {
	case r.err != nil:
		return Reply{}, r.err
	case len(r.found) == 0 && len(r.missing) == 0:
		return Reply{}, ErrEmpty
	}
	return Reply{Found: r.list(), Missing: r.missing, Keep: max(minKeep, r.keep)}, nil
}

// replyReader is the state of reading a reply.
type replyReader struct {
	keep    time.Duration
	found   map[netip.AddrPort]config.Found
	missing []Service
	err     error // the first fault
}

// owned are the records of each lower-case name.
type owned map[string][]dns.RR

func byOwner(sections ...[]dns.RR) owned {
	o := owned{}
	for _, records := range sections {
		for _, rr := range records {
			name := dns.CanonicalName(rr.Header().Name)
			o[name] = append(o[name], rr)
		}
	}
	return o
}

// services takes the hosts of the SRV records.
func (r *replyReader) services(name string, reply *dns.Msg) {
	hosts := byOwner(reply.Answer, reply.Extra)
	known := map[string][]netip.Addr{} // many services can be on one host
	for _, rr := range r.records(byOwner(reply.Answer), name, dns.TypeSRV) {
		srv, ok := rr.(*dns.SRV)
		if !ok {
			continue
		}
		s := Service{Host: dns.CanonicalName(srv.Target), Port: srv.Port, Weight: max(1, int(srv.Weight))}
		if s.Host == "." {
			continue
		}
		addresses, asked := known[s.Host]
		if !asked {
			addresses = append(r.addresses(hosts, s.Host, dns.TypeA), r.addresses(hosts, s.Host, dns.TypeAAAA)...)
			known[s.Host] = addresses
		}
		for _, a := range addresses {
			r.add(a, s.Port, s.Weight)
		}
		if len(addresses) == 0 {
			r.missing = append(r.missing, s)
		}
	}
}

// add notes a target.
func (r *replyReader) add(a netip.Addr, port uint16, weight int) {
	at := netip.AddrPortFrom(a, port)
	weight = max(weight, r.found[at].Weight)
	r.found[at] = config.Found{Address: a, Port: port, Weight: weight}
}

func (r *replyReader) list() []config.Found {
	found := make([]config.Found, 0, len(r.found))
	for _, f := range r.found {
		found = append(found, f)
	}
	sort(found)
	return found
}

// records are those of a type that the name has, or what it stands for.
func (r *replyReader) records(of owned, name string, rtype uint16) []dns.RR {
	var out []dns.RR
	seen := map[string]bool{}
	for names := []string{dns.CanonicalName(name)}; len(names) > 0; names = names[1:] {
		if seen[names[0]] {
			continue
		}
		seen[names[0]] = true
		for _, rr := range of[names[0]] {
			alias, isAlias := rr.(*dns.CNAME)
			switch {
			case isAlias:
				names = append(names, dns.CanonicalName(alias.Target))
			case rr.Header().Rrtype == rtype:
				out = append(out, rr)
			default:
				continue
			}
			r.keep = min(r.keep, time.Duration(rr.Header().Ttl)*time.Second)
		}
	}
	return out
}

// addresses are the name's of a family.
func (r *replyReader) addresses(of owned, name string, family uint16) []netip.Addr {
	var out []netip.Addr
	for _, rr := range r.records(of, name, family) {
		if a, ok := r.address(rr); ok {
			out = append(out, a)
		}
	}
	return out
}

// address is that of a record.
func (r *replyReader) address(rr dns.RR) (netip.Addr, bool) {
	var a netip.Addr
	switch rr := rr.(type) {
	case *dns.A:
		a, _ = netip.AddrFromSlice(rr.A)
		a = a.Unmap() // the library keeps four bytes in sixteen
	case *dns.AAAA:
		a, _ = netip.AddrFromSlice(rr.AAAA)
	}
	if _, err := config.ParseAddress(a.String()); err != nil {
		if r.err == nil {
			r.err = fmt.Errorf("%w: expected the unicast address of a host", err)
		}
		return netip.Addr{}, false
	}
	return a, true
}

func rcodeWord(code int) string {
	if word, ok := dns.RcodeToString[code]; ok {
		return word
	}
	return fmt.Sprintf("RCODE%d", code)
}
