package healthroute

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/metrics"
	"github.com/coredns/coredns/request"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// signer is what the plugin *dnssec* offers. It stands below us and never sees our answers, so they are brought to it.
type signer interface {
	Sign(state request.Request, now time.Time, server string) *dns.Msg
}

// signing is what a block's *dnssec* does for its zones. Nil signs nothing. It is read-only and shared by all goroutines.
type signing struct {
	by    signer
	zones map[string]string // of ours, the zone that *dnssec* signs them as part of
}

// newSigning finds out which of the zones the handler, nil for none, signs: those whose apex it signs a throw-away record of.
func newSigning(h plugin.Handler, zones []string, server string) *signing {
	by, ok := h.(signer)
	if !ok {
		return nil
	}
	s := &signing{by: by, zones: map[string]string{}}
	for _, zone := range zones {
		m := new(dns.Msg)
		m.SetQuestion(zone, dns.TypeTXT)
		m.Response = true
		m.Answer = []dns.RR{&dns.TXT{Hdr: dns.RR_Header{Name: zone, Rrtype: dns.TypeTXT, Class: dns.ClassINET, Ttl: 1}, Txt: []string{pluginName}}}
		for _, rr := range by.Sign(request.Request{Req: m, Zone: zone}, time.Now().UTC(), server).Answer {
			if sig, signed := rr.(*dns.RRSIG); signed {
				s.zones[zone] = strings.ToLower(sig.SignerName)
			}
		}
	}
	if len(s.zones) == 0 {
		return nil
	}
	return s
}

// signs reports whether the name lies in a zone of ours that is signed.
func (s *signing) signs(name string) bool {
	if s == nil {
		return false
	}
	for zone := range s.zones {
		if config.IsBelow(strings.ToLower(name), zone) {
			return true
		}
	}
	return false
}

// unsigned returns a copy of a request to the rest of the chain, which signs nothing then: what comes back may be taken apart and becomes part of an answer
// that is signed as a whole. For a DNSKEY, which only *dnssec* has, and for other zones than ours, the copy asks as the client did.
func (s *signing) unsigned(r *dns.Msg) *dns.Msg {
	r = r.Copy()
	if opt := r.IsEdns0(); opt != nil && s.signs(r.Question[0].Name) {
		opt.SetDo(false)
	}
	return r
}

// sign returns the answer to a request as a client gets it who wants signatures; the very message for all others, and in a zone that is not signed. NXDOMAIN becomes
// NODATA by it: that is how *dnssec* denies.
func (s *signing) sign(ctx context.Context, zone string, r, reply *dns.Msg) *dns.Msg {
	if s == nil || s.zones[zone] == "" {
		return reply
	}
	if opt := r.IsEdns0(); opt == nil || !opt.Do() {
		return reply
	}
	out := *reply // its records may be others' too
	out.Answer, out.Ns, out.Extra = ordered(reply.Answer), ordered(reply.Ns), ordered(reply.Extra)
	return s.by.Sign(request.Request{Req: &out, Zone: s.zones[zone]}, time.Now().UTC(), metrics.WithServer(ctx))
}

// ordered is a copy of a section in which the records of a set that stand together are in one order: that of signatures that *dnssec* remembers.
func ordered(rrs []dns.RR) []dns.RR {
	out := slices.Clone(rrs)
	for begin := 0; begin < len(out); {
		end := begin + 1
		for end < len(out) && dns.IsRRset(out[begin:end+1]) {
			end++
		}
		if set := out[begin:end]; len(set) > 1 {
			slices.SortFunc(set, func(a, b dns.RR) int { return strings.Compare(a.String(), b.String()) })
		}
		begin = end
	}
	return out
}
