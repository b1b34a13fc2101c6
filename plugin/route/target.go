package route

import (
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
	"github.com/healthroute/healthroute/plugin/probe"
)

// TargetOf returns what a probe tests for one address of a record, with the names and headers that go with it. The probe's own target stands over
// the address, and so does the name of an alias of a name.
func TargetOf(g *config.Group, r *config.Record, p *config.Probe, address netip.Addr) probe.Target {
	return specFor(userOf(g), r, p, nil, "", addressRR(address)).Target
}

// PoolTargetOf returns what a probe tests for one address of a pool's target.
func PoolTargetOf(pool *config.Pool, t *config.Target, p *config.Probe, address netip.Addr) probe.Target {
	return specFor(user{name: pool.Name, port: t.Port}, t.Record(pool), p, nil, "", addressRR(address)).Target
}

// addressRR is a resource record of the address, nil if it is not valid.
func addressRR(address netip.Addr) dns.RR {
	switch {
	case address.Is4():
		return &dns.A{A: address.AsSlice()}
	case address.IsValid():
		return &dns.AAAA{AAAA: address.AsSlice()}
	}
	return nil
}

// user is what a check is for.
type user struct {
	name string // tells checks of equal targets apart when a definition changes
	host string // what Host and SNI are if the probe names none and the target is an address; "" is the address
	port uint16 // the target's own; 0 is the probe's
}

// userOf is a group as a user of checks: Host and SNI are its first name; a wildcard has no name (design, Probes).
func userOf(g *config.Group) user {
	u := user{name: g.Names[0]}
	if _, wild := config.WildcardParent(u.name); !wild {
		u.host = strings.TrimSuffix(u.name, ".")
	}
	return u
}

// specFor says what the probe tests for one value of a record: the probe's own target, else the value's address or the host that it leads to; for an alias
// of a name, that name. Host and SNI are the probe's, else the target's name, else the user's, which is whom clients of its addresses ask for. Clients
// of mail servers, services and name servers ask for those by their own names, and Traffic Manager asks for all endpoints so (spec 2.2).
func specFor(of user, r *config.Record, p *config.Probe, prober *probe.Prober, zone string, rr dns.RR) health.Spec {
	t := probe.Target{Port: p.Port, Headers: r.Headers}
	if of.port != 0 {
		t.Port = of.port
	}
	whose, name := of.name, of.host
	target := p.Target
	if p.Type == config.ProbePrometheus {
		target, t.Port = p.Prometheus.Address()
	}
	switch {
	case p.Type == config.ProbePush:
		whose, t.Name = zone, health.PushTarget
	case target != "":
		whose, name = zone, ""
		if address, err := netip.ParseAddr(target); err == nil {
			t.Address = address
		} else {
			t.Name = strings.TrimSuffix(target, ".")
		}
	case r.Alias != nil:
		t.Name = strings.TrimSuffix(r.Alias.Name, ".")
	default:
		t.Address = addressOf(rr)
		if !t.Address.IsValid() {
			host, port := config.HostOf(rr, whose)
			t.Name = strings.ToLower(strings.TrimSuffix(host, "."))
			if port != 0 && p.Type != config.ProbePing { // which has no port
				t.Port = port
			}
			if !isWeb(rr) || p.Preset == config.PresetTrafficManager {
				name = ""
			}
		}
	}
	name = firstOf(name, t.Name)
	t.Host, t.SNI = firstOf(p.HTTP.Host, name), firstOf(p.TLS.SNI, p.HTTP.Host, name)
	// What a type does not send must not tell its checks apart.
	if !p.Type.IsHTTP() {
		t.Headers = nil
	}
	if !p.Type.IsHTTP() && p.Type != config.ProbeGRPC {
		t.Host = ""
	}
	if !p.UsesTLS() {
		t.SNI = ""
	}
	return health.Spec{Probe: p, Prober: prober, Target: t, User: whose}
}

// isWeb reports whether clients who follow the record ask the host for the record's own name: an alias and a service binding (RFC 9460 section 2.4.2) do
// not change whom they want.
func isWeb(rr dns.RR) bool {
	switch rr.(type) {
	case *dns.CNAME, *dns.SVCB, *dns.HTTPS:
		return true
	}
	return false
}

// addressOf returns the address in an A or AAAA record; it is not valid for other types.
func addressOf(rr dns.RR) netip.Addr {
	var address netip.Addr
	switch rr := rr.(type) {
	case *dns.A:
		address, _ = netip.AddrFromSlice(rr.A)
	case *dns.AAAA:
		address, _ = netip.AddrFromSlice(rr.AAAA)
	}
	return address.Unmap()
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}
