package status

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// Directory finds objects by what people call them.
type Directory struct {
	known []Known
	ids   map[pattern][]health.Object // by kind and name, with the id of a member; in lower case
	other map[pattern][]health.Object // by other names of members
}

// NewDirectory returns a directory of what is known.
func NewDirectory(known []Known) *Directory {
	d := &Directory{known: known, ids: map[pattern][]health.Object{}, other: map[pattern][]health.Object{}}
	for _, k := range known {
		for _, name := range k.Names {
			enter(d.ids, k.Object, name, k.Object.Member)
			for _, member := range k.Members {
				enter(d.other, k.Object, name, member)
			}
		}
	}
	return d
}

// enter adds an object under a name, once.
func enter(to map[pattern][]health.Object, o health.Object, name, member string) {
	key := pattern{o.Kind, strings.ToLower(with(name, member))}
	if !slices.Contains(to[key], o) {
		to[key] = append(to[key], o)
	}
}

// Find returns the objects that a word names, or why it names none: by the very name, by another name of a member, or with * and ?, in this order.
func (d *Directory) Find(word string) ([]health.Object, *Problem) {
	p := readPattern(word)
	for _, names := range []map[pattern][]health.Object{d.ids, d.other} {
		switch exact := names[p.key()]; {
		case len(exact) == 1:
			return exact, nil
		case len(exact) > 1:
			return nil, ambiguous(word, exact)
		}
	}
	if isGlob(p.text) {
		if found := p.among(d.known); len(found) > 0 {
			return found, nil
		}
	}
	return nil, unknown(word, p, d.known)
}

// Find is Directory.Find for one word.
func Find(word string, known []Known) ([]health.Object, *Problem) {
	return NewDirectory(known).Find(word)
}

// key is the pattern as a name, with an address in its usual form.
func (p pattern) key() pattern {
	text := strings.ToLower(p.text)
	if i := strings.LastIndexByte(text, '/'); i >= 0 && p.kind == health.OfPool {
		if address, err := netip.ParseAddr(text[i+1:]); err == nil {
			text = text[:i+1] + address.Unmap().String()
		}
	}
	return pattern{p.kind, text}
}

// among returns the objects that the pattern stands for, each once.
func (p pattern) among(known []Known) []health.Object {
	var found []health.Object
	seen := map[health.Object]bool{}
	for _, k := range known {
		if k.Object.Kind == p.kind && !seen[k.Object] && k.called(p.text, glob) {
			seen[k.Object] = true
			found = append(found, k.Object)
		}
	}
	return found
}

// called reports whether the text names the object, by its id or by another name of a member.
func (k Known) called(text string, equal func(pattern, name string) bool) bool {
	return matches(text, k.Names, k.Object.Member, equal) ||
		slices.ContainsFunc(k.Members, func(member string) bool { return matches(text, k.Names, member, equal) })
}

// isMember reports whether the text is a name of the member by itself.
func (k Known) isMember(text string) bool {
	return k.Object.Member != "" && k.Object.Kind != health.OfShift && (strings.EqualFold(k.Object.Member, text) ||
		slices.ContainsFunc(k.Members, func(member string) bool { return strings.EqualFold(member, text) }))
}

// toldMembers is how many members are told to who names one that is not there.
const toldMembers = 10

// membersOf lists what is there of what the pattern names a member of that is not; "" if that is not there either.
func (p pattern) membersOf(known []Known) string {
	i := strings.LastIndexByte(p.text, '/')
	if i < 0 {
		return ""
	}
	var names []string
	for _, k := range known {
		if k.Object.Kind == p.kind && k.Object.Member != "" && matches(p.text[:i], k.Names, "", strings.EqualFold) && !slices.Contains(names, k.Object.Member) {
			names = append(names, k.Object.Member)
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n > toldMembers:
		return fmt.Sprintf("of %s one of its %d, such as %s", p.text[:i], n, config.OneOf(names[:3]))
	default:
		return fmt.Sprintf("of %s one of %s", p.text[:i], config.OneOf(names))
	}
}

// ambiguous says which objects have a name that was meant to be one's.
func ambiguous(word string, found []health.Object) *Problem {
	var names []string
	for _, o := range found {
		names = append(names, o.String())
	}
	return problem(http.StatusConflict, fmt.Sprintf("%q is the name of several", word), config.OneOf(names))
}

// manyNames bounds how many names are compared with one that nothing has.
const manyNames = 10_000

// unknown says that nothing has the name, and what is near: also of another kind, for which the word lacks the kind.
func unknown(word string, p pattern, known []Known) *Problem {
	if p.kind == health.OfGroup { // which goes without saying
		word = p.text
	}
	problem := problem(http.StatusNotFound, fmt.Sprintf("nothing is called %q", word),
		"GROUP, GROUP/RECORD, `pool POOL`, `pool POOL/TARGET`, `site SITE` or `shift BALANCER/SITE`, with * and ? or without")
	var names []string
	for _, k := range known { // an id or an address alone
		if k.isMember(p.text) {
			problem.Nearest = k.Object.String()
			return problem
		}
	}
	for _, k := range known {
		if k.Object.Kind != p.kind && k.called(p.text, strings.EqualFold) {
			problem.Nearest = k.Object.String()
			return problem
		}
		if len(names) < manyNames && k.Object.Kind == p.kind {
			for _, name := range k.Names {
				names = append(names, with(name, k.Object.Member))
			}
		}
	}
	if problem.Nearest = config.Nearest(p.text, names); problem.Nearest == "" {
		problem.Expected = cmp.Or(p.membersOf(known), problem.Expected)
	}
	if problem.Nearest != "" && p.kind != health.OfGroup {
		problem.Nearest = string(p.kind) + " " + problem.Nearest
	}
	return problem
}

func with(name, member string) string {
	if member == "" {
		return name
	}
	return name + "/" + member
}
