package healthroute

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/nonwriter"
	"github.com/coredns/coredns/plugin/test"
	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/route"
)

// laterPlugin answers by name and type, as in "www.example.org. A"; NXDOMAIN otherwise. A line that begins with + stands in the additional section,
// with ! in the authority section.
type laterPlugin map[string]*dns.Msg

func later(t testing.TB, answers map[string][]string) laterPlugin {
	t.Helper()
	out := laterPlugin{}
	for question, lines := range answers {
		m := new(dns.Msg)
		for _, line := range lines {
			rr, err := dns.NewRR(strings.TrimLeft(line, "+!"))
			if err != nil {
				t.Fatalf("Expected a record, got %q: %v", line, err)
			}
			switch line[0] {
			case '+':
				m.Extra = append(m.Extra, rr)
			case '!':
				m.Ns = append(m.Ns, rr)
			default:
				m.Answer = append(m.Answer, rr)
			}
		}
		out[question] = m
	}
	return out
}

// Name is plugin.Handler's.
func (laterPlugin) Name() string { return "later" }

// ServeDNS writes messages that share their records, as *file* does.
func (l laterPlugin) ServeDNS(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	q := r.Question[0]
	m := new(dns.Msg)
	m.SetReply(r)
	if known, ok := l[strings.ToLower(q.Name)+" "+dns.TypeToString[q.Qtype]]; ok {
		m.Answer, m.Ns, m.Extra = known.Answer, known.Ns, known.Extra
	} else {
		m.Rcode = dns.RcodeNameError
	}
	return dns.RcodeSuccess, w.WriteMsg(m)
}

// filterStanza is a filter with options for all names; targets are attempted once.
func filterStanza(options string, more ...string) string {
	return stanza("probe web tcp {\nport 9\ninterval 1h\ntimeout 1s\n}", "filter {\nprobe web\n"+options+"\n}", strings.Join(more, "\n"))
}

// filtering starts a handler with a filter before whoever stands behind.
func filtering(tb testing.TB, stanza string, next plugin.Handler) *Handler {
	tb.Helper()
	h := handlerFor(tb, stanza, next)
	h.block.table.Begin()
	return h
}

func serve(tb testing.TB, h plugin.Handler, m *dns.Msg) *dns.Msg {
	tb.Helper()
	w := nonwriter.New(&test.ResponseWriter{})
	if rcode, err := h.ServeDNS(context.Background(), w, m); err != nil || w.Msg == nil {
		tb.Fatalf("Expected an answer, got %s, %v", dns.RcodeToString[rcode], err)
	}
	return w.Msg
}

// settle waits for the checks of addresses and gives them a verdict.
func settle(t *testing.T, f *route.Filter, s health.Status, addresses ...string) {
	t.Helper()
	for _, a := range addresses {
		address := netip.MustParseAddr(a)
		eventually(t, "a first attempt at "+a, func() bool { return f.Check(address) != nil && f.Check(address).Attempted() })
		engine.Force(f.Check(address), s)
	}
}

// sections lists all records of a message but the OPT record, sorted, in the way of laterPlugin.
func sections(m *dns.Msg) []string {
	var out []string
	for prefix, rrs := range map[string][]dns.RR{"": m.Answer, "!": m.Ns, "+": m.Extra} {
		for _, rr := range rrs {
			if rr.Header().Rrtype != dns.TypeOPT {
				out = append(out, prefix+strings.Join(strings.Fields(rr.String()), " "))
			}
		}
	}
	slices.Sort(out)
	return out
}

const (
	filteredSOA = "example.org. 3600 IN SOA ns.example.org. hostmaster.example.org. 7 7200 1800 86400 1800"
	limitedSOA  = "example.org. 30 IN SOA ns.example.org. hostmaster.example.org. 7 7200 1800 86400 30"
	signatureA  = "www.example.org. 3600 IN RRSIG A 13 3 3600 20300101000000 20200101000000 1 example.org. AAAA"
)

