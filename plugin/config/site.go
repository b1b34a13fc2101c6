package config

import "strings"

// ParseSite reads the name of a site where it stands as data, outside a Corefile. Letter case does not count. ok is false if no site can
// have that name: expected are at most 63 letters, digits, hyphens, underscores and dots.
func ParseSite(text string) (site string, ok bool) {
	return strings.ToLower(text), isWord(text)
}
