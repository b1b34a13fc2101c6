package status

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/healthroute/healthroute/plugin/config"
	"github.com/healthroute/healthroute/plugin/health"
)

// An object is named as GROUP, GROUP/RECORD, `pool POOL`, `pool POOL/TARGET`, `site SITE` or `shift BALANCER/SITE`; `group` may stand before the
// first two. A group goes by any of its names, absolute or relative to its zone, and a target also by an address that no other target of the pool has.
// `shift BALANCER` is every site of it. The very name comes first; where nothing has it, * stands for any characters and ? for one, in either part.

// Known is something that an admin state can be said of.
type Known struct {
	Object  health.Object
	Names   []string // that people have for Object.Name, itself included
	Members []string // other names that people have for Object.Member: addresses of a target
}

// pattern is a name as somebody wrote it.
type pattern struct {
	kind health.ObjectKind
	text string
}

var kinds = []health.ObjectKind{health.OfGroup, health.OfPool, health.OfSite, health.OfShift}

// readPattern takes off the kind, which a blank ends.
func readPattern(word string) pattern {
	kind, name, ok := strings.Cut(word, " ")
	k := health.ObjectKind(strings.ToLower(kind))
	switch {
	case !ok || !slices.Contains(kinds, k):
		return pattern{health.OfGroup, word}
	case k == health.OfShift && !strings.Contains(name, "/"): // of a balancer: all its sites
		name += "/*"
	}
	return pattern{k, name}
}

// isGlob reports whether the name may stand for several.
func isGlob(text string) bool { return strings.ContainsAny(text, "*?") }

// matches reports whether the text names something that has one of the names and, unless it is "", the member.
func matches(text string, names []string, member string, equal func(pattern, name string) bool) bool {
	if member == "" {
		return slices.ContainsFunc(names, func(name string) bool { return equal(text, name) })
	}
	for i := range text { // neither a name nor a member needs to be free of slashes, so every slash is tried
		if text[i] == '/' && equal(text[i+1:], member) &&
			slices.ContainsFunc(names, func(name string) bool { return equal(text[:i], name) }) {
			return true
		}
	}
	return false
}

// glob reports whether * for any characters and ? for one make the name out of the pattern. Letter case does not count.
func glob(pattern, name string) bool {
	pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p, n = p+1, n+1
		case star >= 0: // let the last * stand for one more
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// Names reports whether a word names something that goes by the names and, unless it is "", has the member: exactly, or with * and ?. It is for
// lists, in which a name that happens to have a * may come with others.
func Names(word string, names []string, member string) bool {
	return matches(word, names, member, strings.EqualFold) || isGlob(word) && matches(word, names, member, glob)
}

// Allowed reports whether a state can be said of the object, or why not.
func Allowed(o health.Object, order Order) *Problem {
	state := health.AdminState(order.State)
	switch {
	case o.Kind == health.OfShift && state == health.Shifted:
		return shiftLasts(order)
	case o.Kind == health.OfShift && state == health.Enabled && order.For != "":
		return problem(http.StatusUnprocessableEntity, fmt.Sprintf("%s cannot be enabled for a time", o), "enabled without \"for\", which ends the shift")
	case o.Kind == health.OfShift && state != health.Enabled:
		return problem(http.StatusUnprocessableEntity, fmt.Sprintf("%s cannot be %s", o, state), "shifted, or enabled to end that")
	case o.Kind != health.OfShift && state == health.Shifted:
		return problem(http.StatusUnprocessableEntity, fmt.Sprintf("%s cannot be shifted", o), "a site of a balancer: `shift BALANCER/SITE`")
	case state == health.Deregistered && (o.Kind != health.OfPool || o.Member == ""):
		return problem(http.StatusUnprocessableEntity, fmt.Sprintf("%s cannot be deregistered", o), "a target: `pool POOL/TARGET`")
	}
	return nil
}

// shiftLasts checks how long a site is shifted: never for good.
func shiftLasts(order Order) *Problem {
	if d := order.Lasts(); d < config.MinShift || d > config.MaxShift {
		return problem(http.StatusUnprocessableEntity, fmt.Sprintf("a shift for %q", order.For),
			fmt.Sprintf("\"for\" from %s to %s", config.FormatDuration(config.MinShift), config.FormatDuration(config.MaxShift)))
	}
	return nil
}
