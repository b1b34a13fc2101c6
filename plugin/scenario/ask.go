package scenario

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/locate"
	"github.com/healthroute/healthroute/plugin/route"
)

// Question is what a client asks.
type Question struct {
	Name      string // relative to the first zone unless it ends in a dot; @ is the apex
	Type      uint16
	From      netip.Addr   // the asker; none: an address that nothing is known of
	Subnet    netip.Prefix // EDNS Client Subnet; none unless valid
	DO        bool
	Everybody bool // where `sticky` gives each client network its own record: what the clients of all networks get together
	// Place is what is known of the asker's place, instead of what the stanzas' files say; nil for those.
	Place *locate.Locator
}

// Outcome is one possible reply to a question, with its exact probability. Replies are one whose code and sets of answer
// records, or of the name servers that they refer to, are equal.
type Outcome struct {
	Part   *big.Rat
	Result answer.Result // Msg is never nil
}

// MaxOutcomes bounds the number of different choices that are gone through.
const MaxOutcomes = 10_000

// Ask returns all possible replies to the question at this instant, most probable first. Their parts sum to 1. More than
// MaxOutcomes choices are an error.
func (w *World) Ask(q Question) ([]Outcome, error) {
	query, n, err := w.query(q)
	if err != nil {
		return nil, err
	}
	return w.askOf(n, query)
}

// askOf returns all possible replies of the server block, most probable first.
func (w *World) askOf(n *server, query *answer.Query) ([]Outcome, error) {
	byAnswer := map[string]int{}
	var out []Outcome
	for w.draws.reset(); ; {
		w.draws.begin()
		res := n.answer(query)
		if w.draws.failed {
			return nil, tooMany(query)
		}
		key := fmt.Sprint(res.Msg.Rcode, Values(res.Msg), servers(res.Msg))
		if i, seen := byAnswer[key]; seen {
			out[i].Part = new(big.Rat).Add(out[i].Part, w.draws.part)
		} else {
			byAnswer[key] = len(out)
			out = append(out, Outcome{w.draws.part, res})
		}
		if !w.draws.next() {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b Outcome) int { return b.Part.Cmp(a.Part) })
	return out, nil
}

// Explain returns why the question is answered as it is; where chance decides, for the first of the possible answers.
func (w *World) Explain(q Question) (answer.Explanation, error) {
	query, n, err := w.query(q)
	if err != nil {
		return answer.Explanation{}, err
	}
	w.draws.reset()
	w.draws.begin()
	res := n.answer(query)
	return answer.Explain(query, res, res.Msg), nil
}

// query makes the request and finds the server block that CoreDNS would give it to.
func (w *World) query(q Question) (*answer.Query, *server, error) {
	name := w.fullName(q.Name)
	if _, ok := dns.IsDomainName(name); !ok {
		return nil, nil, fmt.Errorf("%q is no name", q.Name)
	}
	var best *server
	length := -1
	for _, n := range w.servers {
		for _, zone := range n.Zones {
			if dns.IsSubDomain(zone, name) && len(zone) > length {
				best, length = n, len(zone)
			}
		}
	}
	if best == nil {
		return nil, nil, fmt.Errorf("no server block with healthroute serves %q", name)
	}
	return w.queryOf(best, name, q), best, nil
}

// queryOf makes the request for an absolute name to a server block.
func (w *World) queryOf(n *server, name string, q Question) *answer.Query {
	w.place, w.draws.everybody = q.Place, q.Everybody
	req := new(dns.Msg)
	req.SetQuestion(name, q.Type)
	req.Id = 0
	req.SetEdns0(dns.DefaultMsgSize, q.DO)
	if q.Subnet.IsValid() {
		opt := req.IsEdns0()
		opt.Option = append(opt.Option, subnetOption(q.Subnet))
	}
	lower := strings.ToLower(name)
	return &answer.Query{Req: req, Name: lower, Match: n.table.Find(lower), Next: n.next, From: asker(q.From)}
}

// asker is where a pretended query comes from.
type asker netip.Addr

// Source is answer.Asker's.
func (a asker) Source() netip.Addr {
	if addr := netip.Addr(a); addr.IsValid() {
		return addr
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1}) // as a query from the server itself
}

