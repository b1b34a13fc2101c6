package config

import (
	"fmt"
	"slices"
)

// clients checks what tells where a client is.
func (v *validator) clients() {
	for i, file := range v.stanza.GeoIP {
		if slices.Contains(v.stanza.GeoIP[:i], file) {
			v.fault(v.stanza.Places.Of("geoip"), fmt.Sprintf("file %q is there twice", file), "each file once")
		}
	}
	ecs := v.stanza.ECS
	at := v.stanza.Places.Of("ecs")
	if ecs.Off && len(ecs.From) > 0 {
		v.fault(at, "ecs off and askers whose options count", "one of them")
	}
	for i, prefix := range ecs.From {
		switch {
		case !prefix.IsValid() || prefix.Masked() != prefix || prefix.Addr().Is4In6():
			v.fault(at, fmt.Sprintf("%s is no prefix", prefix), "a network address and its length")
		case slices.Contains(ecs.From[:i], prefix):
			v.fault(at, fmt.Sprintf("%s is there twice", prefix), "each prefix once")
		}
	}
}
