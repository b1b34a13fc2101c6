package scenario

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// pairs is every pair of the first n records, all with the same probability.
func pairs(n int) string { return subsets(n, 2) }

// allBut is every set of n records without so many.
func allBut(without, n int) string { return subsets(n, n-without) }

func subsets(n, size int) string {
	var sets []string
	for mask := range uint(1) << n {
		if bits.OnesCount(mask) != size {
			continue
		}
		var members []string
		for i := range n {
			if mask>>i&1 == 1 {
				members = append(members, fmt.Sprintf("r%d", i+1))
			}
		}
		sets = append(sets, join(members))
	}
	slices.Sort(sets)
	for i := range sets {
		sets[i] = fmt.Sprintf("1/%d %s", len(sets), sets[i])
	}
	return strings.Join(sets, ", ")
}

// dualStackCases are T-257 to T-265.
func dualStackCases() []specCase {
	var all []specCase
	add := func(id, text, a, aaaa string) {
		all = append(all, specCase{id: id + " A", text: text, want: a}, specCase{id: id + " AAAA", qtype: 28, text: text, want: aaaa})
	}
	failover := func(id, option, a1, b1, a2, b2, a, aaaa string) {
		add(id, fmt.Sprintf("www failover %s: fra primary v4=a1:%s v6=b1:%s; ams secondary v4=a2:%s v6=b2:%s", option, a1, b1, a2, b2), a, aaaa)
	}
	failover("T-257", "", "H", "H", "H", "H", "a1", "b1")
	failover("T-258", "", "H", "U", "H", "H", "a1", "b2")
	failover("T-259", "together", "H", "U", "H", "H", "a2", "b2")
	failover("T-260", "", "H", "U", "H", "U", "a1", "b1")
	failover("T-261", "together", "H", "U", "U", "H", "a1", "b1")
	add("T-262", "www failover: fra primary v4=a1:H v6=b1:U; ams secondary v4=a2:H", "a1", "b1")
	add("T-263", "www failover: fra primary v4=a1:H v4=a1x:U v6=b1:H; ams secondary v4=a2:H v6=b2:H", "a1", "b1")
	add("T-264", "www failover: fra primary v4=a1:U v4=a1x:U v6=b1:H; ams secondary v4=a2:U v6=b2:H", "a1+a1x", "b1")
	add("T-265", "www weighted: x w1 v4=x:H; y w3 v4=y:H v6=y6:H", "1/4 x, 3/4 y", "y6")
	return all
}

// optionCases are T-267 to T-279 and T-292.
func optionCases() []specCase {
	var all []specCase
	// Each group is asked for itself, and behind the alias of a failover group whose secondary is healthy.
	target := func(id, head, records, own, behind string) {
		all = append(all, specCase{id: id + " own", text: "www " + head + ": " + records, want: own},
			specCase{id: id + " behind", text: "www failover: p primary >w; s secondary H\nw " + head + ": " + records, want: behind})
	}
	target("T-267", "multivalue min=2", "a H; b H; c U; d U", "a+b", "a+b")
	target("T-268", "multivalue min=2", "a H; b U; c U; d U", "a", "s")
	target("T-269", "multivalue min=2 show", "a H; b U; c U; d U", "a+b+c+d", "s")
	target("T-270 one", "multivalue min=50%", "a H; b U; c U", "a", "s")
	target("T-270 two", "multivalue min=50%", "a H; b H; c U", "a+b", "a+b")
	target("T-271", "multivalue min4=1 min6=1", "a v4=a:H; b v6=b:U", "a", "s")
	all = append(all, specCase{id: "T-271 AAAA", qtype: 28, text: "www multivalue min4=1 min6=1: a v4=a:H; b v6=b:U", want: "b"})
	target("T-272", "weighted min=1", "a w100 U; b w1 H", "b", "b")
	return append(all,
		specCase{id: "T-273", text: "www weighted last=none: a U; b U", want: nodata},
		specCase{id: "T-274", text: "www weighted last=servfail: a U; b U", want: "servfail"},
		specCase{id: "T-274 refused", text: "www weighted last=refused: a U; b U", want: "refused"},
		specCase{id: "T-275", text: "www weighted sorry=sorry: a U; b U\nsorry weighted: c H; d U", want: "c"},
		specCase{id: "T-275 nothing eligible", text: "www weighted sorry=sorry: a H off; b U off\nsorry weighted: c H; d U", want: "c"},
		specCase{id: "T-276", text: "www weighted sorry=sorry: a U; b U\nsorry weighted: c w1 U; d w2 U", want: "1/3 c, 2/3 d"},
		specCase{id: "T-277", text: "www failover: p primary >w; s secondary H\nw weighted last=none: a U; b U", want: "s"},
		specCase{id: "T-278", text: "www failover: p primary >w; s secondary U\nw weighted last=none: a U; b U", want: nodata},
		specCase{id: "T-279", text: "www weighted last=nxdomain: a U; b U", want: "nxdomain"},
		specCase{id: "T-279 TXT", text: "www weighted last=nxdomain: a U; b U", want: nodata},
		specCase{id: "T-292", text: "www roundrobin: a H; b U; c H", want: "1/2 a, 1/2 c"})
}
