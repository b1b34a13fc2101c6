package answer

import (
	"context"
	"strings"

	"github.com/miekg/dns"
)

// Next asks whoever stands behind us: the rest of the plugin chain, or a scenario's zone files.
type Next interface {
	// Ask returns the answer to the request, which it leaves unchanged.
	Ask(ctx context.Context, req *dns.Msg) Behind
}

// Behind is what came from behind us.
type Behind struct {
	Msg    *dns.Msg // the reply; nil if only a code was returned
	Rcode  int      // the reply's code, or the one returned
	Err    error    // returned beside it
	Nobody bool     // nobody stands there

	filtered *Filtered // what a filter of ours did to Msg; nil without one
}

// lacksName reports whether whoever stands behind us does not have the name: says so, refuses the zone, or is not there.
// A failure proves nothing, and the code beside an alias is about the end of its chain (RFC 6604 section 3).
func (b Behind) lacksName() bool {
	if b.answers() {
		return false
	}
	return b.Nobody || b.Rcode == dns.RcodeNameError || b.Rcode == dns.RcodeRefused
}

// answers reports whether there are records of the name, were it only an alias that leads nowhere.
func (b Behind) answers() bool { return b.Msg != nil && len(b.Msg.Answer) > 0 }

// fails reports a failure, which proves nothing.
func (b Behind) fails() bool { return b.Rcode == dns.RcodeServerFailure && !b.answers() }

// empty reports a reply that holds nothing at all, not even the SOA of a proper NODATA or a referral.
func (b Behind) empty() bool {
	return b.Rcode == dns.RcodeSuccess && (b.Msg == nil || len(b.Msg.Answer) == 0 && len(b.Msg.Ns) == 0)
}

// hasCNAME reports whether the reply makes the (lower-case) name an alias.
func (b Behind) hasCNAME(name string) bool {
	if b.Msg == nil {
		return false
	}
	for _, rr := range b.Msg.Answer {
		if rr.Header().Rrtype == dns.TypeCNAME && strings.EqualFold(rr.Header().Name, name) {
			return true
		}
	}
	return false
}

// relay lets the answer from behind us stand.
func relay(b Behind) Result {
	return Result{Msg: b.Msg, Rcode: b.Rcode, Err: b.Err, relayed: true, Filtered: b.filtered}
}

// question makes a request of our own, for somebody else's name.
func question(q *Query, name string, qtype uint16) *dns.Msg {
	req := q.Req.Copy()
	req.Question[0].Name, req.Question[0].Qtype = name, qtype
	return req
}
