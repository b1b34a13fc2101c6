package corefile

import (
	"net/netip"

	"github.com/healthroute/healthroute/plugin/config"
)

// networkOptions are how a probe reaches its target.
func networkOptions() []option[*config.Probe] {
	reaching := []option[*config.Probe]{
		{word: "source", usage: "ADDRESS", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.Source = hostOrAddress(l.args()[0]) }},
		{word: "resolver", usage: "ADDRESS[:PORT]", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.Resolver = server(l.args()[0]) }},
	}
	proxy := []option[*config.Probe]{
		{word: "proxy_protocol", set: func(p *parser, o *config.Probe, l *line) { o.ProxyProtocol = true }},
	}
	return append(
		only("a probe that connects to a target", reaching,
			config.ProbeHTTP, config.ProbeHTTPS, config.ProbeTCP, config.ProbeTLS, config.ProbeGRPC, config.ProbePostgres,
			config.ProbeMySQL, config.ProbeRedis, config.ProbeSMTP, config.ProbeIMAP, config.ProbeLDAP,
			config.ProbePing, config.ProbeUDP, config.ProbeDNS, config.ProbePrometheus),
		only("an http, https, tcp or tls probe", proxy, config.ProbeHTTP, config.ProbeHTTPS, config.ProbeTCP, config.ProbeTLS)...)
}

// server normalizes ADDRESS or ADDRESS:PORT of a DNS server; its usual port is left out.
func server(text string) string {
	at, err := netip.ParseAddrPort(text)
	switch {
	case err != nil:
		return hostOrAddress(text)
	case at.Port() == 53:
		return at.Addr().String()
	}
	return at.String()
}

// network writes how a probe reaches its target.
func (w *printer) network(p *config.Probe) {
	w.differs("source", p.Source, "")
	w.differs("resolver", p.Resolver, "")
	if p.ProxyProtocol {
		w.line("proxy_protocol")
	}
}
