package answer

import (
	"slices"

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
// last resort answered (RFC 8914, code 0; spec 4.15). The server fills in the rest of the OPT record. Of somebody else's answer only a
// filter's last resort is ours to tell.
func addEDNS(q *Query, res *Result) {
	asked := q.Req.IsEdns0()
	if asked == nil {
		return
	}
	var options []dns.EDNS0
	if q.who != nil && !res.relayed {
		if option := q.who.subnet.Reply(res.Scope); option != nil {
			options = append(options, option)
		}
	}
	if group := res.outOfRecords(); group != nil {
		options = append(options, lastResort("no usable record in "+group.Name))
	}
	if f := res.Filtered; f != nil && f.LastResort {
		options = append(options, lastResort("no usable address for "+f.name))
	}
	switch {
	case options == nil:
	case res.relayed:
		res.Msg = withOptions(res.Msg, asked, options)
	default:
		res.Msg.Extra = append(res.Msg.Extra, newOPT(asked, options))
	}
}

// lastResort is the extended error of an answer that a last resort gave.
func lastResort(why string) *dns.EDNS0_EDE {
	return &dns.EDNS0_EDE{InfoCode: dns.ExtendedErrorCodeOther, ExtraText: "last resort: " + why}
}

// newOPT is an OPT record for whoever asked with one.
func newOPT(asked *dns.OPT, options []dns.EDNS0) *dns.OPT {
	opt := &dns.OPT{Hdr: dns.RR_Header{Name: ".", Rrtype: dns.TypeOPT}, Option: options}
	opt.SetUDPSize(asked.UDPSize())
	if asked.Do() {
		opt.SetDo()
	}
	return opt
}

// withOptions is a copy of somebody else's message with further options in its OPT record.
func withOptions(msg *dns.Msg, asked *dns.OPT, options []dns.EDNS0) *dns.Msg {
	out := *msg
	out.Extra = slices.Clone(msg.Extra)
	for i, rr := range out.Extra {
		if opt, ok := rr.(*dns.OPT); ok {
			own := *opt
			own.Option = append(slices.Clip(opt.Option), options...)
			out.Extra[i] = &own
			return &out
		}
	}
	out.Extra = append(out.Extra, newOPT(asked, options))
	return &out
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
