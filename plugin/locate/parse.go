package locate

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// Keys of a locations file, as they are written. A latency's is followed by its site.
const (
	keyContinent   = "continent"
	keyCountry     = "country"
	keySubdivision = "subdivision"
	keyASN         = "asn"
	keyCoordinates = "coordinates"
	keySite        = "site"
	keyLatency     = "ms:"
)

var (
	keys = []string{keyContinent, keyCountry, keySubdivision, keyASN, keyCoordinates, keySite}

	expectedKey = config.OneOf(append(slices.Clone(keys), "ms:SITE")) + ", followed by = and a value"
)

// maxProblems bounds what is said of one file. A file of another kind has a fault in every one of a million lines, and nobody reads
// that many.
const maxProblems = 1000

// Parse reads a locations file: one line a prefix, `PREFIX key=value...`, and comments from a word that begins with `#` to the end of
// the line. Letter case does not count. The keys are continent, country, subdivision (ISO 3166-2), asn, coordinates=LATITUDE,LONGITUDE,
// site, and ms:SITE for the latency to a site. A prefix may stand on several lines, with different keys.
//
// The error is of type config.Problems; it has all bad lines, but not more than a thousand, with the name as their file.
func Parse(name, text string) (*Table, error) {
	p := &tableParser{name: name, words: map[string]string{}, latencies: map[string]*drafts[float64]{}}
	if text == "" {
		// A file that is being rewritten is empty for a moment. To take that for what its operator wants would move all clients.
		return nil, config.Problems{{
			Position: config.Position{File: name, Line: 1}, Message: "the file is empty",
			Expected: "lines PREFIX key=value..., or a comment if it is to say nothing",
		}}
	}
	for line := range strings.Lines(text) {
		p.number++
		p.line(line)
	}
	t := p.table()
	if p.more > 0 {
		p.problems = append(p.problems, config.Problem{
			Position: config.Position{File: name, Line: p.number}, Message: fmt.Sprintf("%d more faults were found", p.more),
		})
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return t, nil
}

// tableParser is the state of reading one file.
type tableParser struct {
	name     string
	number   int // of the line that is read, from 1
	problems config.Problems
	more     int               // problems beyond maxProblems
	words    map[string]string // values seen, so that they do not keep the whole text in memory

	continents, countries, subdivisions, sites drafts[string]
	asns                                       drafts[uint32]
	coordinates                                drafts[config.Coordinates]
	latencies                                  map[string]*drafts[float64]
}

// drafts are the values of one key with their lines.
type drafts[V comparable] []draft[V]

type draft[V comparable] struct {
	Entry[V]
	line int
}

func (d *drafts[V]) add(prefix netip.Prefix, v V, line int) {
	*d = append(*d, draft[V]{Entry[V]{prefix, v}, line})
}

// fault notes a problem at a line.
func (p *tableParser) fault(line int, message, expected, nearest string) {
	if len(p.problems) == maxProblems {
		p.more++
		return
	}
	p.problems = append(p.problems, config.Problem{
		Position: config.Position{File: p.name, Line: line}, Message: message, Expected: expected, Nearest: nearest,
	})
}

// line reads one line.
func (p *tableParser) line(text string) {
	var prefix netip.Prefix
	good, words := false, 0
	for word := range strings.FieldsSeq(text) {
		if word[0] == '#' {
			break
		}
		if words++; words == 1 {
			prefix, good = p.prefix(word)
			continue
		}
		p.pair(prefix, good, word)
	}
	if words == 1 && good {
		p.fault(p.number, fmt.Sprintf("nothing is said of %s", prefix), expectedKey, "")
	}
}

// pair reads one `key=value`. Of a bad prefix only faults are noted.
func (p *tableParser) pair(prefix netip.Prefix, good bool, word string) {
	line := p.number
	key, value, found := strings.Cut(word, "=")
	key = strings.ToLower(key)
	site, latency := strings.CutPrefix(key, keyLatency)
	switch {
	case !latency && !slices.Contains(keys, key):
		nearest := config.Nearest(key, keys)
		if nearest == "" && (key == "ms" || key == "latency" || strings.HasPrefix(key, "ms")) {
			nearest = "ms:SITE"
		}
		p.fault(line, "unknown key "+quote(key), expectedKey, nearest)
		return
	case !found:
		p.fault(line, quote(word)+" has no value", "KEY=VALUE", "")
		return
	case latency && !isWord(site):
		p.fault(line, fmt.Sprintf("site %s in %s cannot be used", quote(site), quote(word)), expectedSite, "")
		return
	}
	var err *valueError
	switch key {
	case keyContinent:
		err = put(&p.continents, prefix, good, line, value, p.continent)
	case keyCountry:
		err = put(&p.countries, prefix, good, line, value, p.country)
	case keySubdivision:
		err = put(&p.subdivisions, prefix, good, line, value, p.subdivision)
	case keyASN:
		err = put(&p.asns, prefix, good, line, value, parseASN)
	case keyCoordinates:
		err = put(&p.coordinates, prefix, good, line, value, parseCoordinates)
	case keySite:
		err = put(&p.sites, prefix, good, line, value, p.site)
	default:
		of, known := p.latencies[site]
		if !known {
			of = new(drafts[float64])
			p.latencies[strings.Clone(site)] = of
		}
		err = put(of, prefix, good, line, value, parseMilliseconds)
	}
	if err != nil {
		p.fault(line, fmt.Sprintf("%s %s %s", key, quote(value), err.what), err.expected, err.nearest)
	}
}

// put reads a value and keeps it.
func put[V comparable](of *drafts[V], prefix netip.Prefix, good bool, line int, value string, parse func(string) (V, *valueError)) *valueError {
	v, err := parse(value)
	if err == nil && good {
		of.add(prefix, v, line)
	}
	return err
}

// table makes the columns and notes what was said twice.
func (p *tableParser) table() *Table {
	t := &Table{
		continents:   finish(p, keyContinent, p.continents),
		countries:    finish(p, keyCountry, p.countries),
		subdivisions: finish(p, keySubdivision, p.subdivisions),
		asns:         finish(p, keyASN, p.asns),
		coordinates:  finish(p, keyCoordinates, p.coordinates),
		sites:        finish(p, keySite, p.sites),
		latencies:    make(map[string]*column[float64], len(p.latencies)),
	}
	for site, of := range p.latencies {
		c := finish(p, keyLatency+site, *of)
		t.latencies[site] = &c
	}
	slices.SortStableFunc(p.problems, func(a, b config.Problem) int { return a.Position.Line - b.Position.Line })
	return t
}

// finish makes a column. What is said twice of a prefix is a fault, also if it is the same: one of the two would be forgotten when it
// changes.
func finish[V comparable](p *tableParser, key string, of drafts[V]) column[V] {
	slices.SortStableFunc(of, func(a, b draft[V]) int {
		if c := a.Prefix.Addr().Compare(b.Prefix.Addr()); c != 0 {
			return c
		}
		return a.Prefix.Bits() - b.Prefix.Bits()
	})
	entries := make([]Entry[V], len(of))
	for i, d := range of {
		entries[i] = d.Entry
		if i > 0 && of[i-1].Prefix == d.Prefix {
			p.fault(d.line, fmt.Sprintf("%s of %s was given on line %d already", key, d.Prefix, of[i-1].line), "", "")
		}
	}
	if len(p.problems) > 0 {
		return column[V]{} // nobody will look at it
	}
	return newColumn(entries)
}
