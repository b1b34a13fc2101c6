package healthroute

import (
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"google.golang.org/grpc"
	grpchealth "google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TestReport30 is checks that a page advertises and that do not work: every type of probe tests a real server here and, through the Corefile, keeps what
// does not work out of the answer. Both records of a type stand in one group; the second one's target is not there.
func TestReport30(t *testing.T) {
	greets := func(says string) string {
		return serveStream(t, func(c net.Conn) {
			_, _ = io.WriteString(c, says)
			_, _ = io.Copy(io.Discard, c) // until the attempt has seen enough
		})
	}
	web, secure := httptest.NewServer(http.HandlerFunc(metric)), httptest.NewUnstartedServer(http.HandlerFunc(metric))
	secure.Config.ErrorLog = stdlog.New(io.Discard, "", 0) // of a handshake alone
	secure.StartTLS()
	t.Cleanup(web.Close)
	t.Cleanup(secure.Close)
	port := func(s *httptest.Server) string { return "port " + s.URL[strings.LastIndex(s.URL, ":")+1:] }
	target := "\ntarget 127.0.0.1\n"

	options := map[config.ProbeType]string{ // of the probe for both records
		config.ProbeHTTP:  port(web),
		config.ProbeHTTPS: port(secure) + "\nverify off",
		config.ProbeTLS:   port(secure) + "\nverify off",
		config.ProbeTCP:   port(web),
		config.ProbeUDP:   "port " + serveEcho(t) + "\nsend hello\nexpect_reply hello",
		config.ProbeDNS:   "port " + portOf(newUpstream(t).Address) + "\nquery www.example.net. A\nexpect_answer 203.0.113.1",
		config.ProbeGRPC:  "port " + serveGRPC(t),
		config.ProbeExec:  `command /bin/sh -c "test $HEALTHROUTE_TARGET = 127.0.0.1"`,

		config.ProbePostgres: "port " + greets("N"),
		config.ProbeMySQL:    "port " + greets("\x1a\x00\x00\x00\x0a8.4.2\x00"+strings.Repeat("x", 19)),
		config.ProbeRedis:    "port " + greets("+PONG\r\n"),
		config.ProbeSMTP:     "port " + greets("220 mail.example ESMTP\r\n"),
		config.ProbeIMAP:     "port " + greets("* OK ready\r\n"),
		config.ProbeLDAP:     "port " + greets("\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x00\x04\x00\x04\x00"),
	}
	pairs := map[config.ProbeType][2]string{ // where one probe is one check, a probe for each record
		config.ProbePrometheus: {"url " + web.URL + "\nquery up\nhealthy == 1", "url " + web.URL + "\nquery up\nhealthy > 1"},
		config.ProbeCalculated: {"of near\nhealthy all", "of near,far\nhealthy all"},
		config.ProbePush:       {"max_age 10m", "max_age 10m"},
	}
	lines := []string{
		"probe near tcp {" + target + port(web) + "\ninterval 1h\n}", "probe far tcp {" + strings.Replace(target, "0.1", "0.2", 1) + port(web) + "\ninterval 1h\n}",
	}
	var types []config.ProbeType
	for _, kind := range config.ProbeTypes() {
		records := []string{"127.0.0.1 probe " + string(kind), "127.0.0.2 probe " + string(kind)}
		pair, one := pairs[kind]
		switch {
		case one:
			for i, own := range pair {
				interval := ""
				if kind == config.ProbePrometheus {
					interval = "interval 1h\n"
				}
				lines = append(lines, fmt.Sprintf("probe %s%d %s {\n%s%s\n}", kind, i, kind, interval, own))
				records[i] += fmt.Sprint(i)
			}
		case kind == config.ProbePing: // all of 127.0.0.0/8 is there
			lines = append(lines, "probe ping ping {\ninterval 1h\n}")
			records = records[:1]
		default:
			own, listed := options[kind]
			if !listed {
				t.Errorf("Expected a server for probes of type %s, got none", kind)
				continue
			}
			lines = append(lines, fmt.Sprintf("probe %s %[1]s {\ninterval 1h\n%s\n}", kind, own))
		}
		types = append(types, kind)
		lines = append(lines, groupOf("multivalue", string(kind), "last_resort none", records...))
	}
	s := start(t, listening("example.org", stanza(lines...)))
	for i, outcome := range []probe.Outcome{probe.Pass, probe.Fail} {
		if n := engine.Push(fmt.Sprint("push", i), outcome, time.Now(), "told"); n != 1 {
			t.Errorf("Expected one check to be told, got %d", n)
		}
	}
	for _, kind := range types {
		eventually(t, fmt.Sprintf("what %s finds", kind), func() bool {
			return slices.Equal(data(s.ask(string(kind)+".example.org.", dns.TypeA).Answer), []string{"127.0.0.1"})
		})
	}
	healthy := map[string]bool{}
	for _, c := range running.newest().blocks[0].lease.Checks() {
		last := c.State().Last
		forbidden := c.Probe().Type == config.ProbePing && last.Outcome == probe.CannotTell // ping_group_range
		healthy[string(c.Probe().Type)] = healthy[string(c.Probe().Type)] || forbidden || c.State().Status == health.Healthy
	}
	for _, kind := range types {
		if !healthy[string(kind)] {
			t.Errorf("Expected a healthy check of type %s, got none", kind)
		}
	}
}

// metric is a Prometheus server's answer to every query, and a page like others.
func metric(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1700000000,"1"]}]}}`)
}

func portOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// serveStream serves connections to 127.0.0.1 until the test ends, and returns the port.
func serveStream(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Expected a listener, got: %v", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := listener.Accept()
			if err != nil {
				return // closed
			}
			serve(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return portOf(listener.Addr().String())
}

// serveEcho sends datagrams back until the test ends, and returns the port.
func serveEcho(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Expected a socket, got: %v", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return // closed
			}
			_, _ = conn.WriteTo(buffer[:n], from)
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return portOf(conn.LocalAddr().String())
}

// serveGRPC is the library's server with its health service, which says SERVING; it returns the port.
func serveGRPC(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Expected a listener, got: %v", err)
	}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, grpchealth.NewServer())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return portOf(listener.Addr().String())
}