// TestFilter is the spec's table 4.14, whole answers of the handler before any later plugin.
func TestFilter(t *testing.T) {
	twoAddresses := []string{"www.example.org. 3600 IN A 127.0.0.11", "www.example.org. 3600 IN A 127.0.0.12"}
	for _, tc := range []struct {
		name, options, question string
		answer                  []string // of the later plugin
		up, down                []string
		want                    []string
		negative                bool
	}{
		{name: "T-297", answer: twoAddresses, up: []string{"127.0.0.11"}, down: []string{"127.0.0.12"}, want: []string{"www.example.org. 30 IN A 127.0.0.11"}},
		{name: "T-298", answer: twoAddresses, down: []string{"127.0.0.11", "127.0.0.12"},
			want: []string{"www.example.org. 30 IN A 127.0.0.11", "www.example.org. 30 IN A 127.0.0.12"}},
		{name: "T-299", options: "last_resort none", answer: twoAddresses, down: []string{"127.0.0.11", "127.0.0.12"}, want: []string{"!" + limitedSOA}},
		{name: "T-300", answer: []string{"www.example.org. 30 IN CNAME c.example.net.", "c.example.net. 30 IN A 127.0.0.11", "c.example.net. 30 IN A 127.0.0.12"},
			up: []string{"127.0.0.12"}, down: []string{"127.0.0.11"}, want: []string{"www.example.org. 30 IN CNAME c.example.net.", "c.example.net. 30 IN A 127.0.0.12"}},
		{name: "T-300, nothing left", options: "last_resort none", answer: []string{"www.example.org. 30 IN CNAME c.example.net.", "c.example.net. 30 IN A 127.0.0.11"},
			down: []string{"127.0.0.11"}, want: []string{"www.example.org. 30 IN CNAME c.example.net.", "!example.net. 5 IN SOA ns. hostmaster. 1 1 1 1 30"}},
		{name: "T-301", options: "last_resort none", answer: append(slices.Clone(twoAddresses), signatureA), down: []string{"127.0.0.11"},
			want: append(slices.Clone(twoAddresses), signatureA)},
		{name: "T-302", question: "gone.example.org. A", negative: true},
		{name: "T-304", question: "_web.example.org. SRV", answer: []string{"_web.example.org. 30 IN SRV 1 1 80 h1.example.org.", "_web.example.org. 30 IN SRV 1 1 80 h2.example.org.",
			"+h1.example.org. 30 IN A 127.0.0.11", "+h2.example.org. 30 IN A 127.0.0.12"}, up: []string{"127.0.0.12"}, down: []string{"127.0.0.11"},
			want: []string{"_web.example.org. 30 IN SRV 1 1 80 h2.example.org.", "+h2.example.org. 30 IN A 127.0.0.12"}},
		{name: "TTL of its own", options: "ttl 1m", answer: twoAddresses, up: []string{"127.0.0.11"}, down: []string{"127.0.0.12"}, want: []string{"www.example.org. 60 IN A 127.0.0.11"}},
		{name: "IPv6", question: "www.example.org. AAAA", answer: []string{"www.example.org. 20 IN AAAA ::1"}, down: []string{"::1"}, want: []string{"www.example.org. 20 IN AAAA ::1"}},
		{name: "other types", question: "www.example.org. MX", answer: []string{"www.example.org. 3600 IN MX 10 www.example.org.", "+www.example.org. 3600 IN A 127.0.0.11"},
			want: []string{"www.example.org. 3600 IN MX 10 www.example.org.", "+www.example.org. 3600 IN A 127.0.0.11"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.question == "" {
				tc.question = "www.example.org. A"
			}
			h := filtering(t, filterStanza(tc.options), later(t, map[string][]string{
				tc.question: tc.answer, "www.example.org. SOA": {"!" + filteredSOA}, "c.example.net. SOA": {"!example.net. 5 IN SOA ns. hostmaster. 1 1 1 1 86400"},
			}))
			if tc.negative {
				delete(h.Next.(laterPlugin), tc.question)
			}
			name, word, _ := strings.Cut(tc.question, " ")
			ask := func() *dns.Msg { return serve(t, h, question(name, dns.StringToType[word])) }
			ask()
			f := h.block.table.Filters()[0]
			settle(t, f, health.Healthy, tc.up...)
			settle(t, f, health.Unhealthy, tc.down...)
			got := ask()
			slices.Sort(tc.want)
			if !slices.Equal(sections(got), tc.want) || (got.Rcode == dns.RcodeNameError) != tc.negative || got.Authoritative {
				t.Errorf("Expected:\n%s\ngot:\n%v", strings.Join(tc.want, "\n"), got)
			}
			again := ask()
			if !slices.Equal(sections(again), tc.want) {
				t.Errorf("Expected the same again, got:\n%v", again)
			}
		})
	}
}

