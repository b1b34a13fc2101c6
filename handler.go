package healthroute

import (
	"context"
	"net/netip"
	"strings"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/metadata"
	"github.com/coredns/coredns/plugin/metrics"
	"github.com/coredns/coredns/plugin/pkg/nonwriter"
	"github.com/coredns/coredns/request"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/route"
)

// Handler answers the queries of one server block. It is read-only after OnStartup and shared by all goroutines.
type Handler struct {
	Next  plugin.Handler
	block *block
}

// Name returns the directive.
func (h *Handler) Name() string { return pluginName }

// ServeDNS answers from a group of ours, or hands the query to the next plugin.
func (h *Handler) ServeDNS(ctx context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	name, match := h.asked(r)
	if match.Zone == nil {
		return plugin.NextOrFailure(h.Name(), h.Next, ctx, w, r)
	}
	q := &query{Query: answer.Query{Req: r, Name: name, Match: match}, ctx: ctx, h: h, w: w}
	q.Next, q.From = q, q
	res := h.block.answerer.Answer(ctx, &q.Query)
	if res.Group != nil {
		h.block.counters.count(metrics.WithServer(ctx), res)
		setMetadata(ctx, res)
	}
	if res.Filtered != nil {
		countFiltered(ctx, res.Filtered)
	}
	if other := h.astray(q, res); other != nil {
		return (&Handler{Next: other.next, block: other}).ServeDNS(ctx, w, r)
	}
	switch {
	case res.Pass && h.Next == nil:
		return dns.RcodeRefused, nil
	case res.Pass:
		return plugin.NextOrFailure(h.Name(), h.Next, ctx, w, r)
	case res.Msg == nil:
		return res.Rcode, res.Err
	}
	res.Msg = h.block.signing.sign(ctx, match.Zone.Name, r, res.Msg)
	res.Fit(r, func() int { return (&request.Request{Req: r, W: w}).Size() })
	if err := w.WriteMsg(res.Msg); err != nil {
		return dns.RcodeServerFailure, err
	}
	return dns.RcodeSuccess, res.Err
}

// astray returns the server block that a query belongs to which CoreDNS has led to us all the same; nil if it is ours.
func (h *Handler) astray(q *query, res answer.Result) *block {
	if !res.Pass || q.Match.Cut == nil {
		return nil
	}
	return h.block.beside[q.Match.Cut.Name]
}

// asked returns the lower-case name of the question and what our table says of it. Nothing but a plain query of class IN is ours to look
// at: transfers are the zone file's business.
func (h *Handler) asked(r *dns.Msg) (string, route.Match) {
	if r.Opcode != dns.OpcodeQuery || len(r.Question) != 1 {
		return "", route.Match{}
	}
	question := &r.Question[0]
	if question.Qclass != dns.ClassINET || question.Qtype == dns.TypeAXFR || question.Qtype == dns.TypeIXFR {
		return "", route.Match{}
	}
	name := strings.ToLower(question.Name)
	return name, h.block.table.Find(name)
}

// query is an answer.Query that asks the rest of the chain of its handler. It is one allocation.
type query struct {
	answer.Query
	ctx context.Context // of the query, for what other plugins know of it
	h   *Handler
	w   dns.ResponseWriter
}

// Ask runs the rest of the chain on a copy of the request and keeps what it writes.
func (q *query) Ask(ctx context.Context, req *dns.Msg) answer.Behind {
	if q.h.Next == nil {
		return answer.Behind{Nobody: true, Rcode: dns.RcodeServerFailure}
	}
	w := nonwriter.New(q.w)
	rcode, err := plugin.NextOrFailure(pluginName, q.h.Next, ctx, w, q.h.block.signing.unsigned(req))
	if w.Msg != nil {
		return answer.Behind{Msg: w.Msg, Rcode: w.Msg.Rcode, Err: err}
	}
	return answer.Behind{Rcode: rcode, Err: err, Nobody: isNobody(err)}
}

// Source is answer.Asker's: the address that the query came from.
func (q *query) Source() netip.Addr {
	from, _ := netip.ParseAddrPort(q.w.RemoteAddr().String())
	return from.Addr().Unmap().WithZone("")
}

// Metadata is answer.Asker's: what the block's *geoip* says through *metadata*.
func (q *query) Metadata() func(label string) string {
	if q.h.block.geoip == nil {
		return nil
	}
	return func(label string) string {
		if value := metadata.ValueFunc(q.ctx, label); value != nil {
			return value()
		}
		return ""
	}
}

// isNobody recognizes the error of the last plugin of a chain that has nobody to ask. CoreDNS has no value for it, only the text of
// plugin.NextOrFailure.
func isNobody(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "no next plugin found")
}

// CacheBypassZones keeps our answers out of a cache that stands above us, where all clients would share one. It is nil
// in the right order, because cache compares every query with the list.
func (h *Handler) CacheBypassZones() []string {
	if !belowCache() {
		return nil
	}
	return h.block.zones()
}

// Ready reports whether we have started and every check has ended an attempt. It answers for the whole process,
// because the ready plugin keeps one entry for all our blocks.
func (h *Handler) Ready() bool { return ready() }

func ready() bool {
	started := running.all()
	for _, i := range started {
		if !i.attempted() {
			return false
		}
	}
	return len(started) > 0
}

// setMetadata says what was answered and why, for log, dnstap and trace. It costs nothing where nobody collects metadata.
func setMetadata(ctx context.Context, res answer.Result) {
	if metadata.ValueFuncs(ctx) == nil {
		return
	}
	set := func(label, value string) {
		metadata.SetValueFunc(ctx, pluginName+"/"+label, func() string { return value })
	}
	set("group", res.Group.Name)
	set("record", recordIDs(res))
	set("reason", res.Reason)
}

// recordIDs joins the ids of the chosen records, "" for a negative answer.
func recordIDs(res answer.Result) string {
	ids := make([]string, res.Choice.Len())
	for i := range ids {
		ids[i] = res.Choice.At(i).Record.ID
	}
	return strings.Join(ids, ",")
}
