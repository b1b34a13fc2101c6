package corefile

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// targetOptions are the options of targets.
func targetOptions() []option[*config.Target] {
	admin := func(state config.AdminState) func(*parser, *config.Target, *line) {
		return func(p *parser, t *config.Target, l *line) { p.admin(&t.Admin, "a target", l, state) }
	}
	return belongs("a target of a pool", []option[*config.Target]{
		{word: "port", usage: "N", min: 1, max: 1, set: func(p *parser, t *config.Target, l *line) { p.port(l, &t.Port) }},
		{word: "site", usage: "NAME", min: 1, max: 1, set: func(p *parser, t *config.Target, l *line) { t.Site = strings.ToLower(l.args()[0]) }},
		{word: "weight", usage: "N", min: 1, max: 1, set: func(p *parser, t *config.Target, l *line) { p.integer(l, l.args()[0], &t.Weight) }},
		{word: "id", usage: "ID", min: 1, max: 1, set: func(p *parser, t *config.Target, l *line) { t.ID = l.args()[0] }},
		{word: "probe", usage: "NAME|none", min: 1, max: 1, set: func(p *parser, t *config.Target, l *line) { t.Probe = probeName(l.args()[0]) }},
		{word: "header", usage: "NAME VALUE", min: 2, max: 2, repeat: true,
			set: func(p *parser, t *config.Target, l *line) { t.Headers = append(t.Headers, header(&t.Places, l)) }},
		{word: "disabled", set: admin(config.Disabled)},
		{word: "draining", set: admin(config.Draining)},
		{word: "always", set: admin(config.Always)},
	})
}

// target reads `target ADDRESS[,ADDRESS] OPTION...` and its block.
func (p *parser) target(pool *config.Pool, l *line) {
	faulty := p.faulty()
	t := &config.Target{Weight: config.DefaultWeight, Addresses: p.addresses(l, l.args()[0])}
	t.Places.Own = l.at
	fillLine(p, "a target of the pool "+pool.Name, &t.Places, p.ofTargets, t, l.args()[1:], l)
	if !t.Places.Has("id") && len(t.Addresses) > 0 {
		t.ID = config.DefaultTargetID(t.Addresses[0], t.Port)
	}
	t.Places.Faulty = l.faulty || faulty()
	pool.Targets = append(pool.Targets, t)
}

// addresses reads `ADDRESS,...` of a target or a site. Which addresses may be used is judged later.
func (p *parser) addresses(l *line, text string) []netip.Addr {
	var addresses []netip.Addr
	usage := fmt.Sprintf("`%s ADDRESS[,ADDRESS]`", l.words[0])
	for part := range strings.SplitSeq(text, ",") {
		a, err := netip.ParseAddr(part)
		ap, portErr := netip.ParseAddrPort(part)
		switch {
		case err == nil:
			addresses = append(addresses, a)
		case part == "":
			p.report(l.at, fmt.Sprintf("comma without an address behind or before it in %q", text), usage+" without blanks", "")
		case portErr == nil && l.words[0] == "target":
			p.report(l.at, fmt.Sprintf("%q is an address with a port", part), fmt.Sprintf("`target %s port %d`", ap.Addr(), ap.Port()), "")
		case portErr == nil:
			p.report(l.at, fmt.Sprintf("%q is an address with a port", part), ap.Addr().String()+" alone", "")
		case l.words[0] == "target":
			p.report(l.at, fmt.Sprintf("%q is not an IP address", part), usage+", or `discover dns NAME A` for the addresses of a name", "")
		default:
			p.report(l.at, fmt.Sprintf("%q is not an IP address", part), usage, "")
		}
	}
	return addresses
}

// port reads the number of a port.
func (p *parser) port(l *line, to *uint16) {
	port := int(*to)
	p.integerFrom(l, l.args()[0], 1, 65535, &port)
	*to = uint16(port)
}
