package scenario

import "strings"

// treeCases are T-002 to T-004 and T-069 to T-088.
func treeCases() []specCase {
	all := []specCase{
		{id: "T-001", text: "www simple: r v4=a:- v4=b:- v4=c:-", want: "a+b+c"},
		{id: "T-002", text: "www simple: r U", want: "r"},
		{id: "T-003", text: "www simple: r >w\nw weighted: a w1 U; b w2 U", want: "1/3 a, 2/3 b"},
		{id: "T-004", text: "www failover: p primary >one; s secondary H\none simple: r U", want: "s"},
		{id: "T-085", text: "www weighted: x w1 >one; y w3 >two\none weighted: a H\ntwo weighted: b U", want: "a"},
		{id: "T-086", text: "www weighted: x w1 >one; y w3 >two\none weighted: a U; b U\ntwo weighted: c U",
			want: "1/8 a, 1/8 b, 3/4 c"},
		{id: "T-087", text: "www weighted: x >one; y >two\none multivalue: a H; b H; c H; d H\ntwo multivalue: e H; f H; g H; h H",
			want: "1/2 a+b+c+d, 1/2 e+f+g+h"},
		{id: "T-088", client: "us20", text: "www failover: p primary >lat; s secondary H\n" +
			"lat latency: us site=us >one; eu site=eu >two\none weighted: a U; b U\ntwo weighted: c U; d H", want: "d"},
	}
	latency := func(id, us, u, ap, a, want string) {
		text := "www latency: us site=us " + us + "; ap site=ap " + ap + "\n" +
			"us weighted: u1 " + strings.Replace(u, " ", "; u2 ", 1) + "\nap weighted: a1 " + strings.Replace(a, " ", "; a2 ", 1)
		all = append(all, specCase{id: id, client: "us20", text: text, want: want})
	}
	const us, ap = "1/2 u1, 1/2 u2", "1/2 a1, 1/2 a2"
	latency("T-069", ">us", "H H", ">ap", "H H", us)
	latency("T-070", ">us", "U H", ">ap", "H H", "u2")
	latency("T-071", ">us", "U U", ">ap", "H U", "a1")
	latency("T-072", ">us", "U -", ">ap", "H H", "u2")
	latency("T-073", "~us", "U U", ">ap", "H H", us)
	latency("T-074", "~us", "U H", ">ap", "H H", "u2")
	latency("T-075", ">us U", "H H", ">ap", "H H", ap)
	latency("T-076", ">us H", "U U", ">ap", "H H", ap)
	latency("T-077", "~us U", "H H", ">ap", "H H", ap)
	latency("T-078", "~us H", "U U", ">ap", "H H", us)
	latency("T-079", ">us", "U U", ">ap", "U U", us)
	latency("T-080 before", ">us", "U U", ">ap", "H H", ap)
	latency("T-080 after", ">us", "H U", ">ap", "H H", "u1")
	latency("T-081", ">us U", "H H", ">ap U", "H H", us)
	two := func(id, inner, want string) {
		all = append(all, specCase{id: id, client: "us20", text: "www latency: us site=us >us; ap site=ap >ap\n" + inner + "\nap weighted: a1 H; a2 H",
			want: want})
	}
	two("T-082", "us weighted: u1 w1 U; u2 w0 H", "u2")
	two("T-083", "us weighted: alias2 ~deep\ndeep weighted: u1 U; u2 U", us)
	two("T-084", "us weighted: alias2 >deep\ndeep weighted: u1 U; u2 U", ap)
	return all
}

