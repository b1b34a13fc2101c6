package corefile

import (
	"fmt"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// zones reads the zone arguments of a stanza, or takes the server block's. It returns none if one cannot be read:
// what lies in the zones or outside of them is unknown then.
func (p *parser) zones(l *line) []string {
	normalize := p.env.NormalizeZone
	if normalize == nil {
		normalize = plainZone
	}
	var zones []string
	faulty := p.faulty()
	for _, arg := range l.args() {
		normal, err := normalize(arg)
		if arg == "{}" {
			p.report(l.at, bracesWord, "", "")
			continue
		}
		if err != nil || len(normal) == 0 {
			p.report(l.at, fmt.Sprintf("zone %q cannot be read", arg), "a domain name", "")
			continue
		}
		for _, zone := range normal {
			p.askable(l, zone)
		}
		zones = append(zones, normal...)
	}
	if faulty() {
		return nil
	}
	if len(l.args()) == 0 {
		zones = append(zones, p.env.ServerZones...)
	}
	return zones
}

// askable warns of a zone that no query can reach, as the server block answers for others. Of a zone above the block's own the part that is the
// block's is asked for.
func (p *parser) askable(l *line, zone string) {
	for _, served := range p.env.ServerZones {
		if config.IsBelow(zone, served) || config.IsBelow(served, zone) {
			return
		}
	}
	if len(p.env.ServerZones) > 0 {
		p.warn(l.at, fmt.Sprintf("zone %q lies outside of the server block's zones: it is never asked for", zone))
	}
}

func plainZone(name string) ([]string, error) {
	zone, err := config.CanonicalName(name)
	return []string{zone}, err
}

// names reads a name of a group or of a name server: absolute if it ends in a dot, otherwise one name in each zone;
// @ is the apex.
func (p *parser) names(l *line, s *config.Stanza, text string) []string {
	if strings.HasSuffix(text, ".") {
		return p.canonical(l, nil, text)
	}
	var names []string
	for _, zone := range s.Zones {
		whole := zone
		if text != "@" {
			whole = text + "." + strings.TrimPrefix(zone, ".")
		}
		names = p.canonical(l, names, whole)
		if lower := strings.ToLower(text) + "."; zone != "." && config.IsBelow(lower, zone) {
			p.warn(l.at, fmt.Sprintf("name %q is relative to zone %q: if it is a whole name, end it with a dot", text, zone))
		}
	}
	return names
}

func (p *parser) canonical(l *line, names []string, name string) []string {
	canonical, err := config.CanonicalName(name)
	if err != nil {
		p.report(l.at, "name "+err.Error(), "", "")
		return names
	}
	return append(names, canonical)
}
