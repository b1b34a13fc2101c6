package answer

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

// sieveModel says of each record by itself, and by looking at all others every time, what becomes of it: spec 4.14 word by word, without hints.
type sieveModel struct {
	msg  *dns.Msg
	name string
	dead []string
	none bool
	ttl  uint32
}

// chain returns the CNAMEs on the way, and the name at their end.
func (m sieveModel) chain() (way []dns.RR, end string) {
	end = m.name
	for {
		var next *dns.CNAME
		for _, rr := range m.msg.Answer {
			if alias, ok := rr.(*dns.CNAME); ok && next == nil && strings.EqualFold(alias.Hdr.Name, end) {
				next = alias
			}
		}
		if next == nil || slices.Contains(way, dns.RR(next)) {
			return way, end
		}
		way, end = append(way, next), next.Target
	}
}

// rrset returns the records of one owner and type in a section.
func (m sieveModel) rrset(section []dns.RR, owner string, rrType uint16) []dns.RR {
	var out []dns.RR
	for _, rr := range section {
		if strings.EqualFold(rr.Header().Name, owner) && rr.Header().Rrtype == rrType {
			out = append(out, rr)
		}
	}
	return out
}

func (m sieveModel) signed(section []dns.RR, rr dns.RR) bool {
	return slices.ContainsFunc(m.rrset(section, rr.Header().Name, dns.TypeRRSIG), func(sig dns.RR) bool {
		return sig.(*dns.RRSIG).TypeCovered == rr.Header().Rrtype
	})
}

// isDead reports whether a record is not usable, signed or not.
func (m sieveModel) isDead(rr dns.RR) bool {
	switch rr := rr.(type) {
	case *dns.A:
		return slices.Contains(m.dead, rr.A.String())
	case *dns.AAAA:
		return slices.Contains(m.dead, rr.AAAA.String())
	case *dns.SRV:
		addresses := append(m.rrset(m.msg.Extra, rr.Target, dns.TypeA), m.rrset(m.msg.Extra, rr.Target, dns.TypeAAAA)...)
		return len(addresses) > 0 && !slices.ContainsFunc(addresses, func(a dns.RR) bool { return m.signed(m.msg.Extra, a) || !m.isDead(a) })
	}
	return false
}

// lost reports whether nothing in the record's RRset of the answer is usable.
func (m sieveModel) lost(rr dns.RR) bool {
	set := m.rrset(m.msg.Answer, rr.Header().Name, rr.Header().Rrtype)
	return !m.signed(m.msg.Answer, rr) && !slices.ContainsFunc(set, func(other dns.RR) bool { return !m.isDead(other) })
}

// fate of a record of the answer, then of the additional section.
func (m sieveModel) fate(rr dns.RR) fate {
	way, end := m.chain()
	judged := strings.EqualFold(rr.Header().Name, end) && kindOf(rr.Header().Rrtype) >= 0
	switch {
	case m.signed(m.msg.Answer, rr) || !judged && !slices.Contains(way, rr):
		return stands
	case judged && m.isDead(rr) && (m.none || !m.lost(rr)):
		return goes
	}
	return passes
}

func (m sieveModel) fateBeside(rr dns.RR) fate {
	_, end := m.chain()
	services := m.rrset(m.msg.Answer, end, dns.TypeSRV)
	pointed := slices.ContainsFunc(services, func(srv dns.RR) bool { return strings.EqualFold(srv.(*dns.SRV).Target, rr.Header().Name) })
	_, address := addressIn(rr)
	switch {
	case !address || !pointed || m.signed(m.msg.Extra, rr):
		return stands
	case m.isDead(rr) && !m.signed(m.msg.Answer, services[0]) && (m.none || !m.lost(services[0])):
		return goes
	}
	return passes
}

// left applies the fates.
func (m sieveModel) left(section []dns.RR, fate func(dns.RR) fate) []string {
	var out []string
	for _, rr := range section {
		own := dns.Copy(rr)
		switch fate(rr) {
		case goes:
			continue
		case passes:
			own.Header().Ttl = min(own.Header().Ttl, m.ttl)
		}
		out = append(out, own.String())
	}
	return out
}

// judges reports whether the answer has anything at the end of its chain that leads to addresses.
func (m sieveModel) judges() bool {
	_, end := m.chain()
	return slices.ContainsFunc(kinds[:], func(kind uint16) bool { return len(m.rrset(m.msg.Answer, end, kind)) > 0 })
}

var drawOwner = rapid.SampledFrom([]string{"w.", "w.", "w.", "W.", "c.", "c.", "d.", "h1.", "h2."})

func drawRecord(t *rapid.T, types []string) dns.RR {
	owner := drawOwner.Draw(t, "owner")
	ttl := rapid.SampledFrom([]int{0, 5, 30, 31, 3600}).Draw(t, "TTL")
	n := rapid.IntRange(1, 4).Draw(t, "number")
	word := rapid.SampledFrom(types).Draw(t, "type")
	data := map[string]string{
		"A": fmt.Sprintf("192.0.2.%d", n), "AAAA": fmt.Sprintf("2001:db8::%d", n), "SRV": fmt.Sprintf("1 1 80 H%d.", n), "TXT": `"192.0.2.1"`,
		"CNAME": []string{"w.", "c.", "C.", "d."}[n-1], "HTTPS": "1 .",
		"RRSIG": []string{"A", "AAAA", "SRV", "CNAME"}[n-1] + " 13 1 300 20300101000000 20200101000000 1 example.org. AAAA",
	}[word]
	rr, err := dns.NewRR(fmt.Sprintf("%s %d IN %s %s", owner, ttl, word, data))
	if err != nil {
		t.Fatalf("Expected a record, got: %v", err)
	}
	return rr
}

