package config

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Continents are the codes of the continents.
func Continents() []string { return []string{"AF", "AN", "AS", "EU", "NA", "OC", "SA"} }

// geo checks that each record is for places that exist, and that no place has two records (spec 4.9, 4.15; T-142).
func (v *validator) geo(g *Group) {
	holders := map[string]*Record{}
	take := func(r *Record, option, place string) {
		if other := holders[option+" "+place]; other == r {
			v.fault(r.Places.Of(option), fmt.Sprintf("%s %s is there twice", option, place), "each once")
		} else if other != nil {
			v.fault(r.Places.Of(option), fmt.Sprintf("%s %s has a record on line %d already", option, place, other.Places.Own.Line),
				"one record for each place; an alias of a group for more")
		}
		holders[option+" "+place] = r
	}
	for _, r := range g.Records {
		if r.Locations.Empty() && !r.Default {
			v.fault(r.Places.Own, fmt.Sprintf("record %q of a geo group has no place", r.ID),
				"`continent`, `country`, `subdivision`, `asn` or `default`")
		}
		for _, asn := range r.Locations.ASNs {
			if asn == 0 {
				v.fault(r.Places.Of("asn"), "asn 0 is reserved (RFC 7607)", "1 to 4294967295")
			}
			take(r, "asn", fmt.Sprint(asn))
		}
		for _, code := range r.Locations.Subdivisions {
			v.subdivision(r.Places.Of("subdivision"), code)
			take(r, "subdivision", code)
		}
		for _, code := range r.Locations.Countries {
			v.country(r.Places.Of("country"), "country", code)
			take(r, "country", code)
		}
		for _, code := range r.Locations.Continents {
			if !slices.Contains(Continents(), code) {
				v.fault(r.Places.Of("continent"), fmt.Sprintf("continent %q is unknown", code), OneOf(Continents()))
			}
			take(r, "continent", code)
		}
	}
	v.oneDefault(g)
}

// oneDefault checks that not more than one record is for the clients that no other is for.
func (v *validator) oneDefault(g *Group) {
	var first *Record
	for _, r := range g.Records {
		switch {
		case !r.Default:
		case first != nil:
			v.fault(r.Places.Of("default"), fmt.Sprintf("a second default in the group, after that on line %d", first.Places.Own.Line), "one default")
		default:
			first = r
		}
	}
}

// country checks an ISO 3166-1 code. Those that ISO replaced or that stand for something else are in the table too.
func (v *validator) country(at Position, option, code string) bool {
	region, err := language.ParseRegion(code)
	if err != nil || len(code) != 2 || !region.IsCountry() || region.String() != code {
		v.fault(at, fmt.Sprintf("%s %q is no country", option, code), "two letters of ISO 3166-1, as in CH")
		return false
	}
	if now := region.Canonicalize().String(); now != code {
		v.report(Problem{Position: at, Message: fmt.Sprintf("%s %q is no country", option, code), Expected: "the code of ISO 3166-1", Nearest: now})
		return false
	}
	return true
}

// subdivision checks an ISO 3166-2 code: that of a country, a hyphen and one to three letters or digits.
func (v *validator) subdivision(at Position, code string) {
	country, part, _ := strings.Cut(code, "-")
	if part == "" || len(part) > 3 || strings.Trim(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		v.fault(at, fmt.Sprintf("%q is no subdivision", code), "a code of ISO 3166-2, as in US-CA")
		return
	}
	v.country(at, "the country of subdivision "+code+",", country)
}
