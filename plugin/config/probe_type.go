package config

// ProbeTypes are all types, in the order of the documentation.
func ProbeTypes() []ProbeType {
	return []ProbeType{
		ProbeHTTP, ProbeHTTPS, ProbeTCP, ProbeTLS, ProbePing, ProbeUDP, ProbeDNS, ProbeGRPC, ProbeExec,
		ProbePostgres, ProbeMySQL, ProbeRedis, ProbeSMTP, ProbeIMAP, ProbeLDAP,
		ProbePrometheus, ProbePush, ProbeCalculated,
	}
}

// MayUseTLS reports whether the type has the options of TLS.
func (t ProbeType) MayUseTLS() bool { return t == ProbeHTTPS || t == ProbeTLS || t == ProbeGRPC }

// MakesAttempts reports whether probes of the type test something by themselves.
func (t ProbeType) MakesAttempts() bool { return t != ProbeCalculated && t != ProbePush }

// DefaultPort is the port of a probe that names none; 0 if the type has no usual one.
func (t ProbeType) DefaultPort() uint16 {
	switch t {
	case ProbeHTTP:
		return 80
	case ProbeHTTPS:
		return 443
	case ProbeDNS:
		return 53
	case ProbePostgres:
		return 5432
	case ProbeMySQL:
		return 3306
	case ProbeRedis:
		return 6379
	case ProbeSMTP:
		return 25
	case ProbeIMAP:
		return 143
	case ProbeLDAP:
		return 389
	}
	return 0
}

// NeedsPort reports whether a probe of the type must name its port.
func (t ProbeType) NeedsPort() bool {
	return t == ProbeTCP || t == ProbeTLS || t == ProbeUDP || t == ProbeGRPC
}

// IsOne reports whether the probe is one check, whatever records use it: it has a target of its own, or what tells its health has
// nothing to do with the records' addresses.
func (p *Probe) IsOne() bool {
	return p.Target != "" || p.Type == ProbePrometheus || !p.Type.MakesAttempts()
}

// UsesTLS reports whether attempts shake hands.
func (p *Probe) UsesTLS() bool { return p.Type.MayUseTLS() && (p.Type != ProbeGRPC || p.GRPC.TLS) }
