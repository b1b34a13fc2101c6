package scenario

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
)

// An expectation of a question must hold for every answer that is possible.

// noData is the set of a NODATA answer.
const noData = "nodata"

// key is the set that an answer is: its data sorted and joined, `nodata`, the name servers of a referral, or the code of a
// failure.
func key(o Outcome) string {
	var values []string
	for _, rr := range o.Result.Msg.Answer {
		values = append(values, folded(rr))
	}
	slices.Sort(values)
	referral := servers(o.Result.Msg)
	switch {
	case len(values) > 0:
		return strings.Join(values, "+")
	case referral != nil:
		return "referral to " + strings.Join(referral, "+")
	case o.Result.Msg.Rcode == dns.RcodeSuccess:
		return noData
	}
	return dns.RcodeToString[o.Result.Msg.Rcode]
}

// wanted is the same of a set in a script: each value is read as data of the type that was asked for, or as a CNAME's.
func (p *player) wanted(set []string) string {
	if len(set) == 1 && strings.EqualFold(set[0], noData) {
		return noData
	}
	out := make([]string, len(set))
	for i, v := range set {
		out[i] = p.canonical(v)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "+")
}

// folded is the data of a record, its names in lower case: letter case never matters.
func folded(rr dns.RR) string {
	switch rr.(type) {
	case *dns.CNAME, *dns.DNAME, *dns.MX, *dns.NS, *dns.PTR, *dns.SOA, *dns.SRV:
		return strings.ToLower(answer.Data(rr))
	}
	return answer.Data(rr)
}

// judgeValues refuses what can be no data of an answer to the question above: a value that is misspelt in `one_of` or has the share 0 would
// never be missed. A name may be a CNAME's target, which answers every type.
func (p *parser) judgeValues(values []string) error {
	for _, v := range values {
		if p.qtype == 0 || p.qtype == dns.TypeANY || len(values) == 1 && strings.EqualFold(v, noData) {
			continue
		}
		_, err := (config.Value{Type: p.qtype, Data: v}).RR(".", ".", 0)
		looksLikeAddress := strings.Contains(v, ":") || strings.Trim(v, "0123456789.") == ""
		if _, other := (config.Value{Type: dns.TypeCNAME, Data: v}).RR(".", ".", 0); err != nil && (looksLikeAddress || other != nil) {
			return err
		}
	}
	return nil
}

// zone is the zone that relative names in data belong to: that of the name that was asked for.
func (p *player) zone() string {
	if q, _, err := p.world.query(p.question); err == nil && q.Match.Zone != nil {
		return q.Match.Zone.Name
	}
	return p.world.fullName("@")
}

// canonical reads a value as data of the type that was asked for, or of one that stands in the answer to another: an address to ANY, the CNAME
// of a chain.
func (p *player) canonical(text string) string {
	zone := p.zone()
	for _, t := range []uint16{p.question.Type, dns.TypeA, dns.TypeAAAA, dns.TypeCNAME} {
		if t == dns.TypeTXT && strings.HasPrefix(text, `"`) {
			return text // written as it is shown
		}
		if rr, err := (config.Value{Type: t, Data: text}).RR(zone, zone, 0); err == nil {
			return folded(rr)
		}
	}
	return text
}

func (p *player) expectSets(sets [][]string) error {
	var want []string
	for _, set := range sets {
		want = append(want, p.wanted(set))
	}
	for _, o := range p.outcomes {
		if !slices.Contains(want, key(o)) {
			return failf("expected %s, got %s", strings.Join(want, " or "), describe(p.outcomes))
		}
	}
	return nil
}

func (p *player) expectShares(sets [][]string, parts []*big.Rat) error {
	want := map[string]*big.Rat{}
	var text []string
	for i, set := range sets {
		k := p.wanted(set)
		text = append(text, k+" "+parts[i].RatString())
		if parts[i].Sign() > 0 {
			want[k] = parts[i]
		}
	}
	matched := 0
	for _, o := range p.outcomes {
		if part, ok := want[key(o)]; ok && part.Cmp(o.Part) == 0 {
			matched++
		}
	}
	if matched != len(want) || matched != len(p.outcomes) {
		return failf("expected shares %s, got %s", strings.Join(text, ", "), describe(p.outcomes))
	}
	return nil
}

