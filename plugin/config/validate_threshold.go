package config

import "fmt"

// maxThreshold bounds counts that no pool has.
const maxThreshold = maxPoolLimit

// thresholds checks when a pool has too few healthy targets (spec 4.10).
func (v *validator) thresholds(p *Pool) {
	v.threshold(p, "dns_failover", p.DNSFailover)
	v.threshold(p, "fail_open", p.FailOpen)
	if p.Places.Faulty {
		return // what is written may not be what was meant
	}
	if p.FailOpen.Count == 0 {
		v.fault(p.Places.Of("fail_open"), "fail_open count off: without a healthy target all are used anyway", "`count N` from 1")
	}
	v.above(p, "count", "", p.DNSFailover.Count, p.FailOpen.Count)
	v.above(p, "percent", "%", p.DNSFailover.Percent, p.FailOpen.Percent)
}

// threshold checks the numbers of one threshold.
func (v *validator) threshold(p *Pool, option string, t Threshold) {
	at := p.Places.Of(option)
	v.numberOrOff(at, option+" count", t.Count, maxThreshold)
	v.numberOrOff(at, option+" percent", t.Percent, 100)
	if most := len(p.Targets); t.Count > most && t.Count > DefaultThreshold && len(p.Sources) == 0 && !p.Places.Faulty && most > 0 {
		v.warn(at, fmt.Sprintf("%s count %d can never be met: the pool %q has no more than %d", option, t.Count, p.Name, most))
	}
}

// numberOrOff checks a number of a threshold; 0 is off.
func (v *validator) numberOrOff(at Position, what string, n, most int) {
	if n < 0 || n > most {
		v.fault(at, fmt.Sprintf("%s %d is out of range", what, n), fmt.Sprintf("1 to %d, or off", most))
	}
}

// above checks that a site leaves the answer before all its targets are used, healthy or not: where both thresholds have a number of
// the same kind, that of the DNS is not the lower one (T-187).
func (v *validator) above(p *Pool, kind, unit string, failover, open int) {
	if failover == 0 || open == 0 || failover >= open {
		return
	}
	at := p.Places.Of("dns_failover")
	if !p.Places.Has("dns_failover") {
		at = p.Places.Of("fail_open")
	}
	v.fault(at, fmt.Sprintf("dns_failover %s %d%s is below fail_open %s %d%s: a site would use all its targets before it leaves the answer",
		kind, failover, unit, kind, open, unit),
		fmt.Sprintf("`dns_failover %s N` from %d, or `off`, or a smaller %s in `fail_open`", kind, open, kind))
}
