package healthroute

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coredns/coredns/plugin/metrics/vars"
	"github.com/miekg/dns"
	dto "github.com/prometheus/client_model/go"
)

// wireStanza has policies that look at the client, that draw, alias and end in a last resort, and wildcards.
const wireStanza = `
nameserver ns1 192.0.2.53
` + dead + `
group www *.wild weighted {
	sticky
	record 192.0.2.1
	record 192.0.2.2,2001:db8::2
}
group near subnet {
	record 192.0.2.3 from 198.51.100.0/24,2001:db8::/32
	record 192.0.2.4 default
}
group down simple {
	probe dead
	record 192.0.2.5
}
group alias simple {
	record CNAME many
}
group many multivalue {
	max 100
	record 192.0.2.6,192.0.2.7,192.0.2.8,192.0.2.9,2001:db8::6
}
group text simple {
	record TXT "a text of ours"
}`

// wireServer has us above cache and file; whatever is not example.org is nobody's.
func wireServer(t testing.TB) *server {
	t.Helper()
	return start(t, listening(".", "cache", stanzaOf("example.org", wireStanza), zoneFile(t, "example.org", zoneText)))
}

// peer is a connection to a server, over which anything can be sent.
type peer struct {
	network string
	conn    net.Conn
}

func dial(t testing.TB, s *server, network string) *peer {
	t.Helper()
	conn, err := net.DialTimeout(network, s.address(network), patience)
	if err != nil {
		t.Fatalf("Expected a connection, got: %v", err)
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatalf("Expected a deadline, got: %v", err)
	}
	return &peer{network, conn}
}

// close ends the connection at once: thousands of them would use up the local ports if they waited for their end.
func (p *peer) close() {
	if conn, ok := p.conn.(*net.TCPConn); ok {
		_ = conn.SetLinger(0)
	}
	p.conn.Close()
}

func (p *peer) send(t testing.TB, packet []byte) {
	t.Helper()
	if p.network == "tcp" {
		packet = append(binary.BigEndian.AppendUint16(nil, uint16(len(packet))), packet...)
	}
	if _, err := p.conn.Write(packet); err != nil {
		t.Fatalf("Expected to send over %s, got: %v", p.network, err)
	}
}

func (p *peer) receive(t testing.TB) []byte {
	t.Helper()
	raw, err := (&dns.Conn{Conn: p.conn, UDPSize: dns.MaxMsgSize}).ReadMsgHeader(nil)
	if err != nil {
		t.Fatalf("Expected an answer over %s, got: %v", p.network, err)
	}
	return raw
}

// maxUDPQuery is what CoreDNS reads of a datagram.
const maxUDPQuery = 512

// provoke sends a packet, and then a question whose answer shows that the server is alive and the packet done with, since one connection's
// packets are served one after the other. It returns the replies to the packet: none if it was dropped.
func provoke(t testing.TB, s *server, network string, packet []byte, answered bool) [][]byte {
	t.Helper()
	p := dial(t, s, network)
	defer p.close()
	p.send(t, packet)
	after := question("plain.example.org.", dns.TypeA)
	after.Id = 0x5aa5
	if len(packet) > 1 && binary.BigEndian.Uint16(packet) == after.Id {
		after.Id++
	}
	wire, err := after.Pack()
	if err != nil {
		t.Fatal(err)
	}
	p.send(t, wire)
	var replies [][]byte
	for alive := false; !alive || answered && len(replies) == 0; {
		raw := p.receive(t)
		if binary.BigEndian.Uint16(raw) != after.Id {
			replies = append(replies, raw)
			continue
		}
		alive = true
		r := new(dns.Msg)
		if err := r.Unpack(raw); err != nil || len(r.Answer) != 1 || r.Answer[0].Header().Name != "plain.example.org." {
			t.Fatalf("Expected the answer to the next question, got: %v\n%v", err, r)
		}
	}
	return replies
}

// provokeAll sends a packet by TCP and by UDP, expects the same of both as far as their sizes allow, and returns the first reply by TCP, or nil.
func provokeAll(t testing.TB, s *server, packet []byte) []byte {
	t.Helper()
	before := panics(t)
	replies := provoke(t, s, "tcp", packet, false)
	for _, raw := range replies {
		expectOwnReply(t, packet, raw, dns.MaxMsgSize)
	}
	if len(packet) <= maxUDPQuery && !isTransfer(packet) {
		datagrams := provoke(t, s, "udp", packet, len(replies) > 0)
		if len(datagrams) != len(replies) {
			t.Fatalf("Expected as many replies by UDP as by TCP, got %d and %d", len(datagrams), len(replies))
		}
		for i, raw := range datagrams {
			expectOwnReply(t, packet, raw, sizeAsked(packet))
			if raw[3]&0xf != replies[i][3]&0xf {
				t.Fatalf("Expected the same code by UDP as by TCP, got:\n%s\nand:\n%s", unpacked(raw), unpacked(replies[i]))
			}
		}
	}
	if n := panics(t) - before; n != 0 {
		t.Fatalf("Expected no panic, got %v for %x", n, packet)
	}
	if len(replies) == 0 {
		return nil
	}
	return replies[0]
}