// Metadata is answer.Asker's; other plugins are not there.
func (asker) Metadata() func(string) string { return nil }

func subnetOption(p netip.Prefix) *dns.EDNS0_SUBNET {
	option := &dns.EDNS0_SUBNET{
		Code: dns.EDNS0SUBNET, Family: 2, SourceNetmask: uint8(p.Bits()), Address: p.Masked().Addr().AsSlice(),
	}
	if p.Addr().Is4() {
		option.Family = 1
	}
	return option
}

// answer is what a client gets in the end: ours, or for a query that is passed on the next plugin's.
func (n *server) answer(q *answer.Query) answer.Result {
	ctx := context.Background()
	res := n.answerer.Answer(ctx, q)
	if res.Pass {
		b := q.Next.Ask(ctx, q.Req)
		res.Msg, res.Rcode = b.Msg, b.Rcode
		if b.Nobody {
			res.Rcode = dns.RcodeRefused
		}
	}
	if res.Msg == nil {
		res.Msg = new(dns.Msg)
		res.Msg.SetRcode(q.Req, res.Rcode)
	}
	return res
}

// fullName reads a name as the Corefile does: relative to the first zone unless it ends in a dot.
func (w *World) fullName(name string) string {
	zone := "."
	if len(w.servers) > 0 && len(w.servers[0].Stanzas) > 0 {
		zone = w.servers[0].Stanzas[0].Zones[0]
	}
	switch {
	case name == "@":
		return zone
	case dns.IsFqdn(name):
		return name
	case dns.IsSubDomain(zone, dns.Fqdn(name)) && zone != ".":
		return dns.Fqdn(name) // written out, without the last dot
	}
	return name + "." + strings.TrimPrefix(zone, ".")
}

// Values returns the records of a reply's answer section as data in zone file form, sorted; a CNAME or another type than was asked for
// among them is written with its type.
func Values(m *dns.Msg) []string {
	out := make([]string, 0, len(m.Answer))
	for _, rr := range m.Answer {
		out = append(out, answer.Data(rr))
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}

// first is a source of chance without any: answers keep their order.
type first struct{}

// Uint64N is always 0.
func (first) Uint64N(uint64) uint64 { return 0 }

// enumeration goes through all choices that an answer can be made of: each pass takes, at every choice, the outcome that the path says, and
// the path is counted up like an odometer.
type enumeration struct {
	path   []int // which outcome to take at each choice
	widths []int // how many there are
	depth  int   // choices made in this pass
	passes int
	part   *big.Rat // probability of this pass
	failed bool     // there are too many

	everybody bool // Question.Everybody
}

func (e *enumeration) reset() { *e = enumeration{everybody: e.everybody} }

func (e *enumeration) begin() {
	e.depth, e.part = 0, big.NewRat(1, 1)
	e.passes++
	e.failed = e.failed || e.passes > MaxOutcomes
}

// choose is the Choose of the world's answerers.
func (e *enumeration) choose(s *route.Set, q *route.Query) route.Choice {
	q.Everybody = e.everybody
	outcomes, ok := s.Outcomes(q, MaxOutcomes)
	if !ok {
		e.failed = true
		return s.Choose(q)
	}
	if e.depth == len(e.path) {
		e.path, e.widths = append(e.path, 0), append(e.widths, 0)
	}
	e.widths[e.depth] = len(outcomes)
	taken := outcomes[e.path[e.depth]]
	e.depth++
	e.part = new(big.Rat).Mul(e.part, taken.Part)
	return taken.Choice
}

// next moves to the next path and reports whether there is one.
func (e *enumeration) next() bool {
	e.path, e.widths = e.path[:e.depth], e.widths[:e.depth]
	for i := e.depth - 1; i >= 0; i-- {
		if e.path[i]+1 < e.widths[i] {
			e.path[i]++
			e.path, e.widths = e.path[:i+1], e.widths[:i+1]
			return true
		}
	}
	return false
}

func soaOf(m *dns.Msg) *dns.SOA {
	for _, rr := range m.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			return soa
		}
	}
	return nil
}

func optionsOf(m *dns.Msg) []dns.EDNS0 {
	if opt := m.IsEdns0(); opt != nil {
		return opt.Option
	}
	return nil
}