// TestSieveIsTheModel on random messages: what is left and in which order, the very message where that is all of it, and no record changed that
// came in.
func TestSieveIsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msg := &dns.Msg{}
		for range rapid.IntRange(0, 10).Draw(t, "answers") {
			msg.Answer = append(msg.Answer, drawRecord(t, []string{"A", "A", "A", "AAAA", "AAAA", "SRV", "CNAME", "TXT", "HTTPS", "RRSIG"}))
		}
		for range rapid.IntRange(0, 12).Draw(t, "additional records") {
			msg.Extra = append(msg.Extra, drawRecord(t, []string{"A", "A", "AAAA", "TXT", "RRSIG"}))
		}
		m := sieveModel{
			msg: msg.Copy(), name: "w.", ttl: 30, none: rapid.Bool().Draw(t, "none"),
			dead: rapid.SliceOfDistinct(rapid.SampledFrom([]string{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4",
				"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4"}), rapid.ID[string]).Draw(t, "dead"),
		}
		answer, extra := m.left(m.msg.Answer, m.fate), m.left(m.msg.Extra, m.fateBeside)
		if !m.judges() {
			answer, extra = texts(m.msg.Answer), texts(m.msg.Extra)
		}

		s := sieve{ttl: m.ttl, none: m.none, usable: func(a netip.Addr) bool { return !slices.Contains(m.dead, a.String()) }}
		got := s.reply(msg, m.name)
		if !slices.Equal(texts(got.Answer), answer) || !slices.Equal(texts(got.Extra), extra) {
			t.Fatalf("Expected of\n%v\n%s\n+%s\ngot\n%v", m.msg, strings.Join(answer, "\n"), strings.Join(extra, "\n+"), got)
		}
		if msg.String() != m.msg.String() {
			t.Fatalf("Expected the message that came in to stay as it was:\n%v\ngot\n%v", m.msg, msg)
		}
		same := slices.Equal(answer, texts(m.msg.Answer)) && slices.Equal(extra, texts(m.msg.Extra))
		if same != (got == msg) {
			t.Fatalf("Expected the very message exactly if nothing changes: %v, got %v", same, got == msg)
		}
	})
}

func texts(rrs []dns.RR) []string {
	var out []string
	for _, rr := range rrs {
		out = append(out, rr.String())
	}
	return out
}

// FuzzSieve reads any packet as the next plugin's reply: nothing panics, what comes out packs if what came in did, holds nothing new in another order,
// no alias goes, and the message that came in stays as it was.
func FuzzSieve(f *testing.F) {
	for _, m := range []*dns.Msg{
		message(f, "w. 3600 IN CNAME c.", "c. 60 IN A 192.0.2.1", "c. 60 IN A 192.0.2.2", sig("c.", "A")),
		message(f, "w. 60 IN SRV 1 1 80 h1.", "w. 60 IN SRV 1 1 80 h2.", "+h1. 60 IN A 192.0.2.1", "+h2. 60 IN AAAA 2001:db8::2", "!w. 60 IN NS ns."),
		message(f, `w. 60 IN HTTPS 1 . mandatory="alpn" alpn="h2" ipv4hint="192.0.2.1,192.0.2.2" ipv6hint="2001:db8::1"`),
		message(f, "w. 60 IN AAAA 2001:db8::1", `w. 60 IN TXT "x"`),
	} {
		m.SetEdns0(1232, true)
		wire, err := m.Pack()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire, true)
		f.Add(wire, false)
	}
	f.Fuzz(func(t *testing.T, wire []byte, none bool) {
		msg := new(dns.Msg)
		if msg.Unpack(wire) != nil {
			return
		}
		before := msg.Copy()
		s := sieve{ttl: 30, none: none, usable: func(a netip.Addr) bool { return a.AsSlice()[len(a.AsSlice())-1]%2 == 0 }}
		got := s.reply(msg, "w.")
		if msg.String() != before.String() {
			t.Fatalf("Expected the message to stay as it was:\n%v\ngot\n%v", before, msg)
		}
		if _, err := before.Pack(); err == nil {
			if _, err := got.Pack(); err != nil {
				t.Fatalf("Expected a message that packs, got: %v in\n%v", err, got)
			}
		}
		expectPart(t, before.Answer, got.Answer)
		expectPart(t, before.Extra, got.Extra)
		if len(got.Answer) == len(before.Answer) && len(got.Extra) == len(before.Extra) && none && s.emptied != "" {
			t.Fatalf("Expected less than\n%v\ngot\n%v", before, got)
		}
	})
}

// expectPart holds that the records are some of those before, in their order, but for TTLs and hints, with all aliases.
func expectPart(t *testing.T, before, after []dns.RR) {
	t.Helper()
	at := 0
	for _, rr := range before {
		if at < len(after) && same(rr, after[at]) {
			at++
			continue
		}
		if rr.Header().Rrtype == dns.TypeCNAME || rr.Header().Rrtype == dns.TypeOPT {
			t.Fatalf("Expected this record to stay: %v", rr)
		}
	}
	if at < len(after) {
		t.Fatalf("Expected nothing that was not there, got: %v", after[at])
	}
}

func same(a, b dns.RR) bool {
	if kind := a.Header().Rrtype; kind == dns.TypeHTTPS || kind == dns.TypeSVCB {
		return kind == b.Header().Rrtype && a.Header().Name == b.Header().Name
	}
	own := dns.Copy(a)
	own.Header().Ttl = b.Header().Ttl
	return own.String() == b.String() && b.Header().Ttl <= a.Header().Ttl
}
