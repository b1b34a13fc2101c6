package healthroute

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	_ "github.com/coredns/coredns/plugin/dnstap"
	_ "github.com/coredns/coredns/plugin/proxyproto"
	_ "github.com/coredns/coredns/plugin/view"
	tap "github.com/dnstap/golang-dnstap"
	"github.com/miekg/dns"
	"google.golang.org/protobuf/proto"
)

// proxied puts a PROXY header (version 2) before what is sent, in the name of another client.
func proxied(network, client string, packet []byte) []byte {
	from := netip.MustParseAddr(client)
	family, kind := byte(0x10), byte(1)
	if from.Is6() {
		family = 0x20
	}
	if network == "udp" {
		kind = 2
	}
	header := append([]byte("\r\n\r\n\x00\r\nQUIT\n\x21"), family|kind)
	header = binary.BigEndian.AppendUint16(header, uint16(2*from.BitLen()/8+4))
	header = append(header, from.AsSlice()...)
	header = append(header, from.AsSlice()...)
	header = append(header, 0, 53, 0, 53)
	if network == "tcp" {
		packet = append(binary.BigEndian.AppendUint16(nil, uint16(len(packet))), packet...)
	}
	return append(header, packet...)
}

// TestProxyprotoAbove: the client is who the header says, by UDP and TCP.
func TestProxyprotoAbove(t *testing.T) {
	s := start(t, listening("example.org", "proxyproto {\nallow 127.0.0.0/8\n}", neighbourly()))
	expectData(t, s.ask("near.example.org.", dns.TypeA), "192.0.2.5") // without a header: 127.0.0.1
	for client, want := range map[string]string{"198.51.100.7": "192.0.2.5", "2001:db8::7": "192.0.2.6", "203.0.113.7": "192.0.2.7", "127.0.0.2": "192.0.2.6"} {
		for _, network := range []string{"udp", "tcp"} {
			wire, err := question("near.example.org.", dns.TypeA).Pack()
			if err != nil {
				t.Fatal(err)
			}
			p := dial(t, s, network)
			if _, err := p.conn.Write(proxied(network, client, wire)); err != nil {
				t.Fatal(err)
			}
			r := parsed(p.receive(t))
			p.close()
			if r == nil || len(r.Answer) != 1 || data(r.Answer)[0] != want {
				t.Errorf("Expected %s for %s by %s, got:\n%v", want, client, network, r)
			}
		}
	}
}

// askAs asks from another address of this host.
func (s *server) askAs(source, name string, qtype uint16) *dns.Msg {
	s.t.Helper()
	c := &dns.Client{Timeout: patience, Dialer: &net.Dialer{LocalAddr: &net.UDPAddr{IP: net.ParseIP(source)}}}
	r, _, err := c.Exchange(question(name, qtype), s.address("udp"))
	if err != nil {
		s.t.Fatalf("Expected an answer, got: %v", err)
	}
	return r
}

// TestViewsApart is split horizon: two blocks have the same zone and names, each with groups, checks and a wildcard of its own.
func TestViewsApart(t *testing.T) {
	up := newBackend(t, "127.0.0.1", "0")
	inside := "probe web http {\nport " + up.Port + "\ninterval 1h\n}\n" + groupOf("failover", "www", "probe web", "127.0.0.9", "127.0.0.1")
	s := start(t, listening("example.org", "view inside {\nexpr incidr(client_ip(), '127.0.0.2/32')\n}", stanza("nameserver ns1.inside.example.", inside))+
		listening("example.org", stanza("nameserver ns1.outside.example.", groupOf("simple", "www *", "", "203.0.113.1"))))
	for range 3 {
		expectData(t, s.askAs("127.0.0.2", "www.example.org.", dns.TypeA), "127.0.0.1") // the primary does not listen
		expectData(t, s.askAs("127.0.0.1", "www.example.org.", dns.TypeA), "203.0.113.1")
		expectNegative(t, s.askAs("127.0.0.2", "other.example.org.", dns.TypeA), dns.RcodeNameError, "example.org.", 30)
		expectData(t, s.askAs("127.0.0.1", "other.example.org.", dns.TypeA), "203.0.113.1")
		expectData(t, s.askAs("127.0.0.2", "example.org.", dns.TypeNS), "ns1.inside.example.")
		expectData(t, s.askAs("127.0.0.1", "example.org.", dns.TypeNS), "ns1.outside.example.")
	}
}

// TestACLBySource tells clients apart before us.
func TestACLBySource(t *testing.T) {
	s := start(t, listening("example.org", "acl {\nallow net 127.0.0.2/32\nblock\n}", neighbourly()))
	expectData(t, s.askAs("127.0.0.2", "near.example.org.", dns.TypeA), "192.0.2.6")
	if r := s.askAs("127.0.0.1", "near.example.org.", dns.TypeA); r.Rcode != dns.RcodeRefused || len(r.Answer) != 0 {
		t.Errorf("Expected REFUSED, got:\n%v", r)
	}
}

// TestDnstapAbove shows what we answered to whoever listens, and with metadata why.
func TestDnstapAbove(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	frames, replied := make(chan *tap.Dnstap, 100), make(chan struct{}, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(frames)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r, err := tap.NewReader(conn, &tap.ReaderOptions{Bidirectional: true})
		if err != nil {
			return
		}
		buffer := make([]byte, dns.MaxMsgSize)
		for {
			n, err := r.ReadFrame(buffer)
			if err != nil {
				return
			}
			frame := new(tap.Dnstap)
			if proto.Unmarshal(buffer[:n], frame) == nil {
				frames <- frame
				if m := parsed(frame.GetMessage().GetResponseMessage()); m != nil && strings.HasPrefix(m.Question[0].Name, "down.") {
					replied <- struct{}{}
				}
			}
		}
	}()
	var reply []byte
	t.Run("running", func(t *testing.T) {
		s := start(t, listening("example.org", "metadata", "dnstap tcp://"+listener.Addr().String()+
			" full {\nextra {/healthroute/group}|{/healthroute/record}|{/healthroute/reason}\n}", neighbourly()))
		reply = s.wire("udp", question("down.example.org.", dns.TypeA))
		select {
		case <-replied: // what is not written when the server stops may be lost
		case <-time.After(patience):
			t.Error("Expected a frame of the reply, got none")
		}
	})
	var queries, replies int
	for timeout := time.After(patience); ; {
		select {
		case f, open := <-frames:
			if !open {
				if queries != 1 || replies != 1 {
					t.Errorf("Expected the query and its reply, got %d and %d", queries, replies)
				}
				<-done
				return
			}
			if m := parsed(f.GetMessage().GetQueryMessage()); m != nil && strings.HasPrefix(m.Question[0].Name, "down.") {
				queries++
			}
			if raw := f.GetMessage().GetResponseMessage(); parsed(raw) != nil && strings.HasPrefix(parsed(raw).Question[0].Name, "down.") {
				replies++
				raw[0], raw[1] = 0, 0
				if unpacked(raw) != unpacked(reply) {
					t.Errorf("Expected the reply that the client got:\n%s\ngot:\n%s", unpacked(reply), unpacked(raw))
				}
				if want := "down.example.org.|192.0.2.4|last resort, no usable record"; string(f.GetExtra()) != want {
					t.Errorf("Expected %q, got %q", want, f.GetExtra())
				}
			}
		case <-timeout:
			t.Fatal("Expected the stream to end with the server, got nothing")
		}
	}
}
