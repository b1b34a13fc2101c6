package scenario

import (
	"errors"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/config"
)

// servers lists the name servers that a referral leads to, folded and sorted; none if the reply is not one.
func servers(m *dns.Msg) []string {
	if m.Authoritative || m.Rcode != dns.RcodeSuccess || len(m.Answer) > 0 {
		return nil
	}
	var out []string
	for _, rr := range m.Ns {
		if rr.Header().Rrtype == dns.TypeNS {
			out = append(out, folded(rr))
		}
	}
	slices.Sort(out)
	return out
}

func parseReferral(_ *parser, args []string, _ line) (statement, error) {
	if len(args) == 0 {
		return statement{}, errors.New("expected name servers")
	}
	return does(func(p *player) error { return p.expectReferral(args) })
}

// expectReferral sees a referral to exactly these name servers.
func (p *player) expectReferral(names []string) error {
	zone := p.zone()
	var want []string
	for _, name := range names {
		rr, err := (config.Value{Type: dns.TypeNS, Data: name}).RR(zone, zone, 0)
		if err != nil {
			return err
		}
		want = append(want, folded(rr))
	}
	slices.Sort(want)
	return p.each(func(m *dns.Msg) error {
		if got := servers(m); !slices.Equal(got, want) {
			return failf("expected a referral to %s, got one to %q and %s", strings.Join(want, " "), strings.Join(got, " "), describe(p.outcomes))
		}
		return nil
	})
}
