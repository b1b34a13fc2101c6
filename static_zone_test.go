package healthroute

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// staticZone is the records of example.org that a zone file and our groups both have, by name.
type staticZone map[string]*staticName

type staticName struct {
	ttl  uint32 // of the group, 0 for the stanza's
	sets map[uint16]staticSet
}

type staticSet struct {
	ttl  uint32 // of the record, 0 for the group's
	data []string
}

const (
	staticOrigin = "example.org."
	staticTTL    = 30 // of the stanza
)

// staticLabels are few, so that names meet: below, beside and between each other. Two of them are written with escapes.
var staticLabels = []string{"*", "a", "b", "www", "_tcp", "x-y", `d\.t`, `\000z`, "0"}

// staticTypes are what a name may have beside addresses.
var staticTypes = []uint16{
	dns.TypeMX, dns.TypeSRV, dns.TypeTXT, dns.TypeCAA, dns.TypeHTTPS, dns.TypeSVCB, dns.TypeNAPTR, dns.TypePTR, 65280,
}

// newStaticZone makes up a zone.
func newStaticZone(rnd *rand.Rand) staticZone {
	z := staticZone{}
	for range 3 + rnd.IntN(12) {
		name := staticOrigin
		for range 1 + rnd.IntN(3) {
			name = staticLabels[rnd.IntN(len(staticLabels))] + "." + name
		}
		if rnd.IntN(12) == 0 {
			name = staticOrigin
		}
		z[name] = &staticName{ttl: []uint32{0, 0, 0, 300, 7}[rnd.IntN(5)], sets: map[uint16]staticSet{}}
	}
	for _, name := range z.owners() {
		if name != staticOrigin && rnd.IntN(4) == 0 {
			z[name].sets[dns.TypeCNAME] = staticSet{data: []string{z.target(rnd)}}
			continue
		}
		types := slices.Concat([]uint16{dns.TypeA, dns.TypeAAAA, dns.TypeA}, staticTypes)
		rnd.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
		for _, t := range types[:1+rnd.IntN(4)] {
			z[name].sets[t] = staticSet{[]uint32{0, 0, 60, 5}[rnd.IntN(4)], z.data(t, rnd)}
		}
	}
	return z
}

// owners are the names of the zone, in order.
func (z staticZone) owners() []string { return slices.Sorted(maps.Keys(z)) }

// target is where an alias leads: mostly to names of the zone, else below them or out.
func (z staticZone) target(rnd *rand.Rand) string {
	names := z.owners()
	name := names[rnd.IntN(len(names))]
	switch rnd.IntN(6) {
	case 0:
		return "out.example.net."
	case 1:
		return "gone." + name
	case 2:
		return strings.Replace(name, "*.", "made-up.", 1)
	}
	return name
}

func (z staticZone) data(t uint16, rnd *rand.Rand) []string {
	var data []string
	for i := range 1 + rnd.IntN(3) {
		n := fmt.Sprint(i + 1)
		data = append(data, map[uint16]string{
			dns.TypeA: "192.0.2." + n, dns.TypeAAAA: "2001:db8::" + n, dns.TypeMX: n + "0 " + z.target(rnd),
			dns.TypeSRV: n + " 2 443 " + z.target(rnd), dns.TypeTXT: "text" + n, dns.TypeCAA: `0 issue "ca` + n + `.example.net"`,
			dns.TypeHTTPS: n + " . alpn=h2", dns.TypeSVCB: n + " " + z.target(rnd), dns.TypePTR: "host" + n + ".example.net.",
			dns.TypeNAPTR: n + ` 10 "u" "E2U+sip" "!^.*$!sip:info@example.org!" .`, 65280: `\# 4 0a00000` + n,
		}[t])
	}
	return data
}

// records is one RRset of the zone under an owner name.
func (z staticZone) records(node string, t uint16, owner string) []dns.RR {
	set, ok := z[node].sets[t]
	if !ok {
		return nil
	}
	ttl := set.ttl
	for _, further := range []uint32{z[node].ttl, staticTTL} {
		if ttl == 0 {
			ttl = further
		}
	}
	var rrs []dns.RR
	for _, data := range set.data {
		rr, err := dns.NewRR(fmt.Sprintf("%s %d IN %s %s", node, ttl, dns.Type(t), data))
		if err != nil {
			panic(err) // the data are ours
		}
		rr.Header().Name = owner
		rrs = append(rrs, rr)
	}
	return rrs
}

// zoneFile is the zone as text for file, below the records of the apex that we make ourselves.
func (z staticZone) zoneFile(apex ...dns.RR) string {
	var text strings.Builder
	for _, name := range z.owners() {
		for t := range z[name].sets {
			apex = append(apex, z.records(name, t, name)...)
		}
	}
	for _, rr := range apex {
		fmt.Fprintln(&text, rr)
	}
	return text.String()
}

// groups are the zone as groups, one a name, with a record for each type.
func (z staticZone) groups() string {
	quoted := func(data string) string { return `"` + strings.ReplaceAll(data, `"`, `\"`) + `"` }
	ttl := func(seconds uint32) string {
		if seconds == 0 {
			return ""
		}
		return fmt.Sprintf("ttl %ds", seconds)
	}
	var text strings.Builder
	for _, name := range z.owners() {
		fmt.Fprintf(&text, "group %s simple {\n%s\n", name, ttl(z[name].ttl))
		for t, set := range z[name].sets {
			fmt.Fprintf(&text, "record %s %s %s {\n", dns.Type(t), quoted(set.data[0]), ttl(set.ttl))
			for _, data := range set.data[1:] {
				fmt.Fprintf(&text, "value %s\n", quoted(data))
			}
			text.WriteString("}\n")
		}
		text.WriteString("}\n")
	}
	return text.String()
}

// asked are names to ask for: what is there, what is above, beside and below it, and the same in odd letter case.
func (z staticZone) asked(rnd *rand.Rand) []string {
	names := map[string]bool{staticOrigin: true, "gone.example.org.": true, "out.example.net.": true}
	for name := range z {
		for above := name; above != staticOrigin; above = parent(above) {
			for _, near := range []string{"", "gone.", "*.", "a.b."} {
				names[near+above] = true
			}
			names[strings.Replace(above, "*.", "made-up.", 1)] = true
			names[strings.ReplaceAll(above, "*.", "c.")] = true
		}
	}
	list := slices.Sorted(maps.Keys(names))
	for i, name := range list {
		if i%3 == 0 {
			list[i] = oddCase(name, rnd)
		}
	}
	return list
}

// parent is the name without its first label.
func parent(name string) string {
	at, end := dns.NextLabel(name, 0)
	if end {
		return "."
	}
	return name[at:]
}

// oddCase writes a name in random letter case.
func oddCase(name string, rnd *rand.Rand) string {
	letters := []byte(name)
	for i := range letters {
		if rnd.IntN(2) == 0 {
			letters[i] = strings.ToUpper(string(letters[i]))[0]
		}
	}
	return string(letters)
}
