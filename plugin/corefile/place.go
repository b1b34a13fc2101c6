package corefile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// placeOptions are the options of records that say for which clients they are.
func placeOptions() []option[*recordDraft] {
	codes := func(of func(*config.Locations) *[]string) func(*parser, *recordDraft, *line) {
		return func(p *parser, r *recordDraft, l *line) { *of(&r.Locations) = p.codes(l) }
	}
	const geo = "a record of a geo group"
	return []option[*recordDraft]{
		{word: "continent", usage: "CODE,...", min: 1, max: 1, home: geo, fits: inGroup(config.PolicyGeo),
			set: codes(func(o *config.Locations) *[]string { return &o.Continents })},
		{word: "country", usage: "CODE,...", min: 1, max: 1, home: geo, fits: inGroup(config.PolicyGeo),
			set: codes(func(o *config.Locations) *[]string { return &o.Countries })},
		{word: "subdivision", usage: "CODE,...", min: 1, max: 1, home: geo, fits: inGroup(config.PolicyGeo),
			set: codes(func(o *config.Locations) *[]string { return &o.Subdivisions })},
		{word: "asn", usage: "N,...", min: 1, max: 1, home: geo, fits: inGroup(config.PolicyGeo), set: (*parser).asns},
		{word: "coordinates", usage: "LAT,LON", min: 1, max: 1, home: "a record of a proximity group", fits: inGroup(config.PolicyProximity),
			set: (*parser).coordinates},
		{word: "bias", usage: "N", min: 1, max: 1, home: "a record of a proximity group", fits: inGroup(config.PolicyProximity),
			set: func(p *parser, r *recordDraft, l *line) { p.integer(l, l.args()[0], &r.Bias) }},
		{word: "from", usage: "CIDR|START-END,...", min: 1, max: 1, home: "a record of a subnet group", fits: inGroup(config.PolicySubnet),
			set: func(p *parser, r *recordDraft, l *line) {
				from, masked := p.sources(l, l.args()[0])
				r.From, r.group.masked = from, append(r.group.masked, masked...)
			}},
		{word: "default", home: "a record of a geo or subnet group", fits: inGroup(config.PolicyGeo, config.PolicySubnet),
			set: func(p *parser, r *recordDraft, l *line) { r.Default = true }},
	}
}

// codes reads codes of places with commas between them.
func (p *parser) codes(l *line) []string {
	codes := strings.Split(strings.ToUpper(l.args()[0]), ",")
	for _, code := range codes {
		if code == "" {
			p.report(l.at, fmt.Sprintf("comma without a code behind or before it in %q", l.args()[0]), "`"+l.words[0]+" CODE,...` without blanks", "")
			return nil
		}
	}
	return codes
}

// asns reads numbers of autonomous systems; AS may stand before them.
func (p *parser) asns(r *recordDraft, l *line) {
	for part := range strings.SplitSeq(strings.ToUpper(l.args()[0]), ",") {
		n, err := strconv.ParseUint(strings.TrimPrefix(part, "AS"), 10, 32)
		if err != nil {
			p.report(l.at, fmt.Sprintf("%q of %q is no number of an autonomous system", part, "asn"), "numbers with commas, as in 64496,64511", "")
			continue
		}
		r.Locations.ASNs = append(r.Locations.ASNs, uint32(n))
	}
}

// coordinates reads `coordinates LAT,LON`.
func (p *parser) coordinates(r *recordDraft, l *line) {
	lat, lon, ok := strings.Cut(l.args()[0], ",")
	var c config.Coordinates
	if !ok || !degrees(lat, &c.Lat) || !degrees(lon, &c.Lon) {
		p.report(l.at, fmt.Sprintf("%q of %q cannot be read", l.args()[0], "coordinates"), "degrees LAT,LON without blanks, as in 50.1,8.7", "")
		return
	}
	r.Coordinates = &c
}

// degrees reads a plain number.
func degrees(text string, to *float64) bool {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(text, "xXpP_") {
		return false
	}
	*to = f
	return true
}

// place writes the options that placeOptions read.
func place(r *config.Record) []string {
	var words []string
	list := func(word string, codes []string) {
		if len(codes) > 0 {
			words = append(words, word, strings.Join(codes, ","))
		}
	}
	list("continent", r.Locations.Continents)
	list("country", r.Locations.Countries)
	list("subdivision", r.Locations.Subdivisions)
	asns := make([]string, len(r.Locations.ASNs))
	for i, asn := range r.Locations.ASNs {
		asns[i] = strconv.FormatUint(uint64(asn), 10)
	}
	list("asn", asns)
	if c := r.Coordinates; c != nil {
		words = append(words, "coordinates", strconv.FormatFloat(c.Lat, 'f', -1, 64)+","+strconv.FormatFloat(c.Lon, 'f', -1, 64))
	}
	if r.Bias != 0 {
		words = append(words, "bias", strconv.Itoa(r.Bias))
	}
	if len(r.From) > 0 {
		words = append(words, "from", printSources(r.From))
	}
	if r.Default {
		words = append(words, "default")
	}
	return words
}
