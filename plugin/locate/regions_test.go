package locate

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// small are prefixes of a family in which only `width` leading bits behind a base vary, so that a test can look at all of them.
type small struct {
	base  netip.Addr
	fixed int // bits of the base that never vary
	width int
}

var smalls = []small{
	{netip.MustParseAddr("0.0.0.0"), 0, 6},
	{netip.MustParseAddr("192.0.2.64"), 26, 6},
	{netip.MustParseAddr("255.255.255.192"), 26, 6},
	{netip.MustParseAddr("::"), 0, 6},
	{netip.MustParseAddr("2001:db8::"), 61, 6}, // over the border of the two halves
	{netip.MustParseAddr("2001:db8::ffc0"), 122, 6},
	{netip.MustParseAddr("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffc0"), 122, 6},
}

// address is the first address of the n-th cell.
func (s small) address(n int) netip.Addr {
	b := s.base.AsSlice()
	for i := range s.width {
		if n>>(s.width-1-i)&1 == 1 {
			at := s.fixed + i
			b[at/8] |= 1 << (7 - at%8)
		}
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

func (s small) draw(t *rapid.T, label string) netip.Prefix {
	length := rapid.IntRange(0, s.width).Draw(t, label+" length")
	n := rapid.IntRange(0, 1<<s.width-1).Draw(t, label+" cell")
	bits := s.fixed + length
	if s.fixed > 0 && rapid.IntRange(0, 9).Draw(t, label+" wide") == 0 {
		bits = rapid.IntRange(0, s.fixed).Draw(t, label+" bits")
	}
	return netip.PrefixFrom(s.address(n), bits)
}

// slowMatches are all entries that contain the network, the longest first, by looking at every entry.
func slowMatches(entries []Entry[int], network netip.Prefix) []Entry[int] {
	found := map[netip.Prefix]int{}
	for _, e := range entries {
		p := e.Prefix.Masked()
		if p.Bits() <= network.Bits() && p.Contains(network.Addr()) {
			found[p] = e.Value
		}
	}
	var out []Entry[int]
	for p, v := range found {
		out = append(out, Entry[int]{p, v})
	}
	slices.SortFunc(out, func(a, b Entry[int]) int { return b.Prefix.Bits() - a.Prefix.Bits() })
	return out
}

// slowBits is the length of the shortest prefix around the address in which no other prefix of the map makes another decision: it
// holds, for each length, every entry's ends and their neighbours against the decision at the address.
func slowBits(entries []Entry[int], a netip.Addr, decide func(int, bool) int) int {
	decision := func(b netip.Addr) int {
		m := slowMatches(entries, netip.PrefixFrom(b, b.BitLen()))
		if len(m) == 0 {
			return decide(0, false)
		}
		return decide(m[0].Value, true)
	}
	points := []netip.Addr{a}
	for _, e := range entries {
		p := e.Prefix.Masked()
		first, last := p.Addr(), lastOf(p)
		points = append(points, first, last)
		if b := first.Prev(); b.IsValid() {
			points = append(points, b)
		}
		if b := last.Next(); b.IsValid() {
			points = append(points, b)
		}
	}
	want := decision(a)
	for length := 0; ; length++ {
		around := netip.PrefixFrom(a, length).Masked()
		if !slices.ContainsFunc(points, func(b netip.Addr) bool { return around.Contains(b) && decision(b) != want }) {
			return length
		}
	}
}

func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

func TestMapAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(smalls).Draw(t, "family")
		var entries []Entry[int]
		for i := range rapid.IntRange(0, 12).Draw(t, "entries") {
			entries = append(entries, Entry[int]{s.draw(t, fmt.Sprint("entry ", i)), rapid.IntRange(0, 3).Draw(t, "value")})
		}
		m := NewMap(entries)

		network := s.draw(t, "network")
		want := slowMatches(entries, network)
		var got []Entry[int]
		for p, v := range m.Matches(network) {
			got = append(got, Entry[int]{p, v})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("Expected the matches %v of %v, got %v", want, network, got)
		}
		v, matched, ok := m.Lookup(network)
		if ok != (len(want) > 0) || ok && (Entry[int]{matched, v}) != want[0] {
			t.Fatalf("Expected the longest of %v for %v, got %v %v %v", want, network, v, matched, ok)
		}

		decide := func(v int, ok bool) int { return v % 3 } // 3 decides like 0, and like nothing
		scopes := m.Regions().Merge(decide)
		for n := range 1 << s.width {
			a := s.address(n)
			if got, want := scopes.Bits(a), slowBits(entries, a, decide); got != want {
				t.Fatalf("Expected the scope %d of %v in %v, got %d", want, a, entries, got)
			}
		}
	})
}

