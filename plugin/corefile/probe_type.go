package corefile

import (
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// probeUsage is what stands behind `probe`.
func probeUsage() string {
	var words []string
	for _, t := range config.ProbeTypes() {
		words = append(words, string(t))
	}
	return "NAME " + strings.Join(words, "|")
}

// typeOptions are the options that belong to some types only.
func typeOptions() []option[*config.Probe] {
	return slices.Concat(
		only("an http or https probe", httpOptions(), config.ProbeHTTP, config.ProbeHTTPS),
		only("an https, tls or grpc probe", tlsOptions(), config.ProbeHTTPS, config.ProbeTLS, config.ProbeGRPC),
		only("a tcp, tls or udp probe", exchangeOptions(), config.ProbeTCP, config.ProbeTLS, config.ProbeUDP),
		only("a dns probe", dnsOptions(), config.ProbeDNS),
		only("a grpc probe", grpcOptions(), config.ProbeGRPC),
		only("a grpc probe", hostOption(), config.ProbeGRPC),
		only("an exec probe", execOptions(), config.ProbeExec),
		only("a prometheus probe", prometheusOptions(), config.ProbePrometheus),
		only("a push probe", pushOptions(), config.ProbePush),
		only("a calculated probe", calculatedOptions(), config.ProbeCalculated),
	)
}

// hostOption is `host`, which names the server in an http request and in a grpc call alike.
func hostOption() []option[*config.Probe] {
	return []option[*config.Probe]{
		{word: "host", usage: "NAME", min: 1, max: 1, set: func(p *parser, o *config.Probe, l *line) { o.HTTP.Host = hostName(l.args()[0]) }},
	}
}

// except are the types that make attempts, without some.
func except(without ...config.ProbeType) []config.ProbeType {
	return slices.DeleteFunc(config.ProbeTypes(), func(t config.ProbeType) bool {
		return !t.MakesAttempts() || slices.Contains(without, t)
	})
}