// TestFilterMeets is T-303: an address passes when it is seen for the first time, and one attempt starts, whatever number of queries see it.
func TestFilterMeets(t *testing.T) {
	expectNothingLeft(t)
	b := newBackend(t, "127.0.0.1", "0")
	b.hold = make(chan struct{})
	h := filtering(t, stanza("probe web http {\nport "+b.Port+"\ninterval 1h\n}", "filter {\nprobe web\n}"),
		later(t, map[string][]string{"www.example.org. A": {"www.example.org. 30 IN A 127.0.0.1"}}))
	b.status.Store(500)
	ask := func() {
		t.Helper()
		expectData(t, serve(t, h, question("www.example.org.", dns.TypeA)), "127.0.0.1")
	}
	for range 10 {
		ask()
	}
	b.await("/")
	ask() // while the attempt is under way
	close(b.hold)
	check := func() *health.Check { return h.block.table.Filters()[0].Check(netip.MustParseAddr("127.0.0.1")) }
	eventually(t, "a verdict", func() bool { return check().State().Status == health.Unhealthy })
	ask() // the last resort
	expectHits(t, b, 1)
	if host := check().Target().Host; host != "" {
		t.Errorf("Expected no name for Host, so that the address is sent, got %q", host)
	}
}

// TestFilterNames: what matches no filter is handed through, message and all, and what a group owns is not filtered.
func TestFilterNames(t *testing.T) {
	records := []string{"+other.example.org. 3600 IN A 127.0.0.11"}
	answers := map[string][]string{}
	for _, name := range []string{"www", "api.apps", "deep.api.apps", "apps", "other", "own"} {
		answers[name+".example.org. A"] = append([]string{name + ".example.org. 3600 IN A 127.0.0.11"}, records...)
	}
	answers["own.example.org. SRV"] = []string{"own.example.org. 3600 IN SRV 1 1 80 h.example.org."}
	answers["alias.example.org. A"], answers["www.example.net. A"] = nil, []string{"www.example.net. 3600 IN A 127.0.0.11"}
	next := later(t, answers)
	h := filtering(t, stanza("probe web tcp {\nport 9\n}", "filter www own *.apps {\nprobe web\n}", "group own simple {\nrecord 192.0.2.1\n}",
		"group alias simple {\nrecord CNAME www\n}", "group *.apps simple {\nrecord 192.0.2.2\n}"), next)
	for name, ttl := range map[string]uint32{
		"www": 30, "API.apps": 30, "deep.api.apps": 30, "apps": 3600, "other": 3600,
	} {
		r := serve(t, h, question(name+".example.org.", dns.TypeA))
		if len(r.Answer) != 1 || r.Answer[0].Header().Ttl != ttl {
			t.Errorf("Expected %s with TTL %d, got:\n%v", name, ttl, r)
		}
	}
	if r := serve(t, h, question("own.example.org.", dns.TypeA)); len(r.Answer) != 1 || data(r.Answer)[0] != "192.0.2.1" {
		t.Errorf("Expected the group's answer, got:\n%v", r)
	}
	if r := serve(t, h, question("own.example.org.", dns.TypeSRV)); len(r.Answer) != 1 || r.Answer[0].Header().Ttl != 30 {
		t.Errorf("Expected the type that the group lacks to be filtered, got:\n%v", r)
	}
	if r := serve(t, h, question("alias.example.org.", dns.TypeA)); len(r.Answer) != 2 || r.Answer[1].Header().Ttl != 30 {
		t.Errorf("Expected the end of our CNAME to be filtered, got:\n%v", r)
	}
	if r := serve(t, h, question("new.apps.example.org.", dns.TypeA)); len(r.Answer) != 1 || data(r.Answer)[0] != "192.0.2.2" {
		t.Errorf("Expected the wildcard group's answer where nobody has the name, got:\n%v", r)
	}
	if r := serve(t, h, question("www.example.net.", dns.TypeA)); r.Answer[0] != next["www.example.net. A"].Answer[0] {
		t.Errorf("Expected a foreign name's very records, got:\n%v", r)
	}
}

