package config

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func ipv4(n uint32) netip.Addr {
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], n)
	return netip.AddrFrom4(bytes)
}

// subnetGroup is a stanza of one subnet group: a record for each list of ranges.
func subnetGroup(preset Preset, lists [][]Source) *Stanza {
	g := &Group{Names: []string{"www.example.org."}, Policy: PolicySubnet, Preset: preset, TTL: DefaultTTL, LastResort: LastResortAll}
	for i, from := range lists {
		address := ipv4(0x0a000000 + uint32(i)).String()
		g.Records = append(g.Records, &Record{ID: address, TTL: DefaultTTL, From: from, Values: []Value{{Type: dns.TypeA, Data: address}},
			Places: Places{Own: Position{File: "Corefile", Line: i + 1}}})
	}
	return &Stanza{Zones: []string{"example.org."}, TTL: DefaultTTL, OtherTypes: OtherTypesNext, Groups: []*Group{g}}
}

// TestOverlaps compares the sweep over sorted ranges with a look at each pair: both find an overlap, or none does.
func TestOverlaps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 3000 {
		lists := make([][]Source, 2+random.IntN(3))
		for i := range lists {
			for range 1 + random.IntN(3) {
				low := random.Uint32N(60)
				lists[i] = append(lists[i], Source{From: ipv4(low), To: ipv4(low + random.Uint32N(6))})
			}
		}
		overlap := false
		for i, a := range lists {
			for _, b := range lists[i+1:] {
				for _, x := range a {
					for _, y := range b {
						overlap = overlap || x.From.Compare(y.To) <= 0 && y.From.Compare(x.To) <= 0
					}
				}
			}
		}
		got := strings.Contains(subnetGroup(PresetTrafficManager, lists).Validate().Error(), "overlap")
		if got != overlap {
			t.Fatalf("Expected overlap %v of %v, got %v", overlap, lists, got)
		}
		if overlap {
			found++
		}
	}
	if found < 300 || found > 2700 {
		t.Errorf("Expected some overlaps and some lists without, got %d of 3000", found)
	}
}

// manyPrefixes are 100,000 records with a block each, and one with as many.
func manyPrefixes() [][]Source {
	lists := make([][]Source, 100_001)
	for i := range 100_000 {
		lists[i] = []Source{SourceOf(netip.PrefixFrom(ipv4(0x0b000000+uint32(i)<<8), 24))}
		lists[100_000] = append(lists[100_000], SourceOf(netip.PrefixFrom(ipv4(0x80000000+uint32(i)<<8), 24)))
	}
	return lists
}

// TestManyPrefixes would not end in time if each range were compared with each other one.
func TestManyPrefixes(t *testing.T) {
	lists := manyPrefixes()
	for _, preset := range []Preset{PresetNone, PresetTrafficManager} {
		if problems := subnetGroup(preset, lists).Validate(); len(problems) > 0 {
			t.Errorf("Expected no problem with preset %s, got %v", preset, problems[0])
		}
	}
	lists[5] = append(lists[5], lists[100_000][7])
	for preset, expected := range map[Preset]string{
		PresetNone:           "block 128.0.7.0/24 is taken already on line 6",
		PresetTrafficManager: "128.0.7.0/24 and 128.0.7.0/24 overlap",
	} {
		problems := subnetGroup(preset, lists).Validate()
		if len(problems) != 1 || !strings.Contains(problems.Error(), expected) {
			t.Errorf("Expected %q with preset %s, got %.500v", expected, preset, problems)
		}
	}
}

func BenchmarkValidateManyPrefixes(b *testing.B) {
	for _, preset := range []Preset{PresetNone, PresetTrafficManager} {
		s := subnetGroup(preset, manyPrefixes())
		b.Run(fmt.Sprint(preset), func(b *testing.B) {
			for b.Loop() {
				s.Validate()
			}
		})
	}
}
