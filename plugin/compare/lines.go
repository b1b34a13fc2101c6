package compare

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/healthroute/healthroute/plugin/corefile"
)

// repeated are the options that may stand several times, and how many of their words tell one from the other.
var repeated = map[string]int{
	"record": 0, "alias": 0, "target": 0, // by their ids
	"header": 2, "site": 2, "nameserver": 2, "discover": 3, "override": 3,
}

// keyed is a line by what tells it from the others of a declaration.
type keyed struct {
	key  string
	rest []string
}

// keys gives each line its key. Files below the directory are named relative to it, so that Corefiles of two directories can be compared.
func keys(lines []corefile.Line, dir string) []keyed {
	out := make([]keyed, 0, len(lines))
	for _, line := range lines {
		words := slices.Clone(line)
		for i, word := range words {
			if below, ok := strings.CutPrefix(word, dir+string(filepath.Separator)); ok && dir != "" {
				words[i] = below
			}
		}
		n, several := repeated[words[0]]
		switch {
		case several && n == 0 && len(words) > 2: // behind `id`
			out = append(out, keyed{words[0] + " " + words[2], words[3:]})
			continue
		case n == 0: // a probe's target too
			n = 1
		}
		n = min(n, len(words))
		out = append(out, keyed{strings.Join(words[:n], " "), words[n:]})
	}
	return out
}

// withoutID leaves out what the key says already.
func (k keyed) withoutID() []string {
	for i, word := range k.rest[:min(2, len(k.rest))] {
		if strings.HasSuffix(k.key, " "+word) {
			return k.rest[i+1:]
		}
	}
	return k.rest
}

// difference tells in words what two declarations have otherwise. inOrder says that the order of records matters.
func difference(before, after []keyed, inOrder bool) []string {
	var out []change
	old := map[string]keyed{}
	for _, k := range before {
		old[k.key] = k
	}
	var kept []string
	for _, k := range after {
		was, had := old[k.key]
		delete(old, k.key)
		switch {
		case !had:
			out = append(out, change{k.key, strings.TrimSpace("added " + brief(k.withoutID()))})
		case !slices.Equal(was.rest, k.rest):
			out = append(out, change{k.key, fromTo(k.key, was.rest, k.rest)})
		}
		if had && isRecord(k.key) {
			kept = append(kept, k.key)
		}
	}
	var order []string
	for _, k := range before {
		if _, gone := old[k.key]; gone {
			out = append(out, change{k.key, "dropped"})
		} else if isRecord(k.key) {
			order = append(order, k.key)
		}
	}
	if inOrder && !slices.Equal(order, kept) {
		out = append(out, change{"order", strings.Join(kept, ", ")})
	}
	return together(out)
}

func isRecord(key string) bool {
	return strings.HasPrefix(key, "record ") || strings.HasPrefix(key, "alias ")
}

// change is what became of one line.
type change struct{ key, how string }

// together says of several records at once what became of all of them in the same way.
func together(changes []change) []string {
	by := map[string][]int{}
	group := func(c change) string {
		kind, _, _ := strings.Cut(c.key, " ")
		return kind + "\n" + c.how
	}
	for i, c := range changes {
		by[group(c)] = append(by[group(c)], i)
	}
	var out []string
	for i, c := range changes {
		same := by[group(c)]
		if same[0] != i {
			continue
		}
		kind, name, named := strings.Cut(c.key, " ")
		if !named {
			out = append(out, c.key+" "+c.how)
			continue
		}
		names := []string{name}
		for _, j := range same[1:] {
			_, name, _ := strings.Cut(changes[j].key, " ")
			names = append(names, name)
		}
		if len(names) > 1 {
			kind += "s"
		}
		out = append(out, kind+" "+listed(names, someNames)+": "+c.how)
	}
	return out
}

// someNames is how many names stand in a line for people.
const someNames = 6

// listed writes the first of some names, and how many more there are.
func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
}

// someWords is how many words of a value are shown.
const someWords = 12

func brief(words []string) string {
	if len(words) > someWords {
		words = append(slices.Clone(words[:someWords]), "...")
	}
	text := strings.Join(words, " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "..."
	}
	return text
}

// ofRecords are the words that begin an option in the line of a record, a target or a site.
var ofRecords = []string{
	"ttl", "weight", "priority", "primary", "secondary", "continent", "country", "subdivision", "asn", "coordinates", "bias", "from", "default", "site", "probe",
	"disabled", "draining", "always", "header", "value", "evaluate", "min_healthy", "port", "address",
}

// fromTo shows what changes between two lines of one key.
func fromTo(key string, before, after []string) string {
	if kind, _, named := strings.Cut(key, " "); named && kind != "header" {
		return optionByOption(before, after)
	}
	for len(before) > 1 && len(after) > 1 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return brief(before) + " -> " + brief(after)
}

// optionByOption shows what changes in a line that has several options.
func optionByOption(before, after []string) string {
	old, now := options(before), options(after)
	var out []string
	for i, o := range now {
		at := 0
		if i > 0 {
			at = 1 + slices.IndexFunc(old[1:], func(was []string) bool { return kindOf(was) == kindOf(o) })
		}
		switch {
		case i == 0 && !slices.Equal(old[0], o):
			if len(o) > 1 && len(old[0]) > 1 && o[0] == old[0][0] && slices.Contains(ofRecords, o[0]) {
				o = o[1:]
			}
			out = append(out, brief(old[0])+" -> "+brief(o))
		case i == 0:
		case at == 0:
			out = append(out, brief(o)+" added")
		case !slices.Equal(old[at], o):
			out = append(out, brief(old[at])+" -> "+brief(o[min(1, len(o)-1):]))
		}
	}
	for i, was := range old {
		if i > 0 && !slices.ContainsFunc(now[1:], func(o []string) bool { return kindOf(o) == kindOf(was) }) {
			out = append(out, brief(was)+" dropped")
		}
	}
	return strings.Join(out, ", ")
}

// kindOf tells which options stand in each other's place.
func kindOf(option []string) string {
	switch option[0] {
	case "secondary":
		return "primary"
	case "draining", "always":
		return "disabled"
	}
	return option[0]
}

// options splits the words of a line: first the data, then each option that follows.
func options(words []string) [][]string {
	out := [][]string{nil}
	for i, word := range words {
		if i > 0 && slices.Contains(ofRecords, word) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], word)
	}
	return out
}