// TestFilterPassesTheVeryMessage where there is nothing to change.
func TestFilterPassesTheVeryMessage(t *testing.T) {
	var written *dns.Msg
	h := filtering(t, filterStanza(""), plugin.HandlerFunc(func(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
		written = new(dns.Msg)
		written.SetReply(r)
		rr, err := dns.NewRR("www.example.org. 30 IN A 127.0.0.11")
		written.Answer = []dns.RR{rr}
		if err != nil {
			return dns.RcodeServerFailure, err
		}
		return dns.RcodeSuccess, w.WriteMsg(written)
	}))
	for range 2 {
		m := question("www.example.org.", dns.TypeA)
		m.SetEdns0(1232, true)
		if got := serve(t, h, m); got != written {
			t.Errorf("Expected the very message, got:\n%v", got)
		}
	}
}

// TestFilterFailures: codes and errors of whoever stands behind us pass.
func TestFilterFailures(t *testing.T) {
	for rcode, err := range map[int]error{dns.RcodeServerFailure: plugin.Error("later", fmt.Errorf("broken")), dns.RcodeRefused: nil} {
		h := filtering(t, filterStanza(""), plugin.HandlerFunc(func(context.Context, dns.ResponseWriter, *dns.Msg) (int, error) { return rcode, err }))
		got, gotErr := h.ServeDNS(context.Background(), nonwriter.New(&test.ResponseWriter{}), question("www.example.org.", dns.TypeA))
		if got != rcode || gotErr != err { //nolint:errorlint // the very error
			t.Errorf("Expected %d, %v, got %d, %v", rcode, err, got, gotErr)
		}
	}
	alone := filtering(t, filterStanza(""), nil)
	if got, err := alone.ServeDNS(context.Background(), nonwriter.New(&test.ResponseWriter{}), question("www.example.org.", dns.TypeA)); got != dns.RcodeRefused || err != nil {
		t.Errorf("Expected REFUSED where nobody stands behind us, got %d, %v", got, err)
	}
}

// TestFilterExtendedError tells of a last resort whoever speaks EDNS, beside what the later plugin has in its OPT record.
func TestFilterExtendedError(t *testing.T) {
	next := later(t, map[string][]string{"www.example.org. A": {"www.example.org. 30 IN A 127.0.0.11"}, "two.example.org. A": {"two.example.org. 30 IN A 127.0.0.12"}})
	opt := &dns.OPT{Hdr: dns.RR_Header{Name: ".", Rrtype: dns.TypeOPT}, Option: []dns.EDNS0{&dns.EDNS0_NSID{Code: dns.EDNS0NSID, Nsid: "61"}}}
	next["two.example.org. A"].Extra = []dns.RR{opt}
	for _, resort := range []string{"all", "none"} {
		h := filtering(t, filterStanza("last_resort "+resort), next)
		edns := func(name string) *dns.Msg {
			m := question(name+".example.org.", dns.TypeA)
			m.SetEdns0(1232, true)
			return m
		}
		serve(t, h, edns("www"))
		serve(t, h, edns("two"))
		settle(t, h.block.table.Filters()[0], health.Unhealthy, "127.0.0.11", "127.0.0.12")
		for name, others := range map[string]int{"www": 0, "two": 1} {
			r := serve(t, h, edns(name))
			got := options[*dns.EDNS0_EDE](t, r)
			want := "last resort: no usable address for " + name + ".example.org."
			if len(got) != 1 || got[0].InfoCode != 0 || got[0].ExtraText != want || len(options[*dns.EDNS0_NSID](t, r)) != others {
				t.Errorf("Expected %q, got:\n%v", want, r)
			}
		}
		if r := serve(t, h, question("www.example.org.", dns.TypeA)); r.IsEdns0() != nil {
			t.Errorf("Expected no OPT record for who has none, got:\n%v", r)
		}
	}
	if len(opt.Option) != 1 {
		t.Errorf("Expected the later plugin's own record to stay as it was, got: %v", opt)
	}
}

