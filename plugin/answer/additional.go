package answer

import (
	"context"
	"strings"

	"github.com/miekg/dns"
)

// maxHosts bounds the names whose addresses are added to a reply. More would hardly fit.
const maxHosts = 16

// additional adds what an asker would ask for next: the addresses of the hosts in the records of the answer, of those that our groups have
// (RFC 1035 section 3.3.9, RFC 2782, RFC 9460 section 4.1). They are those that a query for them would get. Where the client's subnet decides about them
// there are none: resolvers keep additional data for everybody (RFC 7871 sections 7.3.1 and 7.4).
func (a *Answerer) additional(ctx context.Context, q *Query, res *Result) {
	a.addAddresses(ctx, q, res, res.Msg.Answer, false)
}

// addAddresses adds the addresses of the hosts in the records; glue lies below a cut.
func (a *Answerer) addAddresses(ctx context.Context, q *Query, res *Result, of []dns.RR, glue bool) {
	var added []string
	for _, rr := range of {
		name := serviceHost(rr)
		if name == "" || contains(added, name) {
			continue
		}
		if added = append(added, name); len(added) > maxHosts {
			return
		}
		h := a.beside.host(ctx, q, res, name, glue)
		for _, family := range []uint16{dns.TypeA, dns.TypeAAAA} {
			if rrs, scope := a.beside.addresses(q, h, name, family); scope == 0 || !q.bySubnet() {
				res.Msg.Extra = append(res.Msg.Extra, rrs...)
			}
		}
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// Fit leaves out of the message additional addresses that do not fit into the client's buffer, whole RRsets from the end: they are optional, and
// must not make the answer look truncated (RFC 2181 section 9). What then does not fit is the server's to cut. The addresses in a referral are
// not optional (RFC 9471) and stay. size is the buffer in bytes; it is asked for only if there is something to leave out.
func (r *Result) Fit(req *dns.Msg, size func() int) {
	m := r.Msg
	if r.relayed || len(m.Answer) == 0 || len(m.Extra) == 0 || m.Extra[0].Header().Rrtype == dns.TypeOPT {
		return
	}
	room := size()
	if opt := req.IsEdns0(); opt != nil && m.IsEdns0() == nil {
		room -= dns.Len(opt) // the server adds it
	}
	m.Compress = true // as the server does before it cuts
	for m.Len() > room {
		if !dropLast(m) {
			break
		}
	}
	m.Compress = false
}

// dropLast takes the last RRset of addresses out of the additional section, and reports whether there was one.
func dropLast(m *dns.Msg) bool {
	end := len(m.Extra)
	for end > 0 && m.Extra[end-1].Header().Rrtype == dns.TypeOPT {
		end--
	}
	if end == 0 {
		return false
	}
	last := m.Extra[end-1].Header()
	begin := end
	for begin > 0 && m.Extra[begin-1].Header().Rrtype == last.Rrtype && m.Extra[begin-1].Header().Name == last.Name {
		begin--
	}
	m.Extra = append(m.Extra[:begin:begin], m.Extra[end:]...)
	return true
}
