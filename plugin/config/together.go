package config

import "fmt"

// ValidateTogether finds what is wrong between the stanzas of one server block, each of which is valid by itself: a
// zone that two of them claim, a name that lies in a more specific zone of another one, and what is process-wide twice.
func ValidateTogether(stanzas []*Stanza) Problems {
	ps := ValidateProcess(nil, stanzas)
	owner := map[string]*Stanza{}
	for _, s := range stanzas {
		for _, zone := range s.Zones {
			if first, taken := owner[zone]; taken && first != s {
				ps = append(ps, Problem{
					Position: s.Places.Own,
					Message:  fmt.Sprintf("zone %q belongs to the healthroute at %s already", zone, first.Places.Own),
					Expected: "each zone in one healthroute of a server block",
				})
				continue
			}
			owner[zone] = s
		}
	}
	for _, s := range stanzas {
		groups := s.Groups
		for _, ns := range s.Nameservers {
			groups = append(groups[:len(groups):len(groups)], s.NameserverGroup(ns))
		}
		for _, g := range groups {
			ps = append(ps, elsewhere(stanzas, s, "group", g.Names, g.Places.Own)...)
		}
		for _, f := range s.Filters {
			ps = append(ps, elsewhere(stanzas, s, "filter", f.Names, f.Places.Own)...)
		}
	}
	return ps
}

// elsewhere finds names of a group or a filter that lie in a zone of another stanza than theirs.
func elsewhere(stanzas []*Stanza, s *Stanza, what string, names []string, at Position) Problems {
	var ps Problems
	for _, name := range names {
		if zone, other := deepest(stanzas, name); other != nil && other != s {
			ps = append(ps, Problem{
				Position: at,
				Message:  fmt.Sprintf("name %q lies in zone %q of the healthroute at %s", name, zone, other.Places.Own),
				Expected: "the " + what + " there",
			})
		}
	}
	return ps
}

// deepest returns the longest zone of any stanza that holds the name, and its stanza.
func deepest(stanzas []*Stanza, name string) (zone string, of *Stanza) {
	for _, s := range stanzas {
		if z := s.ZoneOf(name); len(z) > len(zone) {
			zone, of = z, s
		}
	}
	return zone, of
}
