package probe

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
	"time"

	"github.com/healthroute/healthroute/plugin/config"
)

// line reads a line and answers.
func line(want, reply string) behaviour {
	return func(conn net.Conn) {
		got := make([]byte, len(want))
		if _, err := io.ReadFull(conn, got); err == nil && string(got) == want {
			io.WriteString(conn, reply)
		}
		silent(conn)
	}
}

func TestTLSProbe(t *testing.T) {
	var (
		good    = certificate(t, issued{names: []string{"a.example"}, till: time.Now().Add(20 * 24 * time.Hour)})
		soon    = certificate(t, issued{names: []string{"a.example"}, till: time.Now().Add(36 * time.Hour)})
		expired = certificate(t, issued{names: []string{"a.example"}, from: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC), till: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
		lives   = func(d time.Duration) func(*config.Probe) { return func(p *config.Probe) { p.TLS.Expires = d } }
		day     = 24 * time.Hour
	)
	tests := []struct {
		name   string
		probe  []func(*config.Probe)
		do     behaviour
		reason string
	}{
		{"shakes hands", []func(*config.Probe){trusting(t)}, overTLS(t, good, silent), ""},
		{"shakes hands with one that closes", []func(*config.Probe){trusting(t)}, overTLS(t, good, func(net.Conn) {}), ""},
		{"exchange", []func(*config.Probe){trusting(t), exchanges("PING\r\n", `^\+PONG`)}, overTLS(t, good, line("PING\r\n", "+PONG\r\n")), ""},
		{"other reply", []func(*config.Probe){careless, exchanges("", "^220 ")}, overTLS(t, good, writes("554 no\r\n")),
			`connection closed waiting for a reply that matches "^220 ", got "554 no\r\n"`},
		{"not trusted", nil, overTLS(t, good, silent), "certificate signed by unknown authority"},
		{"expired", []func(*config.Probe){trusting(t)}, overTLS(t, expired, silent), "certificate expired on 2026-01-02"},
		{"expired, not verified", []func(*config.Probe){careless}, overTLS(t, expired, silent), ""},
		{"expired, not verified, looked at", []func(*config.Probe){careless, lives(day)}, overTLS(t, expired, silent), "certificate expired on 2026-01-02"},
		{"lives long enough", []func(*config.Probe){trusting(t), lives(14 * day)}, overTLS(t, good, silent), ""},
		{"expires soon", []func(*config.Probe){trusting(t), lives(14 * day)}, overTLS(t, soon, silent),
			"certificate expires on " + soon.Leaf.NotAfter.UTC().Format(time.DateOnly) + ", in ..."},
		{"expires in days", []func(*config.Probe){careless, lives(30 * day)}, overTLS(t, good, silent),
			"certificate expires on " + good.Leaf.NotAfter.UTC().Format(time.DateOnly) + ", in ..."},
		{"plaintext", []func(*config.Probe){careless}, writes("SSH-2.0-server\r\n"), `not a TLS reply: "SSH-2"`},
		{"closes", []func(*config.Probe){careless}, reads, "connection closed in the TLS handshake"},
		{"resets", []func(*config.Probe){careless}, then(reads, resets), "connection reset in the TLS handshake"},
		{"alert", []func(*config.Probe){careless}, overTLS(t, good, silent, func(c *tls.Config) { c.MinVersion = 0x7f00 }), "server sent a TLS alert: ..."},
		{"endless", []func(*config.Probe){careless, exchanges("", "x")}, overTLS(t, good, repeats("0")), `the first 5120 bytes of the reply do not match "x"...`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcome := Pass
			if test.reason != "" {
				outcome = Fail
			}
			target := at(serve(t, test.do))
			target.SNI = "a.example"
			expect(t, attempt(t, proberOf(t, config.ProbeTLS, test.probe...), target, patience), outcome, test.reason)
		})
	}
}

func TestTLSProbeSilence(t *testing.T) {
	own := certificate(t, issued{})
	expect(t, attempt(t, proberOf(t, config.ProbeTLS), at(serve(t, silent)), briefly), Fail, "timed out in the TLS handshake")
	mute := at(serve(t, overTLS(t, own, then(writes("220-"), silent))))
	expect(t, attempt(t, proberOf(t, config.ProbeTLS, careless, exchanges("", "^220 ")), mute, briefly), Fail,
		`timed out waiting for a reply that matches "^220 ", got ...`)
}

// A tls probe offers no protocol: what is behind the handshake may be anything.
func TestTLSProbeHello(t *testing.T) {
	hello := make(chan *tls.ClientHelloInfo, 1)
	target := at(serve(t, overTLS(t, certificate(t, issued{}), silent, func(c *tls.Config) {
		c.GetConfigForClient = func(info *tls.ClientHelloInfo) (*tls.Config, error) { hello <- info; return nil, nil }
	})))
	target.SNI = "a.example"
	expect(t, attempt(t, proberOf(t, config.ProbeTLS, careless), target, patience), Pass, "")
	if got := <-hello; got.ServerName != "a.example" || len(got.SupportedProtos) > 0 {
		t.Errorf("Expected a.example and no protocol, got %q and %v", got.ServerName, got.SupportedProtos)
	}
}
