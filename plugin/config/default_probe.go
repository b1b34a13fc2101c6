package config

import "time"

// defaultMaxAge is how long what was pushed holds.
const defaultMaxAge = 60 * time.Second

// DefaultProbe returns a probe of the type with every default of the preset filled in (spec, section 0).
// The timeout still has to be fitted to the interval with FitTimeout.
func DefaultProbe(name string, t ProbeType, preset Preset) *Probe {
	p := &Probe{Name: name, Type: t, Preset: preset}
	if preset == PresetNone {
		p.Preset = ""
	}
	switch t {
	case ProbeCalculated:
		p.Children = Children{Healthy: AllChildren, Percent: true}
		return p
	case ProbePush:
		p.Preset = "" // nothing of it is a preset's
		p.Push = Push{MaxAge: defaultMaxAge, Missing: MissingLast}
		return p
	}
	p.Interval, p.Fall, p.Rise, p.Initial = 30*time.Second, 3, 3, InitialIncluded
	codes := CodeRange{From: 200, To: 399}
	switch preset {
	case PresetRoute53:
		p.FromEnd, p.Quorum = true, Quorum{Percent: 18, More: true}
	case PresetNLB:
		p.Fall, p.Rise, p.Initial = 2, 5, InitialExcluded
		p.Quorum = Quorum{Percent: 50, More: true} // not published; a majority (spec 2.6, P-9)
	case PresetTrafficManager:
		p.Fall, p.Rise = 4, 1
		codes.To = 200
	default:
		p.Interval, p.Rise, p.Initial = 10*time.Second, 2, InitialFirst
	}
	p.Port = t.DefaultPort()
	switch {
	case t.MayUseTLS():
		p.TLS.Verify = p.Preset == "" // none of the three systems looks at certificates (spec 2.2)
	case t == ProbePrometheus:
		p.TLS.Verify = true // it is ours to trust, whatever system the rest follows
		p.Prometheus.Missing = MissingLast
	}
	if t.IsHTTP() {
		p.HTTP = HTTP{
			Method: "GET", Path: "/",
			Expect:    []CodeRange{codes},
			Redirects: RedirectsJudge,
		}
	}
	p.FitTimeout()
	return p
}

// FitTimeout gives the probe the timeouts of one that names none (spec 2.3): those of its preset and type, but, where the
// interval is counted from the start, at least a second below it, and half of an interval that leaves no two seconds.
// Those of route53 are fixed.
func (p *Probe) FitTimeout() {
	p.ConnectTimeout, p.ResponseTimeout = 0, 0
	if p.Preset == PresetRoute53 {
		p.Timeout = 10 * time.Second
		if p.Type.IsHTTP() {
			p.ConnectTimeout, p.ResponseTimeout = 4*time.Second, 2*time.Second
			p.Timeout = p.ConnectTimeout + p.ResponseTimeout
		}
		return
	}
	usual := 5 * time.Second
	switch {
	case p.Preset == PresetNLB && p.Type == ProbeHTTP:
		usual = 6 * time.Second
	case p.Preset != "":
		usual = 10 * time.Second
	}
	p.Timeout = usual
	if p.FromEnd {
		return
	}
	if p.Timeout = min(usual, p.Interval-time.Second); p.Timeout < 2*time.Second {
		p.Timeout = min(usual, p.Interval/2)
	}
}

// fitted is the probe with the timeouts of one that names none.
func (p *Probe) fitted() *Probe {
	fitted := *p
	fitted.FitTimeout()
	return &fitted
}
