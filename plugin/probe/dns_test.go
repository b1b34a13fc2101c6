package probe

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// dnsServer is a real server of the DNS library on one port of UDP and TCP.
func dnsServer(t testing.TB, answer func(w dns.ResponseWriter, m *dns.Msg)) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	socket, err := net.ListenPacket("udp", listener.Addr().String())
	if err != nil {
		t.Skipf("The port of TCP is taken on UDP: %v", err)
	}
	for _, server := range []*dns.Server{{Listener: listener}, {PacketConn: socket}} {
		started, ended := make(chan struct{}), make(chan struct{})
		server.Handler, server.NotifyStartedFunc = dns.HandlerFunc(answer), func() { close(started) }
		go func() { defer close(ended); server.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { server.Shutdown(); <-ended })
	}
	return listener.Addr().(*net.TCPAddr).AddrPort()
}

// zone answers from records in zone file form, and NXDOMAIN for the name "no.example.".
func zone(t testing.TB, records ...string) func(dns.ResponseWriter, *dns.Msg) {
	t.Helper()
	return func(w dns.ResponseWriter, m *dns.Msg) {
		reply := new(dns.Msg).SetReply(m)
		if m.Question[0].Name == "no.example." {
			reply.Rcode = dns.RcodeNameError
		}
		for _, text := range records {
			rr, err := dns.NewRR(text)
			if err != nil {
				panic(err)
			}
			if t := rr.Header().Rrtype; t == m.Question[0].Qtype || t == dns.TypeCNAME {
				reply.Answer = append(reply.Answer, rr)
			}
		}
		w.WriteMsg(reply)
	}
}

// asks is the question of a dns probe, and what it wants to hear.
func asks(name string, rrType uint16, answer string, change ...func(*config.DNS)) func(*config.Probe) {
	return func(p *config.Probe) {
		p.DNS = config.DNS{Name: name, Type: rrType, Answer: answer}
		for _, do := range change {
			do(&p.DNS)
		}
	}
}

func overTCP(d *config.DNS)                   { d.TCP = true }
func wantsRcode(code int) func(d *config.DNS) { return func(d *config.DNS) { d.Rcode = code } }
func rcode(code int) func(dns.ResponseWriter, *dns.Msg) {
	return func(w dns.ResponseWriter, m *dns.Msg) { w.WriteMsg(new(dns.Msg).SetRcode(m, code)) }
}