// panics is how often CoreDNS has caught one.
func panics(t testing.TB) float64 {
	t.Helper()
	var m dto.Metric
	if err := vars.Panic.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

// parsed is the packet as a message, nil if it is none.
func parsed(packet []byte) *dns.Msg {
	m := new(dns.Msg)
	if m.Unpack(packet) != nil {
		return nil
	}
	return m
}

func isTransfer(packet []byte) bool {
	m := parsed(packet)
	return m != nil && slices.ContainsFunc(m.Question, func(q dns.Question) bool { return q.Qtype == dns.TypeAXFR || q.Qtype == dns.TypeIXFR })
}

// sizeAsked is how much an asker by UDP takes.
func sizeAsked(packet []byte) int {
	if m := parsed(packet); m != nil && m.IsEdns0() != nil {
		return max(dns.MinMsgSize, int(m.IsEdns0().UDPSize()))
	}
	return dns.MinMsgSize
}

// expectOwnReply sees a reply to this packet, no larger than asked for, and in it nothing that belongs to another question or client.
func expectOwnReply(t testing.TB, packet, raw []byte, size int) {
	t.Helper()
	fail := func(what string) {
		t.Fatalf("Expected %s for %x\n%s\ngot:\n%s", what, packet, unpacked(packet), unpacked(raw))
	}
	r := parsed(raw)
	if r == nil || len(packet) < 2 || !bytes.Equal(raw[:2], packet[:2]) || !r.Response || len(raw) > size {
		fail(fmt.Sprintf("a whole reply of at most %d bytes with the ID of the query", size))
	}
	q := parsed(packet)
	if q == nil || len(q.Question) != 1 {
		if len(r.Answer)+len(r.Ns) > 0 {
			fail("no data")
		}
		return
	}
	if r.Rcode == dns.RcodeFormatError || r.Rcode == dns.RcodeNotImplemented {
		if len(r.Answer)+len(r.Ns) > 0 {
			fail("no data")
		}
		return // CoreDNS gives no question back with some of these
	}
	if len(r.Question) != 1 || r.Question[0] != q.Question[0] {
		fail("the question that was asked")
	}
	for i, rr := range r.Answer {
		if i == 0 && !strings.EqualFold(rr.Header().Name, q.Question[0].Name) || !dns.IsSubDomain(staticOrigin, strings.ToLower(rr.Header().Name)) {
			fail("records of the name that was asked for")
		}
	}
	if asked, told := subnet(q), subnet(r); told != nil && (asked == nil || !asked.Address.Equal(told.Address) || asked.SourceNetmask != told.SourceNetmask) {
		fail("the client's own subnet")
	}
	if r.IsEdns0() != nil && q.IsEdns0() == nil {
		fail("no OPT record, as in the query")
	}
}

func subnet(m *dns.Msg) *dns.EDNS0_SUBNET {
	if opt := m.IsEdns0(); opt != nil {
		for _, o := range opt.Option {
			if o, ok := o.(*dns.EDNS0_SUBNET); ok {
				return o
			}
		}
	}
	return nil
}

// wires sends queries by TCP, one behind the other, and returns the bytes of the replies.
func (s *server) wires(queries []*dns.Msg) [][]byte {
	s.t.Helper()
	conn, err := net.DialTimeout("tcp", s.address("tcp"), patience)
	if err != nil {
		s.t.Fatalf("Expected a connection, got: %v", err)
	}
	defer conn.Close()
	c := &dns.Conn{Conn: conn}
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatalf("Expected a deadline, got: %v", err)
	}
	sent := make(chan error, 1)
	go func() {
		for _, m := range queries {
			if err := c.WriteMsg(m); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	var replies [][]byte
	for _, m := range queries {
		raw, err := c.ReadMsgHeader(nil)
		if err != nil {
			s.t.Fatalf("Expected a reply for %v, got: %v", m.Question, err)
		}
		replies = append(replies, raw)
	}
	if err := <-sent; err != nil {
		s.t.Fatalf("Expected to send, got: %v", err)
	}
	return replies
}

// asks sends queries by TCP, one behind the other, and returns the replies.
func (s *server) asks(queries []*dns.Msg) []*dns.Msg {
	s.t.Helper()
	var replies []*dns.Msg
	for i, raw := range s.wires(queries) {
		r := new(dns.Msg)
		if err := r.Unpack(raw); err != nil || r.Id != queries[i].Id {
			s.t.Fatalf("Expected a reply to %v, got: %v\n%v", queries[i].Question, err, r)
		}
		replies = append(replies, r)
	}
	return replies
}
