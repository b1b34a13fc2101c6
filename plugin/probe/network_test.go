package probe

import (
	"bufio"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/pires/go-proxyproto"

	"github.com/healthroute/healthroute/plugin/config"
)

func proxied(p *config.Probe) { p.ProxyProtocol = true }

func from(source string) func(*config.Probe) { return func(p *config.Probe) { p.Source = source } }

// expecting reads a PROXY header, as a server that demands one does, and then goes on.
func expecting(seen chan<- *proxyproto.Header, do behaviour) behaviour {
	return func(conn net.Conn) {
		reader := bufio.NewReader(conn)
		header, err := proxyproto.Read(reader)
		seen <- header
		if err == nil {
			do(&buffered{conn, reader})
		}
	}
}

// buffered is a connection of which something has been read.
type buffered struct {
	net.Conn
	reader io.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.reader.Read(p) }

// The PROXY header comes first, in front of the TLS handshake too, over both families.
func TestProxyProtocol(t *testing.T) {
	secure := overTLS(t, certificate(t, issued{}), says(reply("", "OK")))
	tests := []struct {
		name   string
		kind   config.ProbeType
		change func(*config.Probe)
		do     behaviour
	}{
		{"http", config.ProbeHTTP, wants("OK"), says(reply("", "OK"))},
		{"https", config.ProbeHTTPS, func(p *config.Probe) { careless(p); wants("OK")(p) }, secure},
		{"https, HTTP/2", config.ProbeHTTPS, careless, overHTTP2(t, func(p *peer) { p.answer("", ":status", "200") })},
		{"tcp", config.ProbeTCP, exchanges("PING\n", "PONG"), then(reads, writes("PONG\n"), silent)},
		{"tcp that says nothing", config.ProbeTCP, exchanges("", ""), silent},
	}
	for _, test := range tests {
		for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
			t.Run(test.name+" "+address, func(t *testing.T) {
				seen := make(chan *proxyproto.Header, 1)
				target := at(serveOn(t, address, expecting(seen, test.do)))
				expect(t, attempt(t, proberOf(t, test.kind, test.change, proxied), target, patience), Pass, "")
				if header := <-seen; header == nil || header.Version != 2 || !header.Command.IsLocal() {
					t.Errorf("Expected a PROXY header of version 2 with LOCAL, got %+v", header)
				}
			})
		}
	}
}

// A redirect to the target's own host is a connection to the same server, which wants the header again; another host
// knows nothing of it.
func TestProxyProtocolAndRedirects(t *testing.T) {
	first := make(chan *proxyproto.Header, 2)
	bare := serve(t, says(reply("", "OK")))
	var pages atomic.Int32
	own := at(serve(t, func(conn net.Conn) {
		location := "Location: /next\r\n"
		if pages.Add(1) > 1 {
			location = "Location: http://other.example:" + port(bare) + "/\r\n"
		}
		expecting(first, says("HTTP/1.1 302 Found\r\n"+location+"\r\n"))(conn)
	}))
	prober := proberOf(t, config.ProbeHTTP, proxied, follows, wants("OK"))
	prober.dialer.resolver = names{"other.example": {"127.0.0.1"}}
	expect(t, attempt(t, prober, own, patience), Pass, "")
	if len(first) != 2 {
		t.Errorf("Expected two headers, got %d", len(first))
	}
}

func TestSource(t *testing.T) {
	seen := make(chan string, 1)
	server := at(serve(t, func(conn net.Conn) { seen <- conn.RemoteAddr().(*net.TCPAddr).IP.String() }))
	expect(t, attempt(t, proberOf(t, config.ProbeTCP, from("127.0.0.77")), server, patience), Pass, "")
	if got := <-seen; got != "127.0.0.77" {
		t.Errorf("Expected a connection from 127.0.0.77, got %s", got)
	}
	expect(t, attempt(t, proberOf(t, config.ProbeTCP, from("192.0.2.1")), server, patience), CannotTell,
		"source 192.0.2.1 is no address of this host, or has no port left")
	expect(t, attempt(t, proberOf(t, config.ProbeTCP, from("::1")), server, patience), CannotTell, "source ::1 cannot reach an IPv4 address")
}

// The family of a name is chosen once: that of the source, IPv4 with the preset that looks up nothing else, or what the
// resolver has first.
func TestFamilyOfNames(t *testing.T) {
	v4 := serve(t, silent)
	v6 := serveOn(t, "[::1]:"+port(v4), silent)
	both := names{"both.example": {"::1", "127.0.0.1"}, "six.example": {"::1"}}
	tests := []struct {
		name   string
		target string
		change func(*config.Probe)
		want   netip.AddrPort // invalid: it fails
	}{
		{"as the resolver has it", "both.example", func(*config.Probe) {}, v6},
		{"IPv4 source", "both.example", from("127.0.0.1"), v4},
		{"IPv6 source", "both.example", from("::1"), v6},
		{"route53", "both.example", func(p *config.Probe) { p.Preset = config.PresetRoute53 }, v4},
		{"route53, no IPv4", "six.example", func(p *config.Probe) { p.Preset = config.PresetRoute53 }, netip.AddrPort{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prober := proberOf(t, config.ProbeTCP, test.change)
			prober.dialer.resolver = both
			var trace Trace
			result := prober.Attempt(WithTrace(t.Context(), &trace), Target{Name: test.target, Port: v4.Port()})
			if !test.want.IsValid() {
				expect(t, result, Fail, `DNS resolution failed: "six.example" has no IPv4 address`)
				return
			}
			expect(t, result, Pass, "")
			if got := trace.Events[0].Detail; len(trace.Events) != 2 || got == "" || got[:len("both.example is "+test.want.Addr().String())] != "both.example is "+test.want.Addr().String() {
				t.Errorf("Expected both.example to be %s, got %q", test.want.Addr(), got)
			}
		})
	}
}

func TestNetworkErrors(t *testing.T) {
	for name, change := range map[string]func(*config.Probe){
		`source: "eth0" is not an IP address`:           from("eth0"),
		`resolver: "dns.example" is not an IP address`:  func(p *config.Probe) { p.Resolver = "dns.example" },
		`resolver: address "224.0.0.1" is multicast`:    func(p *config.Probe) { p.Resolver = "224.0.0.1:53" },
		`resolver: "192.0.2.53:0" has port 0`:           func(p *config.Probe) { p.Resolver = "192.0.2.53:0" },
		`resolver: "192.0.2.53:x" is not an IP address`: func(p *config.Probe) { p.Resolver = "192.0.2.53:x" },
	} {
		if _, err := New(probeOf(config.ProbeTCP, change)); err == nil || err.Error() != name {
			t.Errorf("Expected error %s, got %v", name, err)
		}
	}
}