func TestDNS(t *testing.T) {
	known := zone(t, "www.example. 60 IN CNAME Web.Example.", "web.example. 60 IN A 192.0.2.1", "web.example. 60 IN A 192.0.2.2",
		"web.example. 60 IN AAAA 2001:DB8::1", "example. 60 IN MX 10 Mail.Example.", `example. 60 IN TXT "v=spf1 " "-all"`,
		"example. 60 IN SOA ns.example. root.example. 1 2 3 4 5", `example. 60 IN TYPE65280 \# 2 abCD`)
	tests := []struct {
		name   string
		probe  func(*config.Probe)
		answer func(dns.ResponseWriter, *dns.Msg)
		reason string
	}{
		{"answers", asks("www.example.", dns.TypeA, ""), known, ""},
		{"answers with nothing", asks("www.example.", dns.TypeNAPTR, ""), known, ""},
		{"has the address", asks("www.example.", dns.TypeA, "192.0.2.2"), known, ""},
		{"has the IPv6 address", asks("www.example.", dns.TypeAAAA, "2001:db8:0::1"), known, ""},
		{"other letter case and blanks", asks("example.", dns.TypeMX, "10   MAIL.example."), known, ""},
		{"text in two strings", asks("example.", dns.TypeTXT, "v=spf1 -all"), known, ""},
		{"unknown type", asks("example.", 65280, `\# 2 ABcd`), known, ""},
		{"unknown type, other data", asks("example.", 65280, `\# 2 ABce`), known, `answer lacks "\\# 2 ABce": it has "\\# 2 ABCD"`},
		{"over TCP", asks("www.example.", dns.TypeA, "192.0.2.2", overTCP), known, ""},
		{"another address", asks("www.example.", dns.TypeA, "192.0.2.3"), known, `answer lacks "192.0.2.3": it has "192.0.2.1, 192.0.2.2"`},
		{"no address", asks("www.example.", dns.TypeNAPTR, `1 1 "s" "" "" a.`), known, `answer lacks "1 1 \"s\" \"\" \"\" a.": it has no record of type NAPTR`},
		{"NXDOMAIN", asks("no.example.", dns.TypeA, ""), known, "answer is NXDOMAIN, expected NOERROR"},
		{"expected NXDOMAIN", asks("no.example.", dns.TypeA, "", wantsRcode(dns.RcodeNameError)), known, ""},
		{"NOERROR for NXDOMAIN", asks("www.example.", dns.TypeA, "", wantsRcode(dns.RcodeNameError)), known, "answer is NOERROR, expected NXDOMAIN"},
		{"SERVFAIL", asks("a.example.", dns.TypeA, ""), rcode(dns.RcodeServerFailure), "answer is SERVFAIL, expected NOERROR"},
		{"rcode without a name", asks("a.example.", dns.TypeA, ""), rcode(14), "answer is rcode 14, expected NOERROR"},
		{"FORMERR without the question", asks("a.example.", dns.TypeA, ""), func(w dns.ResponseWriter, m *dns.Msg) {
			reply := new(dns.Msg).SetRcode(m, dns.RcodeFormatError)
			reply.Question = nil
			w.WriteMsg(reply)
		}, "answer is FORMERR, expected NOERROR"},
		{"0x20", asks("a.example.", dns.TypeA, ""), func(w dns.ResponseWriter, m *dns.Msg) {
			reply := new(dns.Msg).SetReply(m)
			reply.Question[0].Name = "A.EXAMPLE."
			w.WriteMsg(reply)
		}, ""},
		{"strays before the answer", asks("a.example.", dns.TypeA, ""), func(w dns.ResponseWriter, m *dns.Msg) {
			w.Write([]byte("garbage"))
			w.WriteMsg(m) // an echo is no answer
			other := new(dns.Msg).SetReply(m)
			other.Id++
			w.WriteMsg(other)
			another := new(dns.Msg).SetReply(m)
			another.Question = []dns.Question{{Name: "b.example.", Qtype: dns.TypeA, Qclass: dns.ClassINET}}
			w.WriteMsg(another)
			w.WriteMsg(new(dns.Msg).SetReply(m))
		}, ""},
		{"strays over TCP", asks("a.example.", dns.TypeA, "", overTCP), func(w dns.ResponseWriter, m *dns.Msg) {
			w.Write([]byte("garbage"))
			w.WriteMsg(new(dns.Msg).SetReply(m))
		}, ""},
		{"nothing but strays", asks("a.example.", dns.TypeA, ""), func(w dns.ResponseWriter, m *dns.Msg) {
			m.Response, m.Question[0].Qtype = true, dns.TypeMX
			for range maxDatagrams {
				w.WriteMsg(m)
			}
		}, `64 messages that do not answer the query, the last was an answer to another question: "a.example. MX"`},
		{"truncated, whole over TCP", asks("web.example.", dns.TypeA, "192.0.2.1"), func(w dns.ResponseWriter, m *dns.Msg) {
			if _, udp := w.RemoteAddr().(*net.UDPAddr); udp {
				reply := new(dns.Msg).SetReply(m)
				reply.Truncated = true
				w.WriteMsg(reply)
				return
			}
			known(w, m)
		}, ""},
		{"truncated in the middle of a record", asks("web.example.", dns.TypeA, "192.0.2.1"), func(w dns.ResponseWriter, m *dns.Msg) {
			if _, udp := w.RemoteAddr().(*net.UDPAddr); udp {
				reply := new(dns.Msg).SetReply(m)
				reply.Truncated, reply.Answer = true, []dns.RR{&dns.TXT{Hdr: dns.RR_Header{Name: "a.", Rrtype: dns.TypeTXT, Class: 1}, Txt: []string{"aaaa"}}}
				wire, _ := reply.Pack()
				w.Write(wire[:len(wire)-3])
				return
			}
			known(w, m)
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			expect(t, attempt(t, proberOf(t, config.ProbeDNS, test.probe), at(dnsServer(t, test.answer)), patience), outcome, test.reason)
		})
	}
}

// The query is a plain one: one question, recursion desired, no EDNS, an id of its own.
func TestDNSQuery(t *testing.T) {
	queries := make(chan *dns.Msg, 1)
	server := dnsServer(t, func(w dns.ResponseWriter, m *dns.Msg) {
		queries <- m.Copy()
		w.WriteMsg(new(dns.Msg).SetReply(m))
	})
	prober := proberOf(t, config.ProbeDNS, asks("a.example.", dns.TypeSOA, ""))
	for range 2 {
		expect(t, attempt(t, prober, at(server), patience), Pass, "")
		q := <-queries
		if len(q.Question) != 1 || q.Question[0].String() != ";a.example.\tIN\t SOA" || !q.RecursionDesired || len(q.Extra) > 0 {
			t.Errorf("Expected a plain query for a.example. SOA, got\n%v", q)
		}
	}
}

