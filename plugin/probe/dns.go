package probe

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// dnsProbe asks a question and passes when the answer has the response code and, if asked for, the record that it expects.
type dnsProbe struct {
	*dialer
	options config.DNS
	answer  dns.RR // nil asks for none
}

func newDNS(p *config.Probe, _ files, d *dialer) (kind, error) {
	q := &dnsProbe{dialer: d, options: p.DNS}
	if p.DNS.Answer == "" {
		return q, nil
	}
	var err error
	q.answer, err = p.DNS.Record()
	return q, err
}

func (p *dnsProbe) test(ctx context.Context, t Target) *finding {
	addr, f := p.address(ctx, t)
	if f != nil {
		return f
	}
	query := new(dns.Msg)
	query.SetQuestion(p.options.Name, p.options.Type)
	at := netip.AddrPortFrom(addr, t.Port)
	var reply *dns.Msg
	if !p.options.TCP {
		if reply, f = p.askUDP(ctx, query, at); f != nil {
			return f
		}
	}
	if p.options.TCP || reply.Truncated { // RFC 7766, 5
		if reply, f = p.askTCP(ctx, query, at); f != nil {
			return f
		}
	}
	return p.judge(reply)
}

// askUDP asks over UDP. A socket of its own gives every attempt a port that nobody can guess (RFC 5452, 9.2).
func (p *dnsProbe) askUDP(ctx context.Context, query *dns.Msg, at netip.AddrPort) (*dns.Msg, *finding) {
	conn, f := p.openUDP(ctx, at)
	if f != nil {
		return nil, f
	}
	defer closeWith(ctx, conn)()
	wire, err := query.Pack()
	if err != nil {
		return nil, cannotTell("cannot write the query: %s", bare(err))
	}
	if _, err := conn.Write(wire); err != nil {
		return nil, explainUDP(ctx, "while sending the query", err)
	}
	buffer := make([]byte, dns.MaxMsgSize)
	return await(ctx, query, func() ([]byte, error) {
		n, err := conn.Read(buffer)
		return buffer[:n], err
	})
}

// askTCP asks over TCP, where two bytes before each message tell its length (RFC 1035, 4.2.2).
func (p *dnsProbe) askTCP(ctx context.Context, query *dns.Msg, at netip.AddrPort) (*dns.Msg, *finding) {
	conn, f := p.connect(ctx, at)
	if f != nil {
		return nil, f
	}
	defer closeWith(ctx, conn)()
	wire, err := query.Pack()
	if err != nil {
		return nil, cannotTell("cannot write the query: %s", bare(err))
	}
	framed := append(binary.BigEndian.AppendUint16(nil, uint16(len(wire))), wire...)
	if _, err := conn.Write(framed); err != nil {
		return nil, explain(ctx, "after connecting, while sending the query", err)
	}
	return await(ctx, query, func() ([]byte, error) { return readFramed(conn) })
}

// readFramed reads one message.
func readFramed(conn net.Conn) ([]byte, error) {
	var length [2]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return nil, err
	}
	message := make([]byte, binary.BigEndian.Uint16(length[:]))
	_, err := io.ReadFull(conn, message)
	return message, err
}

// await reads messages until one answers the query. Others may be late answers, or forged ones: they prove nothing.
func await(ctx context.Context, query *dns.Msg, next func() ([]byte, error)) (*dns.Msg, *finding) {
	stray := ""
	for range maxDatagrams {
		wire, err := next()
		if err != nil {
			f := explainUDP(ctx, "waiting for an answer", err)
			if f.outcome == Fail && stray != "" {
				f.reason += ", got " + stray
			}
			return nil, f
		}
		reply := new(dns.Msg)
		err = reply.Unpack(wire)
		switch {
		case len(wire) >= headerLength && reply.Id == query.Id && reply.Response && cutShort(wire):
			reply.Truncated = true // whatever came of it need not be whole
			return reply, nil
		case err != nil:
			stray = "what is no DNS message: " + quoted(wire)
		case reply.Id != query.Id:
			stray = "an answer with another id"
		case !reply.Response:
			stray = "a query"
		case !answers(reply, query.Question[0]):
			stray = "an answer to another question: " + question(reply)
		default:
			return reply, nil
		}
	}
	return nil, failed("%d messages that do not answer the query, the last was %s", maxDatagrams, stray)
}

// headerLength is that of a message without anything (RFC 1035, 4.1.1).
const headerLength = 12

// cutShort reports whether the message is marked as truncated.
func cutShort(wire []byte) bool { return wire[2]&0x02 != 0 }

// answers reports whether the reply is to the question. A server that cannot or will not read it may leave it out.
func answers(reply *dns.Msg, asked dns.Question) bool {
	switch len(reply.Question) {
	case 0:
		return reply.Rcode != dns.RcodeSuccess && reply.Rcode != dns.RcodeNameError
	case 1:
		got := reply.Question[0]
		return got.Qtype == asked.Qtype && got.Qclass == asked.Qclass && strings.EqualFold(got.Name, asked.Name)
	}
	return false
}

func question(m *dns.Msg) string {
	if len(m.Question) == 0 {
		return "none"
	}
	return quoted(m.Question[0].Name + " " + config.TypeWord(m.Question[0].Qtype))
}

// judge compares the answer with what is expected.
func (p *dnsProbe) judge(reply *dns.Msg) *finding {
	if reply.Rcode != p.options.Rcode {
		return failed("answer is %s, expected %s", rcodeWord(reply.Rcode), rcodeWord(p.options.Rcode))
	}
	if p.answer == nil {
		return nil
	}
	var others []string
	for _, rr := range reply.Answer {
		if rr.Header().Rrtype != p.options.Type {
			continue // an alias on the way
		}
		if same(rr, p.answer) {
			return nil
		}
		others = append(others, data(rr))
	}
	if len(others) == 0 {
		return failed("answer lacks %s: it has no record of type %s", quoted(p.options.Answer), config.TypeWord(p.options.Type))
	}
	return failed("answer lacks %s: it has %s", quoted(p.options.Answer), quoted(strings.Join(others, ", ")))
}

// same compares the data of two records, whatever their owners.
func same(a, b dns.RR) bool { return strings.EqualFold(data(a), data(b)) }

// data is what stands behind the type, with one blank between its words. How a text is cut into strings does not count.
func data(rr dns.RR) string {
	if txt, ok := rr.(*dns.TXT); ok {
		return strings.Join(strings.Fields(strings.Join(txt.Txt, "")), " ")
	}
	return strings.Join(strings.Fields(config.DataOf(rr)), " ")
}

func rcodeWord(code int) string {
	if word, ok := dns.RcodeToString[code]; ok {
		return word
	}
	return fmt.Sprintf("rcode %d", code)
}
