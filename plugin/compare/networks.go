package compare

import (
	"net/netip"
	"slices"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/locate"
)

// strangers are addresses of clients that no range is for, as far as there are such.
var strangers = []string{
	"127.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "100.64.0.1", "10.0.0.1", "172.16.0.1", "192.168.0.1", "1.1.1.1", "8.8.8.8", "223.255.255.1",
	"::1", "2001:db8::1", "fd00::1", "fe80::1", "2001:4860::1", "2a00::1", "3fff::1",
}

// networks are one client of each range that is not within smaller ones, and one of each family who is in none. It is not complete if there are so
// many ranges that some were left out.
func (c *clients) networks() (all []client, complete bool) {
	type entry = locate.Entry[string] // what it was written as
	var entries []entry
	for _, source := range uniqueSources(c.sources) {
		for _, p := range source.Prefixes() {
			entries = append(entries, entry{Prefix: p, Value: source.String()})
		}
	}
	if len(entries) == 0 {
		return []client{{from: netip.MustParseAddr(strangers[0])}}, true
	}
	ranges := locate.NewMap(entries)
	var out []client
	families := map[bool]bool{}
	for _, text := range strangers {
		a := netip.MustParseAddr(text)
		if _, _, within := ranges.Lookup(whole(a)); !within && !families[a.Is4()] {
			families[a.Is4()] = true
			label := ""
			if a.Is6() {
				label = "IPv6"
			}
			out = append(out, client{label: label, from: a})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return comparePrefixes(a.Prefix, b.Prefix) })
	every := 1 + len(entries)/mostClients
	for i, e := range entries {
		if i%every != 0 {
			continue
		}
		if a, ok := alone(ranges, entries[i+1:], e.Prefix); ok {
			out = append(out, client{label: e.Value + without(entries[i+1:], e), from: a})
		}
	}
	return out, every == 1
}

// without says which smaller ranges are not meant. What follows are the entries behind it in their order.
func without(following []locate.Entry[string], e locate.Entry[string]) string {
	inner := map[string]bool{}
	first := ""
	for _, f := range following {
		if !e.Prefix.Contains(f.Prefix.Addr()) || len(inner) > 1 {
			break
		}
		if f.Value != e.Value {
			first = f.Value
			inner[f.Value] = true
		}
	}
	switch len(inner) {
	case 0:
		return ""
	case 1:
		return " without " + first
	}
	return " without the ranges in it"
}

// alone returns an address of the prefix that is in no longer one. What follows are the prefixes behind it in their order.
func alone(ranges *locate.Map[string], following []locate.Entry[string], p netip.Prefix) (netip.Addr, bool) {
	at := p.Addr()
	for i := -1; ; i++ {
		if i >= 0 {
			if i >= len(following) || !p.Contains(following[i].Prefix.Addr()) {
				return netip.Addr{}, false
			}
			if at = lastOf(following[i].Prefix).Next(); !p.Contains(at) {
				return netip.Addr{}, false
			}
		}
		if _, matched, _ := ranges.Lookup(whole(at)); matched == p {
			return at, true
		}
	}
}

func whole(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

func lastOf(p netip.Prefix) netip.Addr { return config.SourceOf(p).To }

func comparePrefixes(a, b netip.Prefix) int {
	if c := a.Addr().Compare(b.Addr()); c != 0 {
		return c
	}
	return a.Bits() - b.Bits()
}

func uniqueSources(sources []config.Source) []config.Source {
	out := unique(sources)
	slices.SortFunc(out, func(a, b config.Source) int {
		if c := a.From.Compare(b.From); c != 0 {
			return c
		}
		return b.To.Compare(a.To)
	})
	return out
}
