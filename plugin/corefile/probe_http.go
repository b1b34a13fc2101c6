package corefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// httpOptions are the options of http and https probes.
func httpOptions() []option[*config.Probe] {
	return slices.Insert([]option[*config.Probe]{
		{word: "method", usage: "METHOD", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.HTTP.Method = strings.ToUpper(l.args()[0]) }},
		{word: "path", usage: "PATH", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			o.HTTP.Path = "/" + strings.TrimPrefix(l.args()[0], "/")
		}},
		{word: "header", usage: "NAME VALUE", min: 2, max: 2, repeat: true, set: func(p *parser, o *config.Probe, l *line) {
			o.HTTP.Headers = append(o.HTTP.Headers, header(&o.Places, l))
		}},
		{word: "user_agent", usage: "TEXT", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.HTTP.UserAgent = l.args()[0] }},
		{word: "expect", usage: "CODE|FROM-TO,...", min: 1, max: 1, set: (*parser).expect},
		{word: "body", usage: "TEXT", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.HTTP.Body = l.args()[0] }},
		{word: "body_match", usage: "REGEXP", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.HTTP.BodyMatch = l.args()[0] }},
		{word: "redirects", usage: "judge|follow", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			choice(p, l, l.args()[0], []config.Redirects{config.RedirectsJudge, config.RedirectsFollow}, &o.HTTP.Redirects)
		}},
	}, 2, hostOption()...)
}

// tlsOptions are the options of https, tls and grpc probes.
func tlsOptions() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "sni", usage: "NAME", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.TLS.SNI = hostName(l.args()[0]) }},
		{word: "verify", usage: "on|off", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			verify := "on"
			choice(p, l, l.args()[0], []string{"on", "off"}, &verify)
			o.TLS.Verify = verify == "on"
		}},
		{word: "ca", usage: "FILE", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.TLS.CA = p.file(l.args()[0]) }},
		{word: "cert", usage: "FILE KEY", min: 2, max: 2, set: func(p *parser, o *config.Probe, l *line) {
			o.TLS.Cert, o.TLS.Key = p.file(l.args()[0]), p.file(l.args()[1])
		}},
		{word: "expires", usage: "DURATION", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { p.days(l, l.args()[0], &o.TLS.Expires) }},
	}
}

// exchangeOptions are the options of tcp, tls and udp probes.
func exchangeOptions() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "send", usage: "TEXT", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			text, err := unescape(l.args()[0])
			if err != nil {
				p.report(l.at, err.Error()+` in "send"`, `\r, \n, \t, \\ or \xNN`, "")
				return
			}
			o.Exchange.Send = text
		}},
		{word: "expect_reply", usage: "REGEXP", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.Exchange.ExpectReply = l.args()[0] }},
	}
}

// hostName normalizes what goes into a Host header or a server name: there the final dot has no place.
func hostName(text string) string { return strings.TrimSuffix(hostOrAddress(text), ".") }

// header reads `header NAME VALUE` and remembers the line of this very header.
func header(places *config.Places, l *line) config.Header {
	h := config.Header{Name: l.args()[0], Value: l.args()[1]}
	places.Note("header "+h.Name, l.at)
	return h
}

// expect reads codes and ranges: `200`, `200-299,301`.
func (p *parser) expect(o *config.Probe, l *line) {
	o.HTTP.Expect = nil
	for part := range strings.SplitSeq(l.args()[0], ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		low, err1 := strconv.ParseUint(from, 10, 16)
		high, err2 := strconv.ParseUint(to, 10, 16)
		if err1 != nil || err2 != nil {
			p.report(l.at, fmt.Sprintf("%q of %q is not a status code", part, "expect"), "codes and ranges with commas, as in 200-299,301", "")
			continue
		}
		o.HTTP.Expect = append(o.HTTP.Expect, config.CodeRange{From: int(low), To: int(high)})
	}
}