// TestFilterOfAnEnd tells of a last resort at the end of a CNAME of ours, and of a type that a group of ours lacks, too.
func TestFilterOfAnEnd(t *testing.T) {
	up := newBackend(t, "127.0.0.11", "0")
	h := filtering(t, stanza("probe web tcp {\nport "+up.Port+"\ninterval 1h\ntimeout 1s\n}", "filter {\nprobe web\nlast_resort none\n}",
		"group alias simple {\nrecord CNAME www\n}", "group text simple {\nrecord TXT hello\n}"), later(t, map[string][]string{
		"www.example.org. A": {"www.example.org. 30 IN A 127.0.0.11"}, "text.example.org. A": {"text.example.org. 30 IN A 127.0.0.11"},
	}))
	ask := func(name string) *dns.Msg {
		m := question(name+".example.org.", dns.TypeA)
		m.SetEdns0(1232, false)
		return serve(t, h, m)
	}
	expectData(t, ask("alias"), "www.example.org.", "127.0.0.11")
	expectData(t, ask("text"), "127.0.0.11")
	settle(t, h.block.table.Filters()[0], health.Unhealthy, "127.0.0.11")
	for name, end := range map[string]string{"alias": "www", "text": "text"} {
		r := ask(name)
		got := options[*dns.EDNS0_EDE](t, r)
		if len(got) != 1 || got[0].ExtraText != "last resort: no usable address for "+end+".example.org." || !r.Authoritative {
			t.Errorf("Expected our answer with a word about the last resort of %s, got:\n%v", end, r)
		}
	}
	expectData(t, ask("alias"), "www.example.org.")
	expectNegative(t, ask("text"), dns.RcodeSuccess, "example.org.", 30)
}

// TestFilterDenies with the SOA that is in reach: ours if we are the authority, none if nobody has one; with nothing that looks like a referral.
func TestFilterDenies(t *testing.T) {
	answer := []string{"www.example.org. 30 IN A 127.0.0.11", "!example.org. 3600 IN NS ns.example.org.", "+ns.example.org. 3600 IN A 192.0.2.53"}
	for _, tc := range []struct {
		name, more string
		soa        []string // what the later plugin says to a question for the SOA of the name
		want       []string // owners
	}{
		{"nobody has one", "", nil, nil},
		{"of the next plugin", "", []string{"!" + filteredSOA}, []string{"example.org."}},
		{"of the name itself", "", []string{"www.example.org. 60 IN SOA ns. h. 1 1 1 1 1"}, []string{"www.example.org."}},
		{"of another zone", "", []string{"!example.net. 60 IN SOA ns. h. 1 1 1 1 1"}, nil},
		{"ours", "nameserver ns.example.org.", []string{"!" + filteredSOA}, []string{"example.org."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answers := map[string][]string{"www.example.org. A": answer}
			if tc.soa != nil {
				answers["www.example.org. SOA"] = tc.soa
			}
			h := filtering(t, filterStanza("last_resort none\nttl 7s", tc.more), later(t, answers))
			m := question("www.example.org.", dns.TypeA)
			serve(t, h, m)
			settle(t, h.block.table.Filters()[0], health.Unhealthy, "127.0.0.11")
			r := serve(t, h, m)
			var owners []string
			for _, rr := range r.Ns {
				soa, ok := rr.(*dns.SOA)
				if !ok || soa.Hdr.Ttl > 7 || soa.Minttl > 7 {
					t.Errorf("Expected an SOA that lives 7 s at most, got: %v", rr)
				}
				owners = append(owners, rr.Header().Name)
			}
			if r.Rcode != dns.RcodeSuccess || len(r.Answer) != 0 || len(r.Extra) != 0 || !slices.Equal(owners, tc.want) || r.Authoritative {
				t.Errorf("Expected NODATA with the SOA of %v and nothing else, got:\n%v", tc.want, r)
			}
		})
	}
}