func TestDNSMisbehaviour(t *testing.T) {
	udp := func(answer func([]byte) [][]byte) Target { return at(serveUDP(t, answer)) }
	tcp := func(do behaviour) Target { return at(serve(t, do)) }
	framed := func(text string) string { return string(binary.BigEndian.AppendUint16(nil, uint16(len(text)))) + text }
	tests := []struct {
		name   string
		target Target
		tcp    bool
		within bool // its timeout
		reason string
	}{
		{"silent", udp(datagrams()), false, true, "timed out waiting for an answer"},
		{"garbage", udp(datagrams("HTTP/1.1 400 Bad Request")), false, true, `timed out waiting for an answer, got what is no DNS message: "HTTP/1.1 400 Bad Request"`},
		{"short garbage", udp(datagrams("x")), false, true, `timed out waiting for an answer, got what is no DNS message: "x"`},
		{"empty", udp(datagrams("")), false, true, `timed out waiting for an answer, got what is no DNS message: ""`},
		{"echo", udp(func(got []byte) [][]byte { return [][]byte{got} }), false, true, "timed out waiting for an answer, got a query"},
		{"nobody", at(unheard(t)), false, false, "port unreachable: nobody listens there"},
		{"silent", tcp(silent), true, true, "timed out waiting for an answer"},
		{"closes", tcp(reads), true, false, "connection closed waiting for an answer"},
		{"resets", tcp(then(reads, resets)), true, false, "connection reset waiting for an answer"},
		{"half a message", tcp(then(reads, writes("\x00\x20half"))), true, false, "connection closed waiting for an answer"},
		{"another protocol", tcp(then(writes("220 mail.example\r\n"), silent)), true, true, "timed out waiting for an answer"},
		{"garbage", tcp(then(writes(framed("not DNS")), silent)), true, true, `timed out waiting for an answer, got what is no DNS message: "not DNS"`},
		{"endless", tcp(repeats(framed("not DNS"))), true, false, `64 messages that do not answer the query, the last was what is no DNS message: "not DNS"`},
	}
	for _, test := range tests {
		name := "UDP " + test.name
		if test.tcp {
			name = "TCP " + test.name
		}
		t.Run(name, func(t *testing.T) {
			deadline := patience
			if test.within {
				deadline = briefly
			}
			prober := proberOf(t, config.ProbeDNS, asks("a.example.", dns.TypeA, "", func(d *config.DNS) { d.TCP = test.tcp }))
			expect(t, attempt(t, prober, test.target, deadline), Fail, test.reason)
		})
	}
}

func TestDNSAbandoned(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := serveUDP(t, func([]byte) [][]byte { cancel(); return nil })
	expect(t, proberOf(t, config.ProbeDNS, asks("a.", dns.TypeA, "")).Attempt(ctx, at(server)), CannotTell, "attempt abandoned")
}

// FuzzDNSAnswer feeds whatever a server may send, with the id of the query put in front, to the reading of an answer.
func FuzzDNSAnswer(f *testing.F) {
	query := new(dns.Msg).SetQuestion("a.example.", dns.TypeTXT)
	reply := new(dns.Msg).SetReply(query)
	reply.Answer = []dns.RR{&dns.TXT{Hdr: dns.RR_Header{Name: "a.example.", Rrtype: dns.TypeTXT, Class: 1}, Txt: []string{"x"}}}
	wire, _ := reply.Pack()
	f.Add(wire[2:], "x")
	f.Add([]byte("\x81\x80"), "x")
	f.Add([]byte(""), "")
	f.Fuzz(func(t *testing.T, said []byte, wanted string) {
		p, err := newDNS(probeOf(config.ProbeDNS, asks("a.example.", dns.TypeTXT, wanted)), files{}, mustDialer(config.DefaultProbe("p", config.ProbeTCP, "")))
		if err != nil {
			t.Skip("no data that a probe may want")
		}
		once := false
		got, found := await(t.Context(), query, func() ([]byte, error) {
			if once {
				return nil, io.EOF
			}
			once = true
			return append(binary.BigEndian.AppendUint16(nil, query.Id), said...), nil
		})
		if found == nil && !got.Truncated {
			found = p.(*dnsProbe).judge(got)
		}
		if found != nil && (len(found.reason) > 512 || strings.ContainsAny(found.reason, "\r\n\x00")) {
			t.Errorf("Expected a short line, got %q", found.reason)
		}
	})
}
