package config

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

// CanonicalName returns a domain name as the DNS library writes it when it comes in a query, but in lower case:
// absolute, with escapes only where they are needed. Only names that are equal in the DNS are equal strings then.
func CanonicalName(name string) (string, error) {
	for _, r := range name {
		switch {
		case r > '~':
			return "", fmt.Errorf("%q is not ASCII: write the labels in their xn-- form", name)
		case r <= ' ':
			return "", fmt.Errorf("%q holds a blank or a control character", name)
		}
	}
	wire := make([]byte, maxNameLength)
	end, err := dns.PackDomainName(dns.Fqdn(name), wire, 0, nil, false)
	if name == "" || err != nil {
		return "", fmt.Errorf("%q is not a domain name: labels have 1 to 63 characters, names at most %d", name, maxNameLength)
	}
	canonical, _, err := dns.UnpackDomainName(wire[:end], 0)
	if err != nil || strings.Contains(canonical, " ") {
		return "", fmt.Errorf("%q is not a domain name that can be used", name)
	}
	return strings.ToLower(canonical), nil
}

// maxNameLength is the length limit of a name on the wire (RFC 1035, 2.3.4).
const maxNameLength = 255

// isHostName reports whether the name can be the name of a host (RFC 1123, 2.1), with underscores, which are
// seen in practice. A final dot may be there.
func isHostName(name string) bool {
	name = strings.TrimSuffix(name, ".")
	if len(name) > maxNameLength-2 {
		return false
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(strings.ToLower(label), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	// A last label of digits is a misspelt address: no such top-level domain can exist.
	return strings.Trim(labels[len(labels)-1], "0123456789") != ""
}

// isWord reports whether the text can name a probe or a site: it stands in lists with commas and in GROUP/RECORD.
func isWord(text string) bool {
	return text != "" && len(text) <= 63 && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// RelativeName writes an absolute, lower-case name as it stands in a zone that holds it: @ for the zone itself.
func RelativeName(name, zone string) string {
	switch {
	case name == zone:
		return "@"
	case zone == ".":
		return strings.TrimSuffix(name, ".")
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, zone), ".")
}
