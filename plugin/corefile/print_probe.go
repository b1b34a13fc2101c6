package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// probe writes a probe; what it does not say is the default of its type.
func (w *printer) probe(s *config.Stanza, p *config.Probe) {
	d := config.DefaultProbe(p.Name, p.Type, p.Preset)
	w.open("probe", p.Name, string(p.Type))
	switch p.Type {
	case config.ProbeCalculated:
		w.calculated(s, p.Children, d.Children)
	case config.ProbePush:
		w.push(p.Push, d.Push)
	default:
		w.preset(p.Preset, s.Preset)
	}
	w.differs("target", p.Target, d.Target)
	w.differs("port", fmt.Sprint(p.Port), fmt.Sprint(d.Port))
	w.timing(p, d)
	w.differs("fall", fmt.Sprint(p.Fall), fmt.Sprint(d.Fall))
	if p.Preset == config.PresetRoute53 {
		d.Rise = p.Fall
	}
	w.differs("rise", fmt.Sprint(p.Rise), fmt.Sprint(d.Rise))
	w.differs("initial", string(p.Initial), string(d.Initial))
	if p.Quorum.String() != d.Quorum.String() || w.whole && p.Type.MakesAttempts() {
		w.line(append([]string{"quorum"}, strings.Fields(p.Quorum.String())...)...)
	}
	if p.Invert {
		w.line("invert")
	}
	w.differs("assume", string(p.Assume), string(d.Assume))
	w.network(p)
	w.http(p.HTTP, d.HTTP)
	w.tls(p.TLS, d.TLS)
	if p.Exchange.Send != "" {
		w.line("send", escape(p.Exchange.Send))
	}
	w.differs("expect_reply", p.Exchange.ExpectReply, "")
	w.dns(p.DNS)
	w.grpc(p.GRPC)
	w.exec(p.Command)
	w.prometheus(p.Prometheus, d.Prometheus)
	w.close()
}

func (w *printer) timing(p, d *config.Probe) {
	switch {
	case p.FromEnd == d.FromEnd && !w.whole:
		w.differs("interval", config.FormatDuration(p.Interval), config.FormatDuration(d.Interval))
	case p.FromEnd:
		w.line("interval", config.FormatDuration(p.Interval), "from", "end")
	case p.Type.MakesAttempts():
		w.line("interval", config.FormatDuration(p.Interval), "from", "start")
	}
	d.Interval, d.FromEnd = p.Interval, p.FromEnd
	if p.Type.MakesAttempts() {
		d.FitTimeout()
	}
	switch {
	case !w.whole && p.Timeout == d.Timeout && p.ConnectTimeout == d.ConnectTimeout && p.ResponseTimeout == d.ResponseTimeout:
	case p.ConnectTimeout != 0 || p.ResponseTimeout != 0:
		w.line("timeout", "connect", config.FormatDuration(p.ConnectTimeout), "response", config.FormatDuration(p.ResponseTimeout))
	default:
		w.line("timeout", config.FormatDuration(p.Timeout))
	}
}

func (w *printer) http(h, d config.HTTP) {
	w.differs("method", h.Method, d.Method)
	w.differs("path", h.Path, d.Path)
	w.differs("host", h.Host, "")
	for _, header := range h.Headers {
		w.line("header", header.Name, header.Value)
	}
	w.differs("user_agent", h.UserAgent, "")
	if !slices.Equal(h.Expect, d.Expect) || w.whole && len(h.Expect) > 0 {
		ranges := make([]string, len(h.Expect))
		for i, r := range h.Expect {
			ranges[i] = r.String()
		}
		w.line("expect", strings.Join(ranges, ","))
	}
	w.differs("body", h.Body, "")
	w.differs("body_match", h.BodyMatch, "")
	w.differs("redirects", string(h.Redirects), string(d.Redirects))
}

func (w *printer) tls(t, d config.TLS) {
	w.differs("sni", t.SNI, "")
	if t.Verify != d.Verify || w.whole && t.Verify {
		w.line("verify", map[bool]string{true: "on", false: "off"}[t.Verify])
	}
	w.differs("ca", t.CA, "")
	if t.Cert != "" {
		w.line("cert", t.Cert, t.Key)
	}
	w.differs("expires", daysWord(t.Expires), "0d")
}

// differs writes an option if its value is not the default one, or all are to be written and it has one.
func (w *printer) differs(word, value, standard string) {
	if value != standard || w.whole && value != "" {
		w.line(word, value)
	}
}
