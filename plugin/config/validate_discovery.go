package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/miekg/dns"
)

// sources checks where a pool's other targets come from.
func (v *validator) sources(p *Pool) {
	first := map[Discovery]Position{}
	for _, d := range p.Sources {
		switch d.Kind {
		case DiscoverDNS:
			v.discoverDNS(d)
		case DiscoverFile:
			v.discoverFile(d)
		default:
			v.oneOf(d.Position, "discover", string(d.Kind), string(DiscoverDNS), string(DiscoverFile))
		}
		v.siteName(d.Position, d.Site)
		at, key := d.Position, d
		key.Position, key.Site = Position{}, ""
		if other, taken := first[key]; taken {
			v.fault(at, fmt.Sprintf("the source is in the pool %q already, on line %d", p.Name, other.Line), "each source once")
			continue
		}
		first[key] = at
	}
}

func (v *validator) discoverDNS(d Discovery) {
	if canonical, err := CanonicalName(d.Name); err != nil || canonical != d.Name {
		v.fault(d.Position, fmt.Sprintf("name %q of \"discover dns\" is not a normalized domain name", d.Name), "")
	}
	switch d.Type {
	case dns.TypeA, dns.TypeAAAA:
	case dns.TypeSRV:
		if d.Port != 0 {
			v.warn(d.Position, fmt.Sprintf("port %d of \"discover dns\" changes nothing: SRV records say the ports", d.Port))
		}
	default:
		v.fault(d.Position, fmt.Sprintf("type %s of \"discover dns\" gives no targets", TypeWord(d.Type)), "A, AAAA or SRV")
	}
}

// discoverFile checks the path of a source. Its folder is one folder: whoever may write into others would add targets.
func (v *validator) discoverFile(d Discovery) {
	folder, name := filepath.Split(d.Files)
	_, err := filepath.Match(name, "")
	switch {
	case name == "":
		v.fault(d.Position, fmt.Sprintf("%q of \"discover file\" names no file", d.Files), "a path, perhaps with a pattern in its last part, as in targets/*.json")
	case strings.ContainsAny(folder, "*?"):
		v.fault(d.Position, fmt.Sprintf("%q of \"discover file\" has a pattern in a folder", d.Files), "a pattern in the last part alone, as in targets/*.json")
	case err != nil:
		v.fault(d.Position, fmt.Sprintf("%q of \"discover file\" is no pattern", name), "* and ? for any characters, and [ with its ]")
	}
}