// describe lists the possible answers with their parts, the likelier ones first.
func describe(outcomes []Outcome) string {
	const most = 10
	var out []string
	for i, o := range outcomes {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(outcomes)-most))
			break
		}
		out = append(out, key(o)+" "+o.Part.RatString())
	}
	return strings.Join(out, ", ")
}

// each judges every possible reply.
func (p *player) each(judge func(m *dns.Msg) error) error {
	for _, o := range p.outcomes {
		if err := judge(o.Result.Msg); err != nil {
			return err
		}
	}
	return nil
}

func expectCount(p *player, n int) error {
	return p.each(func(m *dns.Msg) error {
		got := 0
		for _, rr := range m.Answer {
			if rr.Header().Rrtype == p.question.Type {
				got++
			}
		}
		if got != n {
			return failf("expected %d records of type %s, got %d: %s", n, dns.Type(p.question.Type), got, describe(p.outcomes))
		}
		return nil
	})
}

func expectNoData(p *player) error {
	return p.each(func(m *dns.Msg) error {
		if m.Rcode != dns.RcodeSuccess || len(m.Answer) > 0 || soaOf(m) == nil {
			return failf("expected NODATA with an SOA, got %s with %d records of authority", describe(p.outcomes), len(m.Ns))
		}
		return nil
	})
}

func expectRcode(p *player, code int) error {
	return p.each(func(m *dns.Msg) error {
		if m.Rcode != code {
			return failf("expected code %s, got %s", dns.RcodeToString[code], dns.RcodeToString[m.Rcode])
		}
		return nil
	})
}

func expectTTL(p *player, seconds uint32) error {
	return p.each(func(m *dns.Msg) error {
		shown := m.Answer
		if servers(m) != nil {
			shown = m.Ns
		}
		for _, rr := range shown {
			if got := rr.Header().Ttl; got != seconds {
				return failf("expected TTL %ds, got %ds of %s", seconds, got, answer.Data(rr))
			}
		}
		if len(shown) > 0 {
			return nil
		}
		soa := soaOf(m)
		if soa == nil {
			return failf("expected TTL %ds, got an answer without records or SOA", seconds)
		}
		if got := min(soa.Hdr.Ttl, soa.Minttl); got != seconds {
			return failf("expected TTL %ds, got an SOA that lets the answer live %ds", seconds, got)
		}
		return nil
	})
}

func expectScope(p *player, n int) error {
	return p.each(func(m *dns.Msg) error {
		for _, option := range optionsOf(m) {
			if subnet, ok := option.(*dns.EDNS0_SUBNET); ok {
				if int(subnet.SourceScope) != n {
					return failf("expected scope /%d, got /%d", n, subnet.SourceScope)
				}
				return nil
			}
		}
		return failf("expected scope /%d, got no client subnet in the reply", n)
	})
}

func expectEDE(p *player, code int) error {
	return p.each(func(m *dns.Msg) error {
		for _, option := range optionsOf(m) {
			if ede, ok := option.(*dns.EDNS0_EDE); ok && int(ede.InfoCode) == code {
				return nil
			}
		}
		return failf("expected extended error %d, got none in the reply", code)
	})
}

func expectSOA(p *player, zone string) error {
	want := p.world.fullName(zone)
	return p.each(func(m *dns.Msg) error {
		soa := soaOf(m)
		if soa == nil {
			return failf("expected the SOA of %s, got none", want)
		}
		if !strings.EqualFold(soa.Hdr.Name, want) {
			return failf("expected the SOA of %s, got that of %s", want, soa.Hdr.Name)
		}
		return nil
	})
}

func expectAA(p *player) error {
	return p.each(func(m *dns.Msg) error {
		if !m.Authoritative {
			return failf("expected an authoritative answer, got AA not set")
		}
		return nil
	})
}

func expectSame(p *player) error {
	now, before := shares(p.outcomes), shares(p.before)
	if !maps.EqualFunc(now, before, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) { // all of them, describe shows only the first
		return failf("expected the same as the question before, %s, got %s", describe(p.before), describe(p.outcomes))
	}
	return nil
}

// shares is the exact part of each set of answers.
func shares(outcomes []Outcome) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	for _, o := range outcomes {
		k := key(o)
		if out[k] == nil {
			out[k] = new(big.Rat)
		}
		out[k].Add(out[k], o.Part)
	}
	return out
}
