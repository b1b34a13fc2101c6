package config

import (
	"fmt"

	"github.com/miekg/dns"
)

// endpoints checks what Traffic Manager asks of the records of a profile: one answer each, not two with the same address,
// and nothing but addresses under multivalue (spec 4.11, T-238; 4.15).
func (v *validator) endpoints(g *Group) {
	if g.Preset != PresetTrafficManager {
		return
	}
	first := map[string]*Record{}
	for _, r := range g.Records {
		if r.has(dns.TypeA) && r.has(dns.TypeAAAA) {
			v.fault(r.Places.Own, fmt.Sprintf("record %q has addresses of two families, and preset traffic_manager chooses before it compares types", r.ID),
				"a record for each family")
		}
		for _, value := range r.Values {
			at := r.Places.Of("value " + value.Data)
			switch other := first[value.Data]; {
			case !value.IsAddress():
				if g.Policy == PolicyMultivalue {
					v.fault(at, fmt.Sprintf("type %s in a multivalue group of preset traffic_manager", TypeWord(value.Type)), "addresses")
				}
			case other != nil && other != r:
				v.fault(at, fmt.Sprintf("address %s has a record on line %d already", value.Data, other.Places.Own.Line),
					"each address once in a group of preset traffic_manager")
			default:
				first[value.Data] = r
			}
		}
	}
}
