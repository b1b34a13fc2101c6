package config

import "time"

// maxExpires bounds `expires`: certificates live less than that, so that a longer one fails always.
const maxExpires = 3650 * 24 * time.Hour

// tls checks how a probe shakes hands.
func (v *validator) tls(p *Probe) {
	if p.TLS.SNI != "" {
		v.hostOrAddress(p.Places.Of("sni"), "sni", p.TLS.SNI)
	}
	if (p.TLS.Cert == "") != (p.TLS.Key == "") {
		v.fault(p.Places.Of("cert"), "a client certificate and its key go together", "`cert FILE KEY`")
	}
	if p.TLS.Expires != 0 || p.Places.Has("expires") && !p.Places.Faulty {
		within(v, p.Places.Of("expires"), "expires", p.TLS.Expires, time.Second, maxExpires)
	}
}
