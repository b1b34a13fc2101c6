package scenario

import (
	"fmt"
	"strings"
)

// distanceCases are T-108 to T-118 and T-143 to T-147.
func distanceCases() []specCase {
	var all []specCase
	latency := func(id, states, want string) {
		all = append(all, specCase{id: id, client: "us20", text: row("www latency", "site=us;site=eu;site=ap", states), want: want})
	}
	latency("T-108", "H H H", "r1")
	latency("T-109", "U H H", "r2")
	latency("T-110", "U U H", "r3")
	latency("T-111", "U U U", "r1")
	latency("T-112", "- H H", "r1")
	latency("T-113", "H,off U U", "r2")
	two := func(id, states, want string) {
		all = append(all, specCase{id: id, client: "us20", preset: tm, text: row("www latency", "site=us;site=us;site=eu;site=ap", states), want: want})
	}
	two("T-114", "H H H H", "1/2 r1, 1/2 r2")
	two("T-115", "H U H H", "r1")
	two("T-116", "U U H H", "r3")
	two("T-117", "U H,off U U", "r1")
	all = append(all, specCase{id: "T-118", client: "unknown", text: row("www latency", "site=eu;site=us;site=ap", "H H H"), want: "r1"})
	// One degree of latitude is 111.2 km.
	proximity := func(id, biasA, biasB, states, want string) {
		all = append(all, specCase{id: id, client: "here",
			text: row("www proximity", "at=1.349/0 bias="+biasA+";at=0.8993/0 bias="+biasB, states), want: want})
	}
	proximity("T-143", "0", "0", "H H", "r2")
	proximity("T-144", "50", "0", "H H", "r1")
	proximity("T-145", "0", "-50", "H H", "r1")
	proximity("T-146", "50", "0", "U H", "r2")
	proximity("T-147", "50", "0", "U U", "r1")
	return all
}

// geoCases are T-119 to T-141, T-168 to T-171 and T-295, T-296.
func geoCases() []specCase {
	var all []specCase
	geo := func(id, client, states, want string) {
		var records []string
		for i, state := range strings.Fields(states) {
			name := []string{"CA", "US", "NA", "ELSE"}[i]
			if state != "absent" {
				records = append(records, fmt.Sprintf("%s place=%s %s", name, []string{"US-CA", "US", "NA", "*"}[i], state))
			}
		}
		all = append(all, specCase{id: id, client: client, text: "www geo: " + strings.Join(records, "; "), want: want})
	}
	geo("T-119", "US-CA", "H H H H", "CA")
	geo("T-120", "US-CA", "U H H H", "US")
	geo("T-121", "US-CA", "U U H H", "NA")
	geo("T-122", "US-CA", "U U U H", "ELSE")
	geo("T-123", "US-CA", "U U U U", "CA")
	geo("T-124", "US-TX", "H U H H", "NA")
	geo("T-125", "MX", "H H H H", "NA")
	geo("T-126", "FR", "H H H H", "ELSE")
	geo("T-127", "unknown", "H H H H", "ELSE")
	geo("T-128", "FR", "H H H absent", nodata)
	geo("T-129", "FR", "H H H U", "ELSE")
	geo("T-130", "US-CA", "U absent absent absent", "CA")
	geographic := func(id, client, records, want string) {
		all = append(all, specCase{id: id, preset: tm, client: client, text: "www geo: " + records, want: want})
	}
	three := func(states string) string {
		return strings.TrimPrefix(row("", "place=IE;place=EU;place=*", states), ": ")
	}
	geographic("T-131", "IE", three("H H H"), "r1")
	geographic("T-132", "IE", three("U H H"), "r1")
	geographic("T-133", "IE", three("H,stopped H H"), nodata)
	geographic("T-134", "IE", three("H,off H H"), "r2")
	geographic("T-135", "IE", three("- H H"), "r1")
	geographic("T-136", "DE", three("H U H"), "r2")
	geographic("T-137", "BR", three("H H H"), "r3")
	geographic("T-138", "BR", three("H H"), nodata)
	const nested = "e1 place=IE >child; e2 place=EU H; e3 place=* H\nchild weighted"
	geographic("T-139", "IE", nested+": a U; b H", "b")
	geographic("T-140", "IE", nested+": a U; b U", "1/2 a, 1/2 b")
	geographic("T-141", "IE", nested+" disabled: a H; b H", nodata)
	override := func(id, policy, x, client, want string) {
		all = append(all, specCase{id: id, preset: tm, client: client, want: want, text: "www " + policy + " override=203.0.113.0/24/use/x: " +
			"x place=IE site=ap " + x + "; y place=* site=us H"})
	}
	override("T-168", "geo", "U", "203.0.113.9", "x")
	override("T-169", "latency", "U", "us20at203.0.113.1", "y")
	override("T-170", "latency", "H", "us20at203.0.113.1", "x")
	override("T-171", "geo", "H", "198.51.100.1", "y")
	override("T-171 performance", "latency", "H", "us20", "y")
	strict := "www geo strict LAST: ca place=US-CA U; us place=US H; else place=* H"
	return append(all, specCase{id: "T-295", client: "US-CA", text: strings.Replace(strict, " LAST", "", 1), want: "ca"},
		specCase{id: "T-296", client: "US-CA", text: strings.Replace(strict, "LAST", "last=none", 1), want: nodata})
}

// subnetCases are T-149 to T-166.
func subnetCases() []specCase {
	var all []specCase
	add := func(id, client, records, want string) {
		all = append(all, specCase{id: id, client: client, text: "www subnet: " + records, want: want})
	}
	three := func(a, b, c string) string {
		return fmt.Sprintf("L1 from=192.0.2.0/24 %s; L2 from=192.0.0.0/16 %s; else from=* %s", a, b, c)
	}
	add("T-149", "192.0.2.7", three("H", "H", "H"), "L1")
	add("T-150", "192.0.9.1", three("H", "H", "H"), "L2")
	add("T-151", "198.51.100.1", three("H", "H", "H"), "else")
	add("T-152", "2001:db8:0:1234::/48", "L1 from=2001:db8::/32 H; else from=* H", "L1")
	add("T-153", "2001:db8::/32", "L1 from=2001:db8:0:1234::/48 H; else from=* H", "else")
	add("T-154", "198.51.100.1", strings.TrimSuffix(three("H", "H", "H"), "; else from=* H"), nodata)
	add("T-155", "192.0.2.7", three("U", "H", "H"), "L2")
	add("T-156", "192.0.2.7", three("U", "U", "U"), "L1")
	subnet := func(id, client, states, want string) {
		text := row("www subnet", "from=10.1.0.0/16;from=10.2.0.0-10.2.255.255;from=*", states)
		all = append(all, specCase{id: id, preset: tm, client: client, text: text, want: want})
	}
	subnet("T-157", "10.1.5.5", "H H H", "r1")
	subnet("T-158", "10.2.1.0/24", "H H H", "r2")
	subnet("T-159", "172.16.0.1", "H H H", "r3")
	subnet("T-160", "172.16.0.1", "H H", nodata)
	subnet("T-161", "10.1.5.5", "U H H", "r3")
	subnet("T-162", "10.1.5.5", "U H", nodata)
	subnet("T-163", "10.1.5.5", "H,off H H", "r3")
	subnet("T-164", "10.1.5.5", "H,off H", nodata)
	subnet("T-165", "10.1.5.5", "U U U", "r1")
	subnet("T-166", "10.1.5.5", "U H U", "r1")
	return all
}
