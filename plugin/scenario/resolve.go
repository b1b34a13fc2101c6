package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/healthroute/healthroute/plugin/answer"
	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/discover"
)

// pretended is what a `resolve` line says of a name.
type pretended struct {
	addresses []netip.Addr
	ttl       time.Duration
	service   bool // it is a service too, at a host of the same name
}

// usualTTL is the TTL of a resolved name that is told nothing else.
const usualTTL = 30 * time.Second

// Resolve says what a name stands for from now on; with no addresses it does not exist. An alias learns of it when the TTL of what it knows is
// over, and at once if it knows nothing.
func (w *World) Resolve(name string, ttl time.Duration, addresses ...netip.Addr) {
	w.resolved[dns.CanonicalName(name)] = pretended{addresses: addresses, ttl: ttl}
	w.hurry()
}

// pretendedPort is that of the pretended services.
const pretendedPort = 1

// Pretend makes everything that the Corefile looks up, and no zone file has, stand for the addresses that made has for it: the names of aliases and of
// sources of targets, as hosts and as services, for longer than any TTL of the Corefile.
func (w *World) Pretend(made func(name string) []netip.Addr) {
	for _, n := range w.servers {
		names := slices.Clone(n.table.Names())
		for _, s := range n.sources.All() {
			if d := s.Config(); d.Kind == config.DiscoverDNS {
				names = append(names, d.Name)
			}
		}
		for _, name := range names {
			w.resolved[dns.CanonicalName(name)] = pretended{addresses: made(dns.CanonicalName(name)), ttl: 24 * time.Hour, service: true}
		}
	}
	w.hurry()
}

// hurry looks up at once what nothing good is known of.
func (w *World) hurry() {
	for _, n := range w.servers {
		n.names.Hurry()
		n.sources.Hurry()
	}
	w.AdvanceTo(w.Now())
}

// askFor is how an alias's name is looked up: as `resolve` says, else in the block's zone files.
func (w *World) askFor(n *server) func(context.Context, *dns.Msg) answer.Behind {
	return func(ctx context.Context, req *dns.Msg) answer.Behind {
		p, ok := w.resolved[dns.CanonicalName(req.Question[0].Name)]
		if !ok {
			return n.next.Ask(ctx, req)
		}
		msg := new(dns.Msg)
		msg.SetReply(req)
		if len(p.addresses) == 0 {
			msg.Rcode = dns.RcodeNameError
		}
		header := dns.RR_Header{Name: req.Question[0].Name, Rrtype: req.Question[0].Qtype, Class: dns.ClassINET, Ttl: uint32(p.ttl.Seconds())}
		for _, a := range p.addresses {
			switch {
			case p.service && header.Rrtype == dns.TypeSRV:
				msg.Answer = []dns.RR{&dns.SRV{Hdr: header, Weight: 1, Port: pretendedPort, Target: header.Name}}
			case a.Is4() && header.Rrtype == dns.TypeA:
				msg.Answer = append(msg.Answer, &dns.A{Hdr: header, A: a.AsSlice()})
			case a.Is6() && header.Rrtype == dns.TypeAAAA:
				msg.Answer = append(msg.Answer, &dns.AAAA{Hdr: header, AAAA: a.AsSlice()})
			}
		}
		return answer.Behind{Msg: msg, Rcode: msg.Rcode}
	}
}

// discovering is what sources of targets need: names are looked up as an alias's, files are those of the archive or on disk.
func (w *World) discovering(n *server) discover.Options {
	ask := w.askFor(n)
	key := discover.Key{Scope: strings.Join(n.Zones, " ")}
	return discover.Options{Clock: expiries{w.clock}, Lists: w.lists, Key: key, Ask: func(ctx context.Context, req *dns.Msg) *dns.Msg {
		reply := ask(ctx, req)
		if reply.Nobody {
			return nil
		}
		return reply.Msg
	}}
}

// hasName reports whether an alias stands for the name, or targets are discovered by it.
func (w *World) hasName(name string) bool {
	for _, n := range w.servers {
		for _, known := range n.table.Names() {
			if strings.EqualFold(known, dns.Fqdn(name)) {
				return true
			}
		}
		for _, s := range n.sources.All() {
			if d := s.Config(); d.Kind == config.DiscoverDNS && strings.EqualFold(d.Name, dns.Fqdn(name)) {
				return true
			}
		}
	}
	return false
}

// parseResolve takes what a name stands for. Attempts on a name are pretended by its name, so nothing but an alias looks at the addresses.
func parseResolve(_ *parser, args []string, _ line) (statement, error) {
	ttl := usualTTL
	if len(args) > 2 && args[len(args)-2] == "ttl" {
		var err error
		if ttl, err = duration(args[len(args)-1]); err != nil {
			return statement{}, err
		}
		args = args[:len(args)-2]
	}
	if len(args) < 2 {
		return statement{}, errors.New("expected a name and its addresses")
	}
	var addresses []netip.Addr
	for _, word := range args[1:] {
		if word == nothing && len(args) == 2 {
			break
		}
		a, err := netip.ParseAddr(word)
		if err != nil {
			return statement{}, fmt.Errorf("%q is no address", word)
		}
		addresses = append(addresses, a)
	}
	return does(func(p *player) error {
		if !p.world.hasTarget(args[0]) && !p.world.hasName(args[0]) {
			return fmt.Errorf("the Corefile has nothing that resolves %q", args[0])
		}
		p.world.Resolve(args[0], ttl, addresses...)
		return nil
	})
}

// nothing is the word for a name that does not exist.
const nothing = "nothing"
