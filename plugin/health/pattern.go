package health

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
)

// Match returns those of the known objects that the pattern means, in the order of their names. The pattern is written as Object.String
// writes: GROUP, GROUP/RECORD, "pool POOL/TARGET". An object of that very text is meant alone, so that a wildcard group can be named; otherwise name and
// member are patterns of path.Match, where `*` stands for any letters of the one or the other: `www/*` is all records of www, `*` all groups, `*/a` every
// record a. A name with a slash in it has to be written out. Letter case does not count. A pattern that means nothing is an error (config.Problem) with
// the nearest one that does.
func Match(pattern string, known []Object) ([]Object, error) {
	text := strings.ToLower(pattern)
	var exact, matched []Object
	for _, o := range known {
		if strings.ToLower(o.String()) == text {
			exact = append(exact, o)
		} else if o.matches(text) {
			matched = append(matched, o)
		}
	}
	if exact != nil {
		matched = exact
	}
	if matched == nil {
		p := config.Problem{Message: fmt.Sprintf("%q matches nothing", pattern), Nearest: nearestPattern(text, known)}
		if _, err := path.Match(text, ""); err != nil {
			p = config.Problem{Message: fmt.Sprintf("malformed pattern %q", pattern), Expected: "*, ?, [a-z] and other letters"}
		}
		return nil, p
	}
	slices.SortFunc(matched, Object.compare)
	return slices.Compact(matched), nil
}

// matches reports whether the pattern, in lower case, means the object.
func (o Object) matches(pattern string) bool {
	kind, rest, written := strings.Cut(pattern, " ")
	if !written || !slices.Contains([]ObjectKind{OfPool, OfSite, OfShift}, ObjectKind(kind)) {
		kind, rest = string(OfGroup), pattern
	}
	name, member, has := cut(rest, strings.Count(o.Name, "/"))
	switch {
	case kind != string(o.Kind), has != (o.Member != ""):
		return false
	case strings.Contains(o.Name, "/") && !strings.EqualFold(name, o.Name):
		return false
	}
	return (strings.EqualFold(name, o.Name) || glob(name, o.Name)) && glob(member, o.Member)
}

// cut cuts the text at the slash after that many others, and reports whether there is one.
func cut(text string, slashes int) (before, after string, found bool) {
	at := 0
	for range slashes + 1 {
		i := strings.IndexByte(text[at:], '/')
		if i < 0 {
			return text, "", false
		}
		at += i + 1
	}
	return text[:at-1], text[at:], true
}

// glob is path.Match, but `*` and `?` stand for slashes too, and letter case of the text does not count.
func glob(pattern, text string) bool {
	const slash = "\x00"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(strings.ToLower(text), "/", slash))
	return ok && err == nil
}

// nearestPattern is what may have been meant by a pattern that means nothing: an object, or the same pattern for the members of another name.
func nearestPattern(pattern string, known []Object) string {
	var words []string
	for _, o := range known {
		words = append(words, o.String())
		if _, member, has := cut(pattern, strings.Count(o.Name, "/")); has && o.Member != "" && glob(member, o.Member) {
			words = append(words, Object{o.Kind, o.Name, member}.String())
		}
	}
	return config.Nearest(pattern, words)
}
