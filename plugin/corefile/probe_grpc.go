package corefile

import "github.com/healthroute/healthroute/plugin/config"

// grpcOptions are the options of grpc probes alone.
func grpcOptions() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "service", usage: "NAME", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.GRPC.Service = l.args()[0] }},
		{word: "tls", set: func(p *parser, o *config.Probe, l *line) { o.GRPC.TLS = true }},
	}
}

// grpc writes what a grpc probe asks.
func (w *printer) grpc(g config.GRPC) {
	w.differs("service", g.Service, "")
	if g.TLS {
		w.line("tls")
	}
}
