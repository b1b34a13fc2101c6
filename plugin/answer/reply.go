package answer

import (
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/route"
)

// newReply is an empty authoritative reply to the query.
func newReply(q *Query) *dns.Msg {
	msg := new(dns.Msg)
	msg.SetReply(q.Req)
	msg.Authoritative = true
	return msg
}

// addEDNS adds what an asker that speaks EDNS learns besides the records: how much of its subnet mattered (RFC 7871 section 7.2.1), and that a
// last resort answered (RFC 8914, code 0; spec 4.15). The server fills in the rest of the OPT record.
func addEDNS(q *Query, res *Result) {
	asked := q.Req.IsEdns0()
	if asked == nil {
		return
	}
	var options []dns.EDNS0
	if q.who != nil {
		if option := q.who.subnet.Reply(res.Scope); option != nil {
			options = append(options, option)
		}
	}
	if group := res.outOfRecords(); group != nil {
		options = append(options, &dns.EDNS0_EDE{
			InfoCode:  dns.ExtendedErrorCodeOther,
			ExtraText: "last resort: no usable record in " + group.Name,
		})
	}
	if options == nil {
		return
	}
	opt := &dns.OPT{Hdr: dns.RR_Header{Name: ".", Rrtype: dns.TypeOPT}, Option: options}
	opt.SetUDPSize(asked.UDPSize())
	if asked.Do() {
		opt.SetDo()
	}
	res.Msg.Extra = append(res.Msg.Extra, opt)
}

// outOfRecords returns the first group on the way to the answer whose last resort answered, or nil.
func (r *Result) outOfRecords() *route.Group {
	if r.Choice.LastResort {
		return r.Group
	}
	for _, link := range r.Chain {
		if link.Choice.LastResort {
			return link.Group
		}
	}
	return nil
}

// subnetOf returns the EDNS Client Subnet option of a reply, or nil.
func subnetOf(reply *dns.Msg) *dns.EDNS0_SUBNET {
	opt := reply.IsEdns0()
	if opt == nil {
		return nil
	}
	for _, option := range opt.Option {
		if subnet, ok := option.(*dns.EDNS0_SUBNET); ok {
			return subnet
		}
	}
	return nil
}