// TestFilterCounts is what the metrics say of a filter.
func TestFilterCounts(t *testing.T) {
	h := filtering(t, stanza("probe web tcp {\nport 9\ninterval 1h\ntimeout 1s\n}", "filter *.counted {\nprobe web\nlimit 2\n}"), later(t, map[string][]string{
		"a.counted.example.org. A":      {"a.counted.example.org. 30 IN A 127.0.0.11", "a.counted.example.org. 30 IN A 127.0.0.12"},
		"b.counted.example.org. A":      {"b.counted.example.org. 30 IN A 127.0.0.11"},
		"c.counted.example.org. A":      {"c.counted.example.org. 30 IN A 127.0.0.13"},
		"signed.counted.example.org. A": {"signed.counted.example.org. 30 IN A 127.0.0.11", strings.Replace(signatureA, "www", "signed.counted", 1)},
	}))
	before := scrape(t)
	l := captureLog(t)
	ask := func(names ...string) {
		for _, name := range names {
			serve(t, h, question(name+".counted.example.org.", dns.TypeA))
		}
	}
	ask("a", "c")
	settle(t, h.block.table.Filters()[0], health.Unhealthy, "127.0.0.11")
	settle(t, h.block.table.Filters()[0], health.Healthy, "127.0.0.12")
	ask("a", "a", "b", "c", "signed")
	const of = "{filter=*.counted.example.org.,"
	expectSamples(t, before, scrape(t), map[string]float64{
		"filter_removed_addresses_total" + of + "server=}":          2,
		"filter_last_resorts_total" + of + "server=}":               1,
		"filter_not_filtered_total" + of + "reason=limit,server=}":  2,
		"filter_not_filtered_total" + of + "reason=signed,server=}": 1,
	})
	eventually(t, "a word about the limit", func() bool {
		return strings.Contains(l.String(), "filter *.counted.example.org. knows 2 addresses, which is its limit")
	})
	if n := strings.Count(l.String(), "which is its limit"); n != 1 {
		t.Errorf("Expected one word about the limit, got %d", n)
	}
}

// FuzzFiltered lets a later plugin answer with any packet: nothing panics, a reply that packed still does, and its bits stay.
func FuzzFiltered(f *testing.F) {
	for _, question := range []string{"www.example.org. A", "www.example.org. SRV"} {
		for _, answer := range [][]string{
			{"www.example.org. 3600 IN A 127.0.0.11", signatureA}, {"www.example.org. 60 IN CNAME c.example.net.", "c.example.net. 60 IN AAAA 2001:db8::1"},
			{"www.example.org. 30 IN SRV 1 1 80 h1.example.org.", "+h1.example.org. 30 IN A 127.0.0.11"}, {`www.example.org. 60 IN HTTPS 1 . ipv4hint="127.0.0.11"`},
		} {
			m := later(f, map[string][]string{question: answer})[question]
			m.SetEdns0(1232, true)
			wire, err := m.Pack()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(wire)
		}
	}
	var written *dns.Msg
	h := filtering(f, stanza(dead, "filter www {\nprobe dead\nlast_resort none\nlimit 100\n}"), plugin.HandlerFunc(func(_ context.Context, w dns.ResponseWriter, _ *dns.Msg) (int, error) {
		return dns.RcodeSuccess, w.WriteMsg(written)
	}))
	f.Fuzz(func(t *testing.T, wire []byte) {
		written = new(dns.Msg)
		if written.Unpack(wire) != nil {
			return
		}
		before := written.Copy()
		m := question("www.example.org.", dns.TypeA)
		m.SetEdns0(1232, true)
		got := serve(t, h, m)
		if written.String() != before.String() {
			t.Fatalf("Expected the later plugin's message to stay as it was:\n%v\ngot:\n%v", before, written)
		}
		if _, err := before.Pack(); err == nil {
			if _, err := got.Pack(); err != nil {
				t.Fatalf("Expected a reply that packs, got: %v in\n%v", err, got)
			}
		}
		want, have := before.MsgHdr, got.MsgHdr
		want.AuthenticatedData, have.AuthenticatedData = false, false
		if want != have {
			t.Fatalf("Expected the header %+v, got %+v", want, have)
		}
	})
}
