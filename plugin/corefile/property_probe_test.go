package corefile

import (
	"slices"
	"time"

	"github.com/miekg/dns"
	"pgregory.net/rapid"

	"github.com/healthroute/healthroute/plugin/config"
)

// drawType draws one of the types that count nobody else.
var drawType = rapid.SampledFrom(slices.DeleteFunc(config.ProbeTypes(), func(t config.ProbeType) bool { return t == config.ProbeCalculated }))

var drawMissing = rapid.SampledFrom([]config.Missing{config.MissingHealthy, config.MissingUnhealthy, config.MissingLast})

// drawKind draws what the probe's type alone has.
func drawKind(t *rapid.T, p *config.Probe) {
	switch p.Type {
	case config.ProbeTCP, config.ProbeTLS, config.ProbeUDP:
		p.Exchange.Send = string(rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "send"))
		p.Exchange.ExpectReply = rapid.SampledFrom([]string{"", `^220[ -]`, `a{2}`, `\x00`}).Draw(t, "expect_reply")
	case config.ProbeDNS:
		p.DNS = rapid.SampledFrom([]config.DNS{
			{Name: "example.org.", Type: dns.TypeSOA}, {Name: `a\"b.example.org.`, Type: 65280, Rcode: dns.RcodeNameError},
			{Name: "example.org.", Type: dns.TypeMX, Answer: "10 mail.example.org.", TCP: true}, {Name: ".", Type: dns.TypeTXT, Answer: `v=spf1 -all`},
		}).Draw(t, "question")
	case config.ProbeGRPC:
		p.GRPC.Service = rapid.SampledFrom([]string{"", "a.b.C"}).Draw(t, "service")
		p.GRPC.TLS = rapid.Bool().Draw(t, "tls")
		p.HTTP.Host = drawHost.Draw(t, "host")
	case config.ProbeExec:
		p.Command = []string{"/bin/" + text(t, "program"), text(t, "argument")}
	case config.ProbePrometheus:
		p.Prometheus = config.Prometheus{
			URL: "https://prometheus.example.org:9090/below", Query: `up{job="a b"} # ` + text(t, "query"),
			Compare: rapid.SampledFrom(config.Compares()).Draw(t, "compare"), Number: rapid.Float64().Draw(t, "number"),
			Missing: drawMissing.Draw(t, "missing"), Token: rapid.SampledFrom([]string{"", "the token"}).Draw(t, "token"),
		}
		p.TLS.CA = rapid.SampledFrom([]string{"", "/etc/ca.pem"}).Draw(t, "ca")
	case config.ProbePush:
		p.Push = config.Push{MaxAge: time.Duration(rapid.Int64Range(int64(time.Second), int64(time.Hour)).Draw(t, "max age")), Missing: drawMissing.Draw(t, "missing")}
	}
	if p.UsesTLS() {
		drawTLS(t, p)
	}
}

func drawTLS(t *rapid.T, p *config.Probe) {
	p.TLS.Verify = rapid.Bool().Draw(t, "verify")
	p.TLS.SNI = drawHost.Draw(t, "sni")
	p.TLS.CA = rapid.SampledFrom([]string{"", "/etc/ca.pem"}).Draw(t, "ca")
	if rapid.Bool().Draw(t, "cert") {
		p.TLS.Cert, p.TLS.Key = "client.pem", "the key.pem"
	}
	p.TLS.Expires = rapid.SampledFrom([]time.Duration{0, 14 * 24 * time.Hour, 36 * time.Hour, 1500 * time.Millisecond}).Draw(t, "expires")
}
