package probe

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// slow is a network in virtual time: connecting takes a while, and then the server has a connection. The group waits for
// its servers.
func slow(servers *sync.WaitGroup, connect time.Duration, do behaviour) func(context.Context, netip.AddrPort) (net.Conn, error) {
	return func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(connect):
		}
		here, there := net.Pipe()
		servers.Go(func() {
			do(there)
			there.Close()
		})
		return here, nil
	}
}

// after answers a request in parts, each a while after what came before.
func after(parts ...any) behaviour {
	return func(conn net.Conn) {
		http.ReadRequest(bufio.NewReader(conn))
		for _, part := range parts {
			switch part := part.(type) {
			case time.Duration:
				time.Sleep(part) // virtual
			case string:
				io.WriteString(conn, part)
			}
		}
	}
}

func TestTimeouts(t *testing.T) {
	const (
		ms   = time.Millisecond
		head = "HTTP/1.1 200 OK\r\n\r\n"
	)
	limits := func(p *config.Probe) { p.ConnectTimeout, p.ResponseTimeout = 4*time.Second, 2*time.Second }
	tests := []struct {
		name     string
		kind     config.ProbeType
		change   func(*config.Probe)
		deadline time.Duration
		connect  time.Duration
		do       behaviour
		outcome  Outcome
		reason   string
		takes    time.Duration
	}{
		{"H-10 connect takes 4.1 s", config.ProbeHTTP, limits, 6 * time.Second,
			4100 * ms, after(), Fail, "timed out while connecting", 4 * time.Second},
		{"H-11 connect 3.9 s, status 1.9 s later", config.ProbeHTTP, limits, 6 * time.Second,
			3900 * ms, after(1900*ms, head), Pass, "", 5800 * ms},
		{"H-12 connect 0.1 s, status 2.1 s later", config.ProbeHTTP, limits, 6 * time.Second,
			100 * ms, after(2100*ms, head), Fail, "timed out after connecting, waiting for the status line", 2100 * ms},
		{"H-13 tcp connect 9.9 s", config.ProbeTCP, nil, 10 * time.Second,
			9900 * ms, silent, Pass, "", 9900 * ms},
		{"H-13 tcp connect 10.1 s", config.ProbeTCP, nil, 10 * time.Second,
			10100 * ms, silent, Fail, "timed out while connecting", 10 * time.Second},
		{"the body counts too", config.ProbeHTTP, func(p *config.Probe) { limits(p); p.HTTP.Body = "OK" }, 6 * time.Second,
			100 * ms, after(1000*ms, head, 1100*ms, "OK"), Fail, "timed out while reading the body", 2100 * ms},
		{"the TLS handshake counts too", config.ProbeHTTPS, limits, 6 * time.Second,
			100 * ms, silent, Fail, "timed out in the TLS handshake", 2100 * ms},
		{"one timeout for all", config.ProbeHTTP, nil, 5 * time.Second,
			4900 * ms, after(200*ms, head), Fail, "timed out after connecting, waiting for the status line", 5 * time.Second},
		{"one timeout over all redirects", config.ProbeHTTP, follows, 4500 * ms,
			1000 * ms, after(1000*ms, "HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n"), Fail, "timed out while connecting", 4500 * ms},
		{"a request that nobody reads", config.ProbeHTTP, nil, 5 * time.Second,
			0, func(net.Conn) { time.Sleep(6 * time.Second) }, Fail, "timed out after connecting, while sending", 5 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				change := []func(*config.Probe){}
				if test.change != nil {
					change = append(change, test.change)
				}
				prober := proberOf(t, test.kind, change...)
				var servers sync.WaitGroup
				defer servers.Wait()
				prober.dialer.dial = slow(&servers, test.connect, test.do)
				got := attempt(t, prober, Target{Address: netip.MustParseAddr("127.0.0.1"), Port: 80}, test.deadline)
				expect(t, got, test.outcome, test.reason)
				if got.Duration != test.takes {
					t.Errorf("Expected an attempt of %v, got %v", test.takes, got.Duration)
				}
			})
		})
	}
}
