package locate

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"
)

// manyPrefixes are 100,000 different prefixes, /12 to /28.
func manyPrefixes() []Entry[int] {
	rnd := rand.New(rand.NewPCG(1, 2))
	seen := map[netip.Prefix]bool{}
	var entries []Entry[int]
	for len(entries) < 100_000 {
		p := netip.PrefixFrom(randomAddress(rnd), 12+rnd.IntN(17)).Masked()
		if !seen[p] {
			seen[p] = true
			entries = append(entries, Entry[int]{p, len(entries) % 100})
		}
	}
	return entries
}

func randomAddress(rnd *rand.Rand) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], rnd.Uint32())
	return netip.AddrFrom4(b)
}

func randomAddresses() []netip.Addr {
	rnd := rand.New(rand.NewPCG(3, 4))
	out := make([]netip.Addr, 1024)
	for i := range out {
		out[i] = randomAddress(rnd)
	}
	return out
}

func BenchmarkMap(b *testing.B) {
	entries := manyPrefixes()
	m := NewMap(entries)
	regions := m.Regions()
	decide := func(v int, ok bool) int { return v }
	scopes := regions.Merge(decide)
	addresses := randomAddresses()
	b.Run("New", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewMap(entries)
		}
	})
	b.Run("Regions", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Regions()
		}
	})
	b.Run("Merge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			regions.Merge(decide)
		}
	})
	b.Run("Lookup", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			m.Lookup(netip.PrefixFrom(addresses[i%len(addresses)], 32))
		}
	})
	b.Run("Matches", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			for range m.Matches(netip.PrefixFrom(addresses[i%len(addresses)], 32)) {
			}
		}
	})
	b.Run("Bits", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			scopes.Bits(addresses[i%len(addresses)])
		}
	})
}
