package discover

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// wrong says why a text is no target.
type wrong struct{ what, expected string }

const (
	expectedTarget  = "ADDRESS or ADDRESS:PORT, an IPv6 address with a port in brackets"
	expectedAddress = "an address: `discover dns` looks up names"
	expectedPort    = "a port from 1 to 65535"
)

// parseTarget reads an address, perhaps with a port; without one the port is 0.
func parseTarget(text string) (netip.AddrPort, *wrong) {
	host, port := text, ""
	inside, bracket := strings.CutPrefix(text, "[")
	if bracket {
		var closed bool
		if host, port, closed = strings.Cut(inside, "]"); !closed || port != "" && port[0] != ':' {
			return netip.AddrPort{}, &wrong{quote(text) + " is no target", expectedTarget}
		}
	} else if colon := strings.IndexByte(text, ':'); colon >= 0 && colon == strings.LastIndexByte(text, ':') {
		host, port = text[:colon], text[colon:]
	}
	if _, err := netip.ParseAddr(host); err != nil {
		if isName(host) {
			return netip.AddrPort{}, &wrong{fmt.Sprintf("%s is a host name", quote(host)), expectedAddress}
		}
		return netip.AddrPort{}, &wrong{quote(text) + " is no target", expectedTarget}
	}
	address, err := config.ParseAddress(host)
	if err != nil {
		return netip.AddrPort{}, &wrong{err.Error(), "the unicast address of a host"}
	}
	if bracket && address.Is4() {
		return netip.AddrPort{}, &wrong{quote(text) + " has an IPv4 address in brackets", expectedTarget}
	}
	if port == "" {
		return netip.AddrPortFrom(address, 0), nil
	}
	n, err := strconv.ParseUint(port[1:], 10, 16)
	if err != nil || n == 0 {
		return netip.AddrPort{}, &wrong{fmt.Sprintf("%s has port %s", quote(text), quote(port[1:])), expectedPort}
	}
	return netip.AddrPortFrom(address, uint16(n)), nil
}

// isName reports whether somebody will have meant a host name: letters are in it, and only what a name can hold.
func isName(text string) bool {
	text = strings.ToLower(text)
	return strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// Compare orders targets by what they are known by: address and port.
func Compare(a, b config.Found) int {
	return netip.AddrPortFrom(a.Address, a.Port).Compare(netip.AddrPortFrom(b.Address, b.Port))
}

func sort(found []config.Found) { slices.SortFunc(found, Compare) }

// quote quotes a word for a message; nobody reads the end of a very long one.
func quote(word string) string {
	if len(word) <= 100 {
		return strconv.Quote(word)
	}
	return fmt.Sprintf("%q and %d bytes more", word[:100], len(word)-100)
}
