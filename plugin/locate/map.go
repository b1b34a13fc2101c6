package locate

import (
	"iter"
	"net/netip"

	"github.com/gaissmai/bart"
)

// Entry is one line of a Map.
type Entry[V any] struct {
	Prefix netip.Prefix
	Value  V
}

// Map finds the longest of its prefixes that contains a network. It never changes, so any number of goroutines may use it; a nil
// Map is empty.
type Map[V any] struct {
	table bart.Table[V]
}

// NewMap returns a map of the entries. Their prefixes are masked, and IPv4 addresses that are written as IPv6 (::ffff:192.0.2.0/120)
// are taken for IPv4. Of equal prefixes the later one stands; prefixes that are not valid are left out.
func NewMap[V any](entries []Entry[V]) *Map[V] {
	m := new(Map[V])
	for _, e := range entries {
		if p := normal(e.Prefix); p.IsValid() {
			m.table.Insert(p, e.Value)
		}
	}
	return m
}

// Len is the number of different prefixes.
func (m *Map[V]) Len() int {
	if m == nil {
		return 0
	}
	return m.table.Size()
}

// Lookup returns the longest prefix that contains the whole network, and its value. A network that is shorter than a block does not
// match the block, not even if the block has the network's first address (spec T-153).
func (m *Map[V]) Lookup(network netip.Prefix) (value V, matched netip.Prefix, ok bool) {
	if m == nil {
		return value, matched, false
	}
	matched, value, ok = m.table.LookupPrefixLPM(normal(network))
	return value, matched, ok
}

// Matches goes through all prefixes that contain the whole network, the longest first.
func (m *Map[V]) Matches(network netip.Prefix) iter.Seq2[netip.Prefix, V] {
	return func(yield func(netip.Prefix, V) bool) {
		for { // the library's own iterator allocates
			v, p, ok := m.Lookup(network)
			if !ok || !yield(p, v) || p.Bits() == 0 {
				return
			}
			network = netip.PrefixFrom(p.Addr(), p.Bits()-1)
		}
	}
}

// normal is the prefix without bits beyond its length, and IPv4 where it says the same as an IPv6 prefix.
func normal(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= mappedBits {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mappedBits)
	}
	return p.Masked()
}

// mappedBits is the length of the IPv6 prefix that holds all IPv4 addresses: ::ffff:0:0/96 (RFC 4291 section 2.5.5.2), or, in .mmdb
// files, ::/96.
const mappedBits = 96
