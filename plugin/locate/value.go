package locate

import (
	"fmt"
	"math"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// valueError says what is wrong with a value.
type valueError struct {
	what     string // follows the quoted value
	expected string
	nearest  string
}

const expectedSite = "at most 63 letters, digits, hyphens, underscores and dots"

var continents = []string{"AF", "AN", "AS", "EU", "NA", "OC", "SA"}

// subdivisionForm is that of ISO 3166-2: the country, and one to three letters or digits.
var subdivisionForm = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`)

// prefix reads the first word of a line.
func (p *tableParser) prefix(word string) (netip.Prefix, bool) {
	const expected = "PREFIX key=value..., as in 192.0.2.0/24 country=CH"
	prefix, err := netip.ParsePrefix(word)
	if err != nil {
		nearest := ""
		if a, err := netip.ParseAddr(word); err == nil && a.Zone() == "" {
			nearest = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()).String()
		}
		p.fault(p.number, quote(word)+" is not a prefix", expected, nearest)
		return prefix, false
	}
	first := prefix.Masked()
	switch {
	case prefix.Addr().Is4In6():
		p.fault(p.number, quote(word)+" is IPv4 mapped into IPv6", "the IPv4 prefix", normal(prefix).String())
	case first != prefix:
		p.fault(p.number, quote(word)+" has bits beyond its length", "the network address", first.String())
	case !unicast(prefix):
		p.fault(p.number, quote(word)+" holds no unicast address", "a network that clients can be in", "")
	default:
		return prefix, true
	}
	return prefix, false
}

// unicast reports whether a client can have an address of the prefix.
func unicast(p netip.Prefix) bool {
	a := p.Addr()
	length := 8 // of ff00::/8
	if a.Is4() {
		length = 4 // of 224.0.0.0/4
	}
	switch {
	case a.IsMulticast():
		return p.Bits() < length
	case p.IsSingleIP():
		return !a.IsUnspecified() && a != netip.AddrFrom4([4]byte{255, 255, 255, 255})
	}
	return true
}

func (p *tableParser) continent(value string) (string, *valueError) {
	code := p.word(strings.ToUpper(value))
	for _, known := range continents {
		if code == known {
			return code, nil
		}
	}
	return "", &valueError{"is not a continent", config.OneOf(continents), ""}
}

func (p *tableParser) country(value string) (string, *valueError) {
	if code := strings.ToUpper(value); len(code) == 2 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return p.word(code), nil
	}
	return "", &valueError{"is not a country's code", "two letters (ISO 3166-1), as CH", ""}
}

func (p *tableParser) subdivision(value string) (string, *valueError) {
	if code := strings.ToUpper(value); subdivisionForm.MatchString(code) {
		return p.word(code), nil
	}
	return "", &valueError{"is not a subdivision's code", "a country and one to three letters or digits (ISO 3166-2), as US-CA", ""}
}

func (p *tableParser) site(value string) (string, *valueError) {
	if isWord(value) {
		return p.word(strings.ToLower(value)), nil
	}
	return "", &valueError{"cannot be used", expectedSite, ""}
}

// word returns a string of its own for each different value: one that is cut out of the text would keep all of it in memory.
func (p *tableParser) word(value string) string {
	own, known := p.words[value]
	if !known {
		own = strings.Clone(value)
		p.words[own] = own
	}
	return own
}

func parseASN(value string) (uint32, *valueError) {
	digits := value
	if len(value) > 2 && strings.EqualFold(value[:2], "AS") {
		digits = value[2:]
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 0, &valueError{"is not the number of an autonomous system", "0 to 4294967295, with or without AS in front", ""}
	}
	return uint32(n), nil
}

func parseCoordinates(value string) (config.Coordinates, *valueError) {
	lat, lon, found := strings.Cut(value, ",")
	y, ok := parseNumber(lat, -90, 90)
	x, also := parseNumber(lon, -180, 180)
	if !found || !ok || !also {
		return config.Coordinates{}, &valueError{
			"are not coordinates", "latitude (-90 to 90), a comma and longitude (-180 to 180) in degrees, as 47.38,8.54", "",
		}
	}
	return config.Coordinates{Lat: y, Lon: x}, nil
}

func parseMilliseconds(value string) (float64, *valueError) {
	n, ok := parseNumber(value, 0, math.MaxFloat64)
	if !ok {
		nearest := ""
		if bare, cut := strings.CutSuffix(strings.ToLower(value), "ms"); cut {
			if _, ok := parseNumber(bare, 0, math.MaxFloat64); ok {
				nearest = bare
			}
		}
		return 0, &valueError{"is not a latency", "a number of milliseconds, 0 or more, without a unit", nearest}
	}
	return n, nil
}

// parseNumber reads a decimal number in a range. What Go reads besides (infinities, hexadecimal numbers) is no number of this file's.
func parseNumber(text string, least, most float64) (float64, bool) {
	if strings.Trim(text, "0123456789.+-eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < least || n > most {
		return 0, false
	}
	return n, true
}

// isWord reports whether the text can name a site, as in a Corefile.
func isWord(text string) bool {
	return text != "" && len(text) <= 63 && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// quote quotes a word for a message; nobody reads the end of a very long one.
func quote(word string) string {
	if len(word) <= 100 {
		return strconv.Quote(word)
	}
	return fmt.Sprintf("%q and %d bytes more", word[:100], len(word)-100)
}
