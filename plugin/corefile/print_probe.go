package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// probe writes a probe; what it does not say is the default of its type.
func (w *printer) probe(p *config.Probe) {
	d := config.DefaultProbe(p.Name, p.Type)
	w.open("probe", p.Name, string(p.Type))
	w.differs("target", p.Target, d.Target)
	w.differs("port", fmt.Sprint(p.Port), fmt.Sprint(d.Port))
	if p.FromEnd {
		w.line("interval", config.FormatDuration(p.Interval), "from", "end")
	} else {
		w.differs("interval", config.FormatDuration(p.Interval), config.FormatDuration(d.Interval))
		d.Timeout = config.DefaultTimeout(p.Interval)
	}
	if p.ConnectTimeout != 0 || p.ResponseTimeout != 0 {
		w.line("timeout", "connect", config.FormatDuration(p.ConnectTimeout), "response", config.FormatDuration(p.ResponseTimeout))
	} else {
		w.differs("timeout", config.FormatDuration(p.Timeout), config.FormatDuration(d.Timeout))
	}
	w.differs("fall", fmt.Sprint(p.Fall), fmt.Sprint(d.Fall))
	w.differs("rise", fmt.Sprint(p.Rise), fmt.Sprint(d.Rise))
	w.differs("initial", string(p.Initial), string(d.Initial))
	if p.Invert {
		w.line("invert")
	}
	w.differs("assume", string(p.Assume), string(d.Assume))
	w.http(p.HTTP, d.HTTP)
	w.tls(p.TLS, d.TLS)
	if p.Exchange.Send != "" {
		w.line("send", escape(p.Exchange.Send))
	}
	w.differs("expect_reply", p.Exchange.ExpectReply, "")
	w.close()
}

func (w *printer) http(h, d config.HTTP) {
	w.differs("method", h.Method, d.Method)
	w.differs("path", h.Path, d.Path)
	w.differs("host", h.Host, "")
	for _, header := range h.Headers {
		w.line("header", header.Name, header.Value)
	}
	w.differs("user_agent", h.UserAgent, "")
	if !slices.Equal(h.Expect, d.Expect) {
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
	if t.Verify != d.Verify {
		w.line("verify", map[bool]string{true: "on", false: "off"}[t.Verify])
	}
	w.differs("ca", t.CA, "")
	if t.Cert != "" {
		w.line("cert", t.Cert, t.Key)
	}
}

// differs writes an option if its value is not the default one.
func (w *printer) differs(word, value, standard string) {
	if value != standard {
		w.line(word, value)
	}
}
