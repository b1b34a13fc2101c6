package corefile

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// hostBits is a prefix that was written with an address inside of the network instead of the network's own.
type hostBits struct {
	text   string
	prefix netip.Prefix // as it should be
	at     config.Position
}

const sourceUsage = "CIDR or START-END, several with commas and without blanks"

// sources reads `CIDR|START-END,...`; an address alone is a range of one. It returns what had host bits apart.
func (p *parser) sources(l *line, text string) (from []config.Source, masked []hostBits) {
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		switch {
		case strings.Contains(part, "/"):
			prefix, bits, ok := p.prefix(l, part)
			if !ok {
				continue
			}
			from, masked = append(from, config.SourceOf(prefix)), append(masked, bits...)
			continue
		case !isRange:
			high = low
		}
		a, err1 := plainAddress(low)
		b, err2 := plainAddress(high)
		if err1 != nil || err2 != nil {
			p.report(l.at, fmt.Sprintf("%q of %q is no range of addresses", part, l.words[0]), sourceUsage, "")
			continue
		}
		from = append(from, config.Source{From: a, To: b})
	}
	return from, masked
}

// prefix reads a CIDR block, and returns it masked.
func (p *parser) prefix(l *line, text string) (prefix netip.Prefix, masked []hostBits, ok bool) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix.Addr().Is4In6() {
		p.report(l.at, fmt.Sprintf("%q of %q is no block of addresses", text, l.words[0]), "a network address and its length, as in 192.0.2.0/24", "")
		return prefix, nil, false
	}
	if prefix.Masked() != prefix {
		masked = []hostBits{{text, prefix.Masked(), l.at}}
	}
	return prefix.Masked(), masked, true
}

// plainAddress reads an address of a client.
func plainAddress(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err == nil && (a.Zone() != "" || a.Is4In6()) {
		err = fmt.Errorf("%q is no plain address", text)
	}
	return a, err
}

// judgeHostBits reports prefixes with host bits: a fault where the preset refuses them, a warning elsewhere (T-167).
func (p *parser) judgeHostBits(masked []hostBits, refused bool) {
	for _, m := range masked {
		message := fmt.Sprintf("block %q has bits behind its length", m.text)
		if refused {
			p.report(m.at, message, "a network address", m.prefix.String())
		} else {
			p.warn(m.at, fmt.Sprintf("%s: it is read as %s", message, m.prefix))
		}
	}
}

// printSources writes what sources reads.
func printSources(from []config.Source) string {
	texts := make([]string, len(from))
	for i, s := range from {
		texts[i] = s.String()
	}
	return strings.Join(texts, ",")
}
