package healthroute

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/coredns/coredns/request"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/route"
	"github.com/healthroute/healthroute/plugin/status"
)

// metadataCollector is what *metadata* offers.
type metadataCollector interface {
	Collect(ctx context.Context, state request.Request) context.Context
}

// manyChoices bounds those of a full turn that are gone through.
const manyChoices = 10_000

// chooseAside chooses for somebody who only asks why: as a query would, but policy roundrobin does not lose a turn by it.
func chooseAside(s *route.Set, q *route.Query) route.Choice {
	if s.Group.Policy != config.PolicyRoundRobin {
		return s.Choose(q)
	}
	outcomes, ok := s.Outcomes(q, manyChoices)
	if !ok || len(outcomes) == 0 {
		return s.Choose(q)
	}
	return outcomes[rand.IntN(len(outcomes))].Choice // a turn is as likely as the other
}

// Explain answers a question as the server block would that gets it, and says why. Plugins above ours take no part.
func (b apiBackend) Explain(ctx context.Context, q status.Question) (status.Explanation, error) {
	block, name, err := b.asked(q)
	if err != nil {
		return status.Explanation{}, err
	}
	req := new(dns.Msg)
	req.SetQuestion(name, q.Type)
	req.SetEdns0(dns.DefaultMsgSize, false)
	client := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if prefix, err := netip.ParsePrefix(q.Client); err == nil {
		opt := req.IsEdns0()
		opt.Option = append(opt.Option, subnetOption(prefix.Masked()))
	} else if q.Client != "" {
		if client, err = netip.ParseAddr(q.Client); err != nil {
			return status.Explanation{}, err
		}
	}
	w := ownQuestion{&net.UDPAddr{IP: client.Unmap().AsSlice(), Port: 53}}
	if block.geoip != nil {
		ctx = block.geoip.Collect(ctx, request.Request{Req: req, W: w})
	}
	for { // as ServeDNS does
		asked := &query{ctx: ctx, h: &Handler{Next: block.next, block: block}, w: w}
		lower := strings.ToLower(name)
		asked.Query = answer.Query{Req: req, Name: lower, Match: block.table.Find(lower), Next: asked, From: asked}
		res := block.explains.Answer(ctx, &asked.Query)
		if other := asked.h.astray(asked, res); other != nil {
			block = other
			continue
		}
		return status.Explanation{Block: block.key, Explanation: answer.Explain(&asked.Query, res, asked.sent(ctx, res))}, nil
	}
}

// sent is the message that the client gets in the end.
func (q *query) sent(ctx context.Context, res answer.Result) *dns.Msg {
	rcode := res.Rcode
	switch {
	case res.Pass && q.h.Next == nil && q.Match.Zone != nil:
		rcode = dns.RcodeRefused
	case res.Pass:
		b := q.Ask(ctx, q.Req)
		res.Msg, rcode = b.Msg, b.Rcode
	}
	if res.Msg == nil {
		res.Msg = new(dns.Msg)
		res.Msg.SetRcode(q.Req, rcode)
	}
	return res.Msg
}

// asked returns the server block that CoreDNS gives a question to, or the one that it names, and the absolute name.
func (b apiBackend) asked(q status.Question) (*block, string, error) {
	candidates := []string{q.Name}
	if !dns.IsFqdn(q.Name) { // without its last dot, or relative to a zone
		candidates = []string{dns.Fqdn(q.Name)}
		for _, block := range b.blocks() {
			for _, z := range block.table.Zones() {
				name := q.Name + "." + strings.TrimPrefix(z.Name, ".")
				if q.Name == "@" {
					name = z.Name
				}
				candidates = append(candidates, name)
			}
		}
	}
	var keys []string
	for _, name := range candidates {
		var best *block
		var zone string
		for _, block := range b.blocks() {
			keys = append(keys, block.key)
			if q.Block != "" && q.Block != block.key {
				continue
			}
			for _, at := range whereServed(block.keys) {
				if config.IsBelow(strings.ToLower(name), at.zone) && (best == nil || before(q.Type, at.zone, zone)) {
					best, zone = block, at.zone
				}
			}
		}
		if best != nil && (len(candidates) == 1 || best.table.Find(strings.ToLower(name)).Zone != nil) {
			return best, name, nil
		}
	}
	p := &status.Problem{
		Status: http.StatusNotFound, Message: fmt.Sprintf("no server block with healthroute is asked for %q", q.Name), Expected: "a name in one of its zones",
	}
	if q.Block != "" {
		p.Message = fmt.Sprintf("server block %q is not asked for %q", q.Block, q.Name)
		p.Nearest = config.Nearest(q.Block, keys)
	}
	return nil, "", p
}

// before reports whether CoreDNS gives a question of the type to the server block of the one zone before that of the other: to the innermost one but,
// of type DS, to the outermost, unless that is the root.
func before(qtype uint16, one, other string) bool {
	if qtype == dns.TypeDS && one != "." && other != "." {
		return len(one) < len(other)
	}
	return len(one) > len(other)
}

// subnetOption is EDNS Client Subnet (RFC 7871 section 6).
func subnetOption(p netip.Prefix) *dns.EDNS0_SUBNET {
	family := uint16(2)
	if p.Addr().Is4() {
		family = 1
	}
	return &dns.EDNS0_SUBNET{Code: dns.EDNS0SUBNET, Family: family, SourceNetmask: uint8(p.Bits()), Address: p.Addr().AsSlice()}
}
