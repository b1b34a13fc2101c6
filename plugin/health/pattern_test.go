package health

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// known are objects of all kinds, with a wildcard group, a name with a slash (RFC 2317) and members with slashes.
var known = []Object{
	GroupObject("www.example.org.", ""), GroupObject("www.example.org.", "192.0.2.1"), GroupObject("www.example.org.", "192.0.2.2"),
	GroupObject("*.apps.example.org.", ""), GroupObject("*.apps.example.org.", "a/b"),
	GroupObject("0/25.2.0.192.in-addr.arpa.", ""), GroupObject("0/25.2.0.192.in-addr.arpa.", "one"),
	PoolObject("app", ""), PoolObject("app", "10.0.1.1:8080"), PoolObject("app", "10.0.2.1:8080"), PoolObject("api", "10.0.1.1:8080"),
	SiteObject("fra"), SiteObject("zrh"), ShiftObject("shop", "fra"),
}

// TestMatch finds what a pattern means.
func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		want    []string
	}{
		{"www.example.org.", []string{"www.example.org."}},
		{"WWW.example.org./192.0.2.1", []string{"www.example.org./192.0.2.1"}},
		{"www.example.org./*", []string{"www.example.org./192.0.2.1", "www.example.org./192.0.2.2"}},
		{"www.example.org./192.0.2.[13]", []string{"www.example.org./192.0.2.1"}},
		{"*.apps.example.org.", []string{"*.apps.example.org."}}, // the very name, though it is a pattern as well
		{"*.example.org.", []string{"*.apps.example.org.", "www.example.org."}},
		{"*", []string{"*.apps.example.org.", "www.example.org."}},
		{"*/*", []string{"*.apps.example.org./a/b", "www.example.org./192.0.2.1", "www.example.org./192.0.2.2"}},
		{"0/25.2.0.192.in-addr.arpa.", []string{"0/25.2.0.192.in-addr.arpa."}},
		{"0/25.2.0.192.in-addr.arpa./*", []string{"0/25.2.0.192.in-addr.arpa./one"}},
		{"*/a*", []string{"*.apps.example.org./a/b"}},
		{"pool app", []string{"pool app"}},
		{"pool app/*", []string{"pool app/10.0.1.1:8080", "pool app/10.0.2.1:8080"}},
		{"pool a*/10.0.1.1:*", []string{"pool api/10.0.1.1:8080", "pool app/10.0.1.1:8080"}},
		{"site *", []string{"site fra", "site zrh"}},
		{"shift shop/*", []string{"shift shop/fra"}},
	} {
		got, err := Match(tc.pattern, append(known, known...))
		if err != nil {
			t.Errorf("Expected %s to match, got: %v", tc.pattern, err)
		}
		var names []string
		for _, o := range got {
			names = append(names, o.String())
		}
		same(t, tc.pattern, names, tc.want...)
	}
}

// TestMatchNothing is an error with what may have been meant.
func TestMatchNothing(t *testing.T) {
	for pattern, want := range map[string]string{
		"wwv.example.org.":           `"wwv.example.org." matches nothing; did you mean "www.example.org."?`,
		"www.example.org./192.0.2.3": `"www.example.org./192.0.2.3" matches nothing; did you mean "www.example.org./192.0.2.1"?`,
		"pool ap/10.0.1*":            `"pool ap/10.0.1*" matches nothing; did you mean "pool app/10.0.1*"?`,
		"sight fra":                  `"sight fra" matches nothing; did you mean "site fra"?`,
		"site":                       `"site" matches nothing`,
		"":                           `"" matches nothing`,
		"www[":                       `malformed pattern "www[": expected *, ?, [a-z] and other letters`,
		"www.example.org./[":         `malformed pattern "www.example.org./[": expected *, ?, [a-z] and other letters`,
	} {
		got, err := Match(pattern, known)
		if err == nil || err.Error() != want {
			t.Errorf("Expected the error %s, got %v and %v", want, got, err)
		}
	}
}

// TestMatchIsPathMatch for names and members without slashes, and an object's own text always means it.
func TestMatchIsPathMatch(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("abC.*?[]-")), 1, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		var objects []Object
		for range rapid.IntRange(1, 6).Draw(t, "objects") {
			o := Object{rapid.SampledFrom([]ObjectKind{OfGroup, OfPool}).Draw(t, "kind"), letters.Draw(t, "name"), ""}
			if rapid.Bool().Draw(t, "member") {
				o.Member = letters.Draw(t, "member")
			}
			objects = append(objects, o)
		}
		one := objects[0]
		got, err := Match(one.String(), objects)
		if err != nil || len(got) == 0 {
			t.Fatalf("Expected %s to mean itself, got %v, %v", one, got, err)
		}
		for _, o := range got {
			if !strings.EqualFold(o.String(), one.String()) {
				t.Fatalf("Expected the exact text %s alone, got %s", one, o)
			}
		}
		pattern := letters.Draw(t, "pattern")
		got, err = Match(pattern, objects)
		exact := false
		for _, o := range objects {
			exact = exact || strings.EqualFold(o.String(), pattern)
		}
		if exact || err != nil {
			return
		}
		for _, o := range objects {
			want, _ := path.Match(strings.ToLower(pattern), strings.ToLower(o.Name))
			want = want && o.Kind == OfGroup && o.Member == ""
			has := false
			for _, m := range got {
				has = has || m == o
			}
			if has != want {
				t.Fatalf("Expected %q to match %s: %v, got %v", pattern, o, want, has)
			}
		}
	})
}

// TestNothingLeft says what would remain, and how to insist.
func TestNothingLeft(t *testing.T) {
	err := &NothingLeft{Said: "disabled www/*", Remains: []Remains{
		{Of: GroupObject("www", ""), Type: "A", Instead: "last_resort all"},
		{Of: GroupObject("www", ""), Type: "AAAA", Usable: []string{"2001:db8::1", "2001:db8::2"}},
	}}
	equal(t, "error", err.Error(), "disabled www/* would leave nothing usable: www A has nothing usable, last_resort all would answer; "+
		"www AAAA has 2001:db8::1, 2001:db8::2; expected force if that is meant")
}
