package corefile

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// dnsOptions are the options of dns probes alone.
func dnsOptions() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "query", usage: "NAME TYPE", min: 2, max: 2, set: (*parser).query},
		{word: "expect_answer", usage: "RDATA", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.DNS.Answer = l.args()[0] }},
		{word: "expect_rcode", usage: "RCODE", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) {
			word := l.args()[0]
			code, ok := config.ParseRcode(word)
			if !ok {
				p.report(l.at, fmt.Sprintf("%q of %q is unknown", word, "expect_rcode"), config.OneOf(config.Rcodes()), config.Nearest(word, config.Rcodes()))
				return
			}
			o.DNS.Rcode = code
		}},
		{word: "tcp", set: func(p *parser, o *config.Probe, l *line) { o.DNS.TCP = true }},
	}
}

// query reads `query NAME TYPE`. The name is absolute with or without its dot: another server is asked, which knows nothing of our zones.
func (p *parser) query(o *config.Probe, l *line) {
	name, word := l.args()[0], l.args()[1]
	if names := p.canonical(l, nil, dns.Fqdn(name)); len(names) == 1 {
		o.DNS.Name = names[0]
	}
	rrType, ok := config.ParseType(word)
	if !ok {
		p.report(l.at, fmt.Sprintf("type %q of %q is unknown", word, "query"), "a type of records, such as A, SOA or TYPE65280", "")
		return
	}
	o.DNS.Type = rrType
}

// dns writes what a dns probe asks.
func (w *printer) dns(d config.DNS) {
	if d.Name != "" {
		w.line("query", nameWord(d.Name), config.TypeWord(d.Type))
	}
	w.differs("expect_answer", d.Answer, "")
	if d.Rcode != dns.RcodeSuccess {
		w.line("expect_rcode", strings.ToUpper(dns.RcodeToString[d.Rcode]))
	}
	if d.TCP {
		w.line("tcp")
	}
}