// multivalueCases are T-093 to T-106.
func multivalueCases() []specCase {
	of := func(h, u int) string {
		return strings.TrimSpace(strings.Repeat("H ", h) + strings.Repeat("U ", u))
	}
	ten := strings.Repeat(";", 9)
	all := []specCase{
		{id: "T-093", text: row("www multivalue", ten, of(3, 0)), want: "r1+r2+r3"},
		{id: "T-094", text: row("www multivalue", ten, of(8, 0)), want: "r1+r2+r3+r4+r5+r6+r7+r8"},
		{id: "T-096", text: row("www multivalue", ten, of(8, 2)), want: "r1+r2+r3+r4+r5+r6+r7+r8"},
		{id: "T-097", text: row("www multivalue", ten, of(5, 5)), want: "r1+r2+r3+r4+r5"},
		{id: "T-099", text: row("www multivalue", ten, "H U U U U -"), want: "r1+r6"},
		{id: "T-100", text: row("www multivalue", ten, of(0, 3)), want: "r1+r2+r3"},
		{id: "T-101", preset: tm, text: row("www multivalue", ten, of(5, 0)), want: pairs(5)},
		{id: "T-102", preset: tm, text: row("www multivalue max=5", ten, of(3, 4)), want: "r1+r2+r3"},
		{id: "T-103", preset: tm, text: row("www multivalue", ten, "U U U U H,off H,stopped"), want: pairs(4)},
	}
	mixed := "www multivalue: a v4=a:H; b v4=b:H; c v6=c:H; d v6=d:H"
	all = append(all, specCase{id: "T-104", preset: tm, qtype: 28, text: mixed, want: "c+d"},
		specCase{id: "T-105", preset: tm, qtype: 5, text: mixed, want: nodata},
		specCase{id: "T-106", preset: tm, qtype: 28, text: "www multivalue: a H; b H", want: nodata})
	return append(all, specCase{id: "T-095", text: row("www multivalue", ten, of(10, 0)), want: allBut(2, 10)},
		specCase{id: "T-098", text: row("www multivalue", ten, of(0, 10)), want: allBut(2, 10)})
}

// nestedCases are T-232 to T-255.
func nestedCases() []specCase {
	all := []specCase{
		{id: "T-232", preset: tm, text: "www weighted: a v4=a:H", want: "a"},
		{id: "T-232 name", preset: tm, text: "www weighted: a cname=n H", want: "CNAME n"},
		{id: "T-233", preset: tm, text: "www weighted: a v6=a:H", want: nodata},
		{id: "T-233 two", preset: tm, text: "www weighted: a w1 v6=a:H; b w2 v4=b:H", want: "2/3 b, 1/3 nodata"},
		{id: "T-234", preset: tm, qtype: 28, text: "www weighted: a v6=a:H", want: "a"},
		{id: "T-234 name", preset: tm, qtype: 28, text: "www weighted: a cname=n H", want: "CNAME n"},
		{id: "T-235", preset: tm, qtype: 28, text: "www weighted: a H", want: nodata},
		{id: "T-236", preset: tm, qtype: 5, text: "www weighted: a cname=n H; b H", want: "1/2 n, 1/2 nodata"},
	}
	const child = "child weighted: prod w9 PROD; test w1 TEST"
	nested := func(id, min, group, prod, test, us, ap, want string) {
		text := "www latency: eu site=eu >child " + min + "; us site=us " + us + "; ap site=ap " + ap + "\n" +
			strings.NewReplacer("weighted", "weighted"+group, "PROD", prod, "TEST", test).Replace(child)
		all = append(all, specCase{id: id, preset: tm, client: "eu20", text: text, want: want})
	}
	const both = "9/10 prod, 1/10 test"
	nested("T-239", "", "", "H", "H", "H", "H", both)
	nested("T-240", "", "", "U", "H", "H", "H", "test")
	nested("T-241", "", "", "U", "U", "H", "H", "us")
	nested("T-242", "min=2", "", "U", "H", "H", "H", "us")
	nested("T-243", "min=2", "", "H", "H", "H", "H", both)
	nested("T-244", "min=2", "", "NEW", "H", "H", "H", both)
	nested("T-245", "", "", "NEW", "U", "H", "H", "prod")
	nested("T-246", "min=3", "", "H", "H", "H", "H", "us")
	nested("T-247", "", " disabled", "H", "H", "H", "H", "us")
	nested("T-248", "", "", "H off", "H off", "H", "H", "us")
	nested("T-249", "min=2", "", "U", "H", "U", "U", "test")
	nested("T-250", "", " disabled", "H", "H", "U", "U", "us")
	nested("T-251", "min=2", "", "-", "H", "H", "H", both)
	nested("T-252", "off", "", "H", "H", "H", "H", "us")
	return append(all,
		specCase{id: "T-253", preset: tm, client: "eu20", want: "us",
			text: "www latency: eu site=eu >child min4=2 min6=2; us site=us H\nchild multivalue: a v4=a:H; b v4=b:H; c v6=c:H"},
		specCase{id: "T-254", preset: tm, client: "eu20", want: "us1",
			text: "www latency: eu site=eu >child; ap site=ap H\nchild priority: eu1 U; us1 H"},
		specCase{id: "T-255", preset: tm, client: "eu20", want: "ap",
			text: "www latency: eu site=eu >child; ap site=ap H\nchild priority: eu1 U; us1 U"})
}
