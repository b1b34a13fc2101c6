package status

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/healthroute/healthroute/plugin/health"
)

// Selection says what of a list is asked for.
type Selection struct {
	Name   string // exact, or with * and ?; "" is all
	Health string // "" is any
	Site   string // "" is any
	After  string // key of the last item of the page before; "" for the first page
	Limit  int    // most items, at least 1
}

// Bounds of a page.
const (
	defaultLimit = 1000
	maxLimit     = 10_000
)

// Page is a part of a list.
type Page[T any] struct {
	Items []T
	Next  string // what Selection.After is for the next page; "" if this is the last
}

// Cut sorts items by their keys, which differ, and takes those that the selection's page shows; make turns each of them into what is shown, so that nobody
// makes what nobody sees.
func Cut[In, Out any](s Selection, items []In, key func(In) string, make func(In) Out) Page[Out] {
	type keyed struct {
		key  string
		item In
	}
	var left []keyed // behind the page before
	for _, item := range items {
		if k := key(item); k > s.After {
			left = append(left, keyed{k, item})
		}
	}
	slices.SortFunc(left, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	page := Page[Out]{Items: []Out{}}
	shown := left[:min(len(left), s.Limit)]
	for _, k := range shown {
		page.Items = append(page.Items, make(k.item))
	}
	if len(left) > len(shown) {
		page.Next = shown[len(shown)-1].key
	}
	return page
}

// selection reads a list's parameters, of which some lists have not all.
func selection(query url.Values, filters ...string) (Selection, *Problem) {
	if p := onlyOnce(query, append(filters, "after", "limit")...); p != nil {
		return Selection{}, p
	}
	s := Selection{Name: query.Get("name"), Health: query.Get("health"), Site: query.Get("site"), After: query.Get("after"), Limit: defaultLimit}
	if s.Health != "" {
		if p := oneOf("health", s.Health, health.StatusWords()); p != nil {
			return Selection{}, p
		}
	}
	if word := query.Get("limit"); word != "" {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > maxLimit {
			return Selection{}, invalid(fmt.Sprintf("%q of \"limit\" is out of range", word), fmt.Sprintf("1 to %d", maxLimit))
		}
		s.Limit = n
	}
	return s, nil
}
