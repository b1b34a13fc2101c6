package config

import (
	"fmt"
	"unicode/utf8"
)

// grpc checks a grpc probe. Options of TLS say that TLS is meant, so that plaintext would be a slip.
func (v *validator) grpc(p *Probe) {
	if p.HTTP.Host != "" {
		v.hostOrAddress(p.Places.Of("host"), "host", p.HTTP.Host)
	}
	if !utf8.ValidString(p.GRPC.Service) { // a string of protobuf
		v.fault(p.Places.Of("service"), fmt.Sprintf("service %q is not valid UTF-8", p.GRPC.Service), "")
	}
	if p.GRPC.TLS {
		return
	}
	standard := DefaultProbe("", ProbeGRPC, p.Preset).TLS
	for _, option := range []struct {
		word   string
		stands bool
	}{
		{"sni", p.TLS.SNI != ""},
		{"verify", p.TLS.Verify != standard.Verify},
		{"ca", p.TLS.CA != ""},
		{"cert", p.TLS.Cert != "" || p.TLS.Key != ""},
		{"expires", p.TLS.Expires != 0},
	} {
		if option.stands || p.Places.Has(option.word) {
			v.fault(p.Places.Of(option.word), fmt.Sprintf("%q in the grpc probe %q, which speaks plaintext", option.word, p.Name), "`tls` beside it")
		}
	}
}