func TestRegionsCoverTheFamily(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(smalls).Draw(t, "family")
		var entries []Entry[int]
		for i := range rapid.IntRange(0, 12).Draw(t, "entries") {
			entries = append(entries, Entry[int]{s.draw(t, fmt.Sprint("entry ", i)), i})
		}
		m := NewMap(entries)
		r := m.Regions()
		of := r.v4
		if !s.base.Is4() {
			of = r.v6
		}
		if len(of.starts) > 2*m.Len()+1 {
			t.Fatalf("Expected at most two runs a prefix and one, got %d of %d", len(of.starts), m.Len())
		}
		for i := range of.starts {
			if i == 0 && of.starts[0] != (point{}) || i > 0 && (of.starts[i-1].compare(of.starts[i]) >= 0 || of.which[i-1] == of.which[i]) {
				t.Fatalf("Expected runs in order, from 0 on, neighbours different, got %v", of)
			}
		}
	})
}

func TestScopes(t *testing.T) {
	m := NewMap([]Entry[string]{
		{netip.MustParsePrefix("10.0.0.0/8"), "a"},
		{netip.MustParsePrefix("10.1.0.0/16"), "b"},
		{netip.MustParsePrefix("10.1.2.0/24"), "a"},
		{netip.MustParsePrefix("2001:db8::/32"), "a"},
		{netip.MustParsePrefix("2001:db8:0:1200::/57"), "b"},
	})
	ids := map[string]int{"a": 1, "b": 2}
	scopes := m.Regions().Merge(func(v string, _ bool) int { return ids[v] })
	for address, want := range map[string]int{
		"10.0.0.1": 16, "10.1.0.1": 23, "10.1.2.1": 24, "10.1.3.1": 24, "10.1.4.1": 22, "10.1.128.1": 17, "10.2.0.1": 15, "10.128.0.1": 9,
		"11.0.0.1": 8, "192.0.2.1": 1, "0.0.0.0": 5, "::ffff:10.128.0.1": 9,
		"2001:db8:0:1200::1": 57, "2001:db8:0:1280::1": 57, "2001:db8:0:1300::": 56, "2001:db8:8000::": 33, "::": 3, "8000::": 1,
	} {
		if got := scopes.Bits(netip.MustParseAddr(address)); got != want {
			t.Errorf("Expected the scope %d of %s, got %d", want, address, got)
		}
	}
	alike := m.Regions().Merge(func(string, bool) int { return 7 })
	if got := alike.Bits(netip.MustParseAddr("10.1.2.1")) + alike.Bits(netip.MustParseAddr("2001:db8::")); got != 0 {
		t.Errorf("Expected the scope 0 where all decide alike, got %d", got)
	}
}

func TestEmptyMaps(t *testing.T) {
	var missing *Map[int]
	network := netip.MustParsePrefix("192.0.2.0/24")
	for _, m := range []*Map[int]{missing, NewMap[int](nil), NewMap([]Entry[int]{{}})} {
		if _, _, ok := m.Lookup(network); ok || m.Len() != 0 {
			t.Errorf("Expected nothing in an empty map, got something")
		}
		for p := range m.Matches(network) {
			t.Errorf("Expected no match, got %v", p)
		}
		if got := m.Regions().Merge(func(int, bool) int { return 1 }).Bits(network.Addr()); got != 0 {
			t.Errorf("Expected the scope 0, got %d", got)
		}
	}
	if got := (*Scopes)(nil).Bits(network.Addr()); got != 0 {
		t.Errorf("Expected the scope 0 of no scopes, got %d", got)
	}
}

func TestMapTakesMappedForIPv4(t *testing.T) {
	m := NewMap([]Entry[int]{{netip.MustParsePrefix("::ffff:192.0.2.0/120"), 1}, {netip.MustParsePrefix("::/0"), 2}})
	v, matched, ok := m.Lookup(netip.MustParsePrefix("192.0.2.7/32"))
	if !ok || v != 1 || matched != netip.MustParsePrefix("192.0.2.0/24") {
		t.Errorf("Expected 1 of 192.0.2.0/24, got %d of %v", v, matched)
	}
	if v, matched, _ = m.Lookup(netip.MustParsePrefix("::ffff:192.0.2.7/128")); v != 1 {
		t.Errorf("Expected 1 of 192.0.2.0/24, got %d of %v", v, matched)
	}
	if v, matched, _ = m.Lookup(netip.MustParsePrefix("::ffff:0:0/95")); v != 2 {
		t.Errorf("Expected 2 of ::/0, got %d of %v", v, matched)
	}
}
