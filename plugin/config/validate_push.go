package config

import "time"

// maxMaxAge bounds `max_age`: what is told less often than that tells nothing of now.
const maxMaxAge = 24 * time.Hour

// push checks a push probe (spec 2.8).
func (v *validator) push(p *Probe) {
	within(v, p.Places.Of("max_age"), "max_age", p.Push.MaxAge, time.Second, maxMaxAge)
	v.missing(p, p.Push.Missing)
}

// missing checks what counts while there is no data.
func (v *validator) missing(p *Probe, m Missing) {
	v.oneOf(p.Places.Of("missing"), "missing", string(m), string(MissingHealthy), string(MissingUnhealthy), string(MissingLast))
}
