package config

import (
	"fmt"
	"strings"
)

// status checks who may use the address. Loopback and Unix sockets are for whoever is on this host; everybody else has to log in, and what he sends
// must not go over the network in the clear unless somebody said so.
func (v *validator) status(s *Status) {
	if s == nil || s.Places.Faulty {
		return
	}
	at := s.Places.Own
	address, err := ParseStatusAddress(s.Address)
	if err != nil {
		p := Problem{Position: at, Message: `"status" cannot listen there: ` + err.Error(), Expected: "`ADDRESS:PORT`, `:PORT` for all addresses, or `unix:PATH`"}
		if port, ok := strings.CutPrefix(strings.ToLower(s.Address), "localhost:"); ok {
			p.Nearest = "127.0.0.1:" + port
		}
		v.report(p)
		return
	}
	secret := s.TLS.Cert != ""
	switch {
	case secret && s.Insecure:
		v.fault(s.Places.Of("insecure"), `"insecure" and "tls" exclude each other`, "one of them")
	case address.IsLocal() && s.Insecure:
		v.report(Problem{Position: s.Places.Of("insecure"), Warning: true,
			Message: fmt.Sprintf(`"insecure" has no effect: nobody but this host can reach %s`, s.Address)})
	case !address.IsLocal() && !secret && !s.Insecure:
		v.fault(at, fmt.Sprintf("others can reach %s, and what they send can be read on the way", s.Address),
			"`tls CERT KEY [CA]`, or `insecure` in a network that you trust")
	}
	switch {
	case !s.HasLogin() && !address.IsLocal():
		v.fault(at, fmt.Sprintf("others can reach %s, and whoever does could change everything", s.Address),
			"`token FILE` or `tls CERT KEY CA`")
	case !s.HasLogin() && s.Reads:
		v.fault(s.Places.Of("reads"), `"reads" asks for a login that there is not`, "`token FILE` or `tls CERT KEY CA` beside it")
	}
}
